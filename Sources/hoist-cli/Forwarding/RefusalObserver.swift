import CHoist

/// Hears of events that the service refuses for good, until the client is freed.
enum RefusalObserver {
  private final class Listener {
    let tell: (DeadLetter) -> Void
    init(_ tell: @escaping (DeadLetter) -> Void) { self.tell = tell }
  }

  static func add(to client: OpaquePointer, _ tell: @escaping (DeadLetter) -> Void) throws {
    var observer = hoist_observer()
    observer.struct_size = MemoryLayout<hoist_observer>.size
    observer.user_data = Unmanaged.passRetained(Listener(tell)).toOpaque()
    observer.notify = { listener, notification in
      guard let listener, hoist_notification_status(notification) == HOIST_ERR_REJECTED else { return }
      Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().tell(RefusalObserver.letter(notification))
    }
    observer.release = { listener in
      if let listener { Unmanaged<Listener>.fromOpaque(listener).release() }
    }
    let status = hoist_client_observe(client, hoist_topic(HOIST_TOPIC_SEND_FAILED), nil, &observer, nil)
    guard status == HOIST_OK else { throw Problem(status: status, error: nil) }
  }

  private static func letter(_ notification: OpaquePointer) -> DeadLetter {
    let told = hoist_notification_json(notification).flatMap { JSON(parsing: String(cString: $0)) }
    let keys = (0..<hoist_notification_key_count(notification)).compactMap { hoist_notification_key(notification, $0) }
    return DeadLetter(
      queue: told?["queue"]?.string ?? "", ids: keys.map { String(cString: $0) },
      reason: told?["reason"]?.string ?? String(cString: hoist_notification_message(notification)))
  }
}
