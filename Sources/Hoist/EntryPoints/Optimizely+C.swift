internal import CHoist
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_version") @implementation
public func hoist_optimizely_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

@_cdecl("hoist_optimizely_datafile") @implementation
public func hoist_optimizely_datafile(_ client: OpaquePointer?) -> OpaquePointer? { text(optimizely(client)?.datafile) }

@_cdecl("hoist_optimizely_revision") @implementation
public func hoist_optimizely_revision(_ client: OpaquePointer?) -> OpaquePointer? { text(optimizely(client)?.revision) }

@_cdecl("hoist_optimizely_datafile_origin") @implementation
public func hoist_optimizely_datafile_origin(_ client: OpaquePointer?) -> UnsafePointer<CChar> {
  switch optimizely(client)?.datafileOrigin {
  case .given: Constants.pointer("given")
  case .saved: Constants.pointer("saved")
  case .network: Constants.pointer("network")
  case nil: Constants.empty
  }
}

@_cdecl("hoist_optimizely_config_json") @implementation
public func hoist_optimizely_config_json(_ client: OpaquePointer?) -> OpaquePointer? { text(optimizely(client)?.configJSON) }

/// nil for NULL and for clients of other services.
func optimizely(_ client: OpaquePointer?) -> OptimizelyFace? { ClientHandle.borrow(client).flatMap { OptimizelyFace($0) } }

private func text(_ bytes: [UInt8]?) -> OpaquePointer? { bytes.map { Handle<CText>.give(CText($0)) } }
