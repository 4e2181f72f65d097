public import CHoist
internal import HoistCore

@_cdecl("hoist_notification_topic") @implementation
public func hoist_notification_topic(_ notification: OpaquePointer?) -> hoist_topic {
  Handle<NotificationBox>.borrow(notification)?.topic.rawValue ?? 0
}

@_cdecl("hoist_notification_message") @implementation
public func hoist_notification_message(_ notification: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<NotificationBox>.borrow(notification)?.message.pointer
}

@_cdecl("hoist_notification_status") @implementation
public func hoist_notification_status(_ notification: OpaquePointer?) -> hoist_status {
  Handle<NotificationBox>.borrow(notification)?.status.rawValue ?? 0
}

@_cdecl("hoist_notification_key_count") @implementation
public func hoist_notification_key_count(_ notification: OpaquePointer?) -> Int {
  Handle<NotificationBox>.borrow(notification)?.keys.count ?? 0
}

@_cdecl("hoist_notification_key") @implementation
public func hoist_notification_key(_ notification: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  guard let box = Handle<NotificationBox>.borrow(notification), index >= 0, index < box.keys.count else { return nil }
  return box.keys[index].pointer
}

@_cdecl("hoist_notification_json") @implementation
public func hoist_notification_json(_ notification: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<NotificationBox>.borrow(notification)?.json.pointer
}

@_cdecl("hoist_client_observe") @implementation
public func hoist_client_observe(
  _ client: OpaquePointer?, _ topic: hoist_topic, _ key: UnsafePointer<CChar>?,
  _ observer: UnsafePointer<hoist_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  token?.pointee = 0
  // The adapter first: whatever happens next, `release` runs when it goes.
  let adapter = CObserver(reading: observer)
  return attempt {
    guard let adapter, adapter.table.notify != nil, let topic = Topic(rawValue: topic) else {
      throw Refusal(.argument, "observer or topic is none")
    }
    // Not within the assignment, which does nothing at all without a token.
    let registered = try ClientHandle.need(client).observe(topic, key: try key.map { try CString.need($0, "key") }, adapter)
    token?.pointee = registered
  }
}

@_cdecl("hoist_client_unobserve") @implementation
public func hoist_client_unobserve(_ client: OpaquePointer?, _ token: hoist_token) -> hoist_status {
  guard let client = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  return (client.unobserve(token) ? Status.ok : .notFound).rawValue
}

@_cdecl("hoist_client_dispatch_fd") @implementation
public func hoist_client_dispatch_fd(_ client: OpaquePointer?) -> CInt {
  ClientHandle.borrow(client)?.dispatchDescriptor ?? -1
}

@_cdecl("hoist_client_dispatch") @implementation
public func hoist_client_dispatch(_ client: OpaquePointer?, _ limit: Int) -> Int {
  ClientHandle.borrow(client)?.dispatch(limit: limit) ?? 0
}

/// A notification in C's terms, alive during one callback.
final class NotificationBox: Sendable {
  let topic: Topic
  let status: Status
  let message: CText
  let keys: [CText]
  let json: CText

  init(_ notification: Notification) {
    topic = notification.topic
    status = notification.status
    message = CText(notification.message)
    keys = notification.keys.map { CText($0) }
    json = notification.json.isEmpty ? CText("null") : CText(notification.json)
  }
}

/// A host's observer. `release` runs when the last registration and call let go of it.
final class CObserver: HostAdapter<hoist_observer>, Observer, @unchecked Sendable {
  func notify(_ notification: Notification) {
    Handle.lend(NotificationBox(notification)) { table.notify?(table.user_data, $0) }
  }
}
