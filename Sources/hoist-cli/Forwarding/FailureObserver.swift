import CHoist

/// Hears of each delivery that fails, until the client is freed.
enum FailureObserver {
  private final class Listener {
    let tell: (OpaquePointer) -> Void
    init(_ tell: @escaping (OpaquePointer) -> Void) { self.tell = tell }
  }

  /// - Parameter tell: is given the notification.
  static func add(to client: OpaquePointer, _ tell: @escaping (OpaquePointer) -> Void) throws {
    var observer = hoist_observer()
    observer.struct_size = MemoryLayout<hoist_observer>.size
    observer.user_data = Unmanaged.passRetained(Listener(tell)).toOpaque()
    observer.notify = { listener, notification in
      guard let listener else { return }
      Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().tell(notification)
    }
    observer.release = { listener in
      if let listener { Unmanaged<Listener>.fromOpaque(listener).release() }
    }
    let status = hoist_client_observe(client, hoist_topic(HOIST_TOPIC_SEND_FAILED), nil, &observer, nil)
    guard status == HOIST_OK else { throw Problem(status: status, error: nil) }
  }
}
