public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_get_store_status") @implementation
public func hoist_launchdarkly_get_store_status(
  _ client: OpaquePointer?, _ status: UnsafeMutablePointer<hoist_launchdarkly_store_status>?
) -> hoist_status {
  answer {
    guard let status else { throw Refusal(.argument, "status is NULL") }
    guard let known = try LaunchDarklyAnyFace.need(client).storeStatus else { return .state }
    var told = hoist_launchdarkly_store_status()
    (told.struct_size, told.is_available, told.is_stale) = (status.pointee.struct_size, known.isAvailable, known.isStale)
    return HostTable.write(told, to: status, size: told.struct_size) ? .ok : .argument
  }
}

@_cdecl("hoist_launchdarkly_get_big_segments_status") @implementation
public func hoist_launchdarkly_get_big_segments_status(
  _ client: OpaquePointer?, _ status: UnsafeMutablePointer<hoist_launchdarkly_big_segments_status>?
) -> hoist_status {
  answer {
    guard let status else { throw Refusal(.argument, "status is NULL") }
    guard let known = try LaunchDarklyAnyFace.need(client).bigSegmentsStatus else { return .state }
    var told = hoist_launchdarkly_big_segments_status()
    (told.struct_size, told.is_available, told.is_stale) = (status.pointee.struct_size, known.isAvailable, known.isStale)
    return HostTable.write(told, to: status, size: told.struct_size) ? .ok : .argument
  }
}
