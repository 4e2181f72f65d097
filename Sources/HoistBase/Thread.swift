internal import CShims

/// Threads of the library's own: named, detached, deaf to signals.
public enum Thread {
  /// - Returns: false when the system refuses another thread.
  public static func start(
    name: String, stackBytes: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let box = Unmanaged.passRetained(Box(body))
    let failure = shim_thread_start(
      name, stackBytes,
      { raw in
        guard let raw else { return }
        Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
      }, box.toOpaque())
    if failure != 0 { box.release() }
    return failure == 0
  }

  /// True on a thread that `start` made: there, a call that waits for such a thread is refused.
  public static var isOwn: Bool { shim_thread_is_own() }

  /// Whether the host's code may run on the calling thread: on the host's own, and where `admitHost` has been called, but
  /// not inside `withoutHost`.
  public static var admitsHost: Bool { shim_thread_admits_host() }

  /// To be called on a thread that `start` made for calls into the host.
  public static func admitHost() { shim_thread_admit_host() }

  /// For work that may hold one of our locks and release a host object: host code runs on another thread.
  public static func withoutHost(_ body: () -> Void) {
    shim_thread_exclude_host()
    body()
    shim_thread_end_exclusion()
  }

  /// Bytes of stack the calling thread has left; 0 when the system does not tell. Not cheap: for the rare case in which
  /// outside data decides how deep a system library recurses.
  public static var remainingStackBytes: Int { Int(clamping: shim_thread_stack_left()) }

  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
