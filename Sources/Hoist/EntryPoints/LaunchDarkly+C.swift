internal import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_version") @implementation
public func hoist_launchdarkly_version() -> UnsafePointer<CChar> { Constants.pointer("HoistClient/0.1.0") }

/// nil for NULL and for clients of other services.
func launchDarkly(_ client: OpaquePointer?) -> LaunchDarklyFace? {
  ClientHandle.borrow(client).flatMap { LaunchDarklyFace($0) }
}
