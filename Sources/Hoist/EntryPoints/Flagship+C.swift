public import CHoist
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_version") @implementation
public func hoist_flagship_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

@_cdecl("hoist_flagship_sdk_status") @implementation
public func hoist_flagship_sdk_status(_ client: OpaquePointer?) -> hoist_flagship_status {
  (flagship(client)?.status ?? .notInitialized).rawValue
}

/// nil for NULL and for clients of other services.
func flagship(_ client: OpaquePointer?) -> FlagshipFace? { ClientHandle.borrow(client).flatMap { FlagshipFace($0) } }
