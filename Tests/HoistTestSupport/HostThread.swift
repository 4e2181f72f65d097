internal import Glibc

/// A thread of the test's own: to the library, one of the host's.
public final class HostThread: @unchecked Sendable {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  private var thread = pthread_t()

  public init(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    pthread_create(
      &thread, nil,
      { raw in
        pthread_setspecific(HostThread.mark, raw)
        if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
  }

  private static let mark: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Whether the caller is on such a thread.
  public static var isCurrent: Bool { pthread_getspecific(mark) != nil }

  public func join() { pthread_join(thread, nil) }
}
