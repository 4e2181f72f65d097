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
        if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
  }

  public func join() { pthread_join(thread, nil) }
}
