public import CHoist
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_observe") @implementation
public func hoist_optimizely_observe(
  _ client: OpaquePointer?, _ kind: hoist_optimizely_notification_kind,
  _ observer: UnsafePointer<hoist_optimizely_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  HostRegistration.add(COptimizelyObserver(reading: observer), token) { adapter in
    let face = try OptimizelyFace.need(client)
    guard let kind = NotificationKind(rawValue: kind) else { throw Refusal(.argument, "kind is none") }
    guard adapter.table.notify != nil else { return nil }
    return face.observe(kind, adapter)
  }
}

@_cdecl("hoist_optimizely_unobserve_all") @implementation
public func hoist_optimizely_unobserve_all(
  _ client: OpaquePointer?, _ kind: hoist_optimizely_notification_kind
) -> hoist_status {
  attempt {
    let wanted = NotificationKind(rawValue: kind)
    guard kind == 0 || wanted != nil else { throw Refusal(.argument, "kind is none") }
    try OptimizelyFace.need(client).unobserveAll(wanted)
  }
}
