internal import CHoist
internal import HoistCore
internal import HoistKameleoon

@_cdecl("hoist_kameleoon_version") @implementation
public func hoist_kameleoon_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

/// nil for NULL and for clients of other services.
func kameleoon(_ client: OpaquePointer?) -> KameleoonFace? { ClientHandle.borrow(client).flatMap { KameleoonFace($0) } }
