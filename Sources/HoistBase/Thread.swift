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

  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
