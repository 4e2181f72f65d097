public import CHoist
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_add_listener") @implementation
public func hoist_optimizely_add_listener(
  _ client: OpaquePointer?, _ kind: hoist_optimizely_notification_kind,
  _ listener: UnsafePointer<hoist_optimizely_listener>?, _ id: UnsafeMutablePointer<Int32>?
) -> hoist_status {
  id?.pointee = 0
  // The adapter first: whatever happens next, `release` runs when it goes.
  let adapter = COptimizelyListener(reading: listener)
  return answer {
    let client = try ClientHandle.need(client)
    guard let adapter, let kind = NotificationKind(rawValue: kind) else { return .argument }
    guard let face = OptimizelyFace(client) else { return .unsupported }
    guard client.state != .closed else { return .state }
    let number = face.add(kind, adapter)
    id?.pointee = number
    return number == 0 ? .limit : .ok
  }
}

@_cdecl("hoist_optimizely_remove_listener") @implementation
public func hoist_optimizely_remove_listener(_ client: OpaquePointer?, _ id: Int32) -> Bool {
  OptimizelyFace.of(client)?.removeListener(id) ?? false
}

@_cdecl("hoist_optimizely_clear_listeners") @implementation
public func hoist_optimizely_clear_listeners(
  _ client: OpaquePointer?, _ kind: hoist_optimizely_notification_kind
) -> hoist_status {
  attempt {
    let wanted = NotificationKind(rawValue: kind)
    guard kind == 0 || wanted != nil else { throw Refusal(.argument, "kind is none") }
    try OptimizelyFace.need(client).clearListeners(wanted)
  }
}
