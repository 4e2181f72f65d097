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
  let adapter = listener.flatMap { COptimizelyListener($0) }
  guard let adapter, let object = ClientHandle.borrow(client), let kind = NotificationKind(rawValue: kind) else {
    return Status.argument.rawValue
  }
  guard let face = optimizely(client) else { return Status.unsupported.rawValue }
  guard object.state != .closed else { return Status.state.rawValue }
  let number = face.add(kind, adapter)
  id?.pointee = number
  return (number == 0 ? Status.limit : .ok).rawValue
}

@_cdecl("hoist_optimizely_remove_listener") @implementation
public func hoist_optimizely_remove_listener(_ client: OpaquePointer?, _ id: Int32) -> Bool {
  optimizely(client)?.removeListener(id) ?? false
}

@_cdecl("hoist_optimizely_clear_listeners") @implementation
public func hoist_optimizely_clear_listeners(
  _ client: OpaquePointer?, _ kind: hoist_optimizely_notification_kind
) -> hoist_status {
  guard ClientHandle.borrow(client) != nil, kind == 0 || NotificationKind(rawValue: kind) != nil else {
    return Status.argument.rawValue
  }
  guard let face = optimizely(client) else { return Status.unsupported.rawValue }
  face.clearListeners(NotificationKind(rawValue: kind))
  return Status.ok.rawValue
}
