import CHoist

/// Tells how a LaunchDarkly client is connected, until it is freed.
enum ConnectionObserver {
  private final class Listener {
    let tell: (String) -> Void
    init(_ tell: @escaping (String) -> Void) { self.tell = tell }
  }

  static func add(to client: OpaquePointer, _ tell: @escaping (String) -> Void) throws {
    var observer = hoist_launchdarkly_observer()
    observer.struct_size = MemoryLayout<hoist_launchdarkly_observer>.size
    observer.user_data = Unmanaged.passRetained(Listener(tell)).toOpaque()
    observer.connection_mode = { listener, mode in
      guard let listener else { return }
      Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().tell(ConnectionObserver.name(of: mode))
    }
    observer.release = { listener in
      if let listener { Unmanaged<Listener>.fromOpaque(listener).release() }
    }
    let status = hoist_launchdarkly_observe_connection_mode(client, &observer, nil)
    guard status == HOIST_OK else { throw Problem(status: status, error: nil) }
    var now = hoist_launchdarkly_connection()
    now.struct_size = MemoryLayout<hoist_launchdarkly_connection>.size
    if hoist_launchdarkly_connection_information(client, &now) == HOIST_OK { tell(name(of: now.mode)) }
  }

  private static func name(of mode: Int32) -> String {
    switch Int(mode) {
    case HOIST_LAUNCHDARKLY_CONNECTION_OFFLINE: "offline"
    case HOIST_LAUNCHDARKLY_CONNECTION_ESTABLISHING: "establishing"
    case HOIST_LAUNCHDARKLY_CONNECTION_STREAMING: "streaming"
    case HOIST_LAUNCHDARKLY_CONNECTION_POLLING: "polling"
    default: "mode \(mode)"
    }
  }
}
