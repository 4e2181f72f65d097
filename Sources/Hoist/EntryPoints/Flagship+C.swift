internal import CHoist
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_version") @implementation
public func hoist_flagship_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

/// nil for NULL and for clients of other services.
func flagship(_ client: OpaquePointer?) -> FlagshipFace? { ClientHandle.borrow(client).flatMap { FlagshipFace($0) } }
