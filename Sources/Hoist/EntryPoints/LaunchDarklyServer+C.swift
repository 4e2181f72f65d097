internal import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_all_flags_state") @implementation
public func hoist_launchdarkly_all_flags_state(_ client: OpaquePointer?, _ context: OpaquePointer?, _ options: UInt32)
  -> OpaquePointer?
{
  guard ClientHandle.borrow(client) != nil else { return nil }
  let state = try? LaunchDarklyServerFace.need(client).allFlagsState(
    try ContextHandle.reference(context), FlagsStateOptions(rawValue: options))
  return TextHandle.give(state, orElse: #"{"$flagsState":{},"$valid":false}"#)
}

@_cdecl("hoist_launchdarkly_secure_mode_hash") @implementation
public func hoist_launchdarkly_secure_mode_hash(_ client: OpaquePointer?, _ context: OpaquePointer?) -> OpaquePointer? {
  guard ClientHandle.borrow(client) != nil else { return nil }
  let hash = try? LaunchDarklyServerFace.need(client).secureModeHash(try ContextHandle.reference(context))
  return TextHandle.give(hash, orElse: "")
}
