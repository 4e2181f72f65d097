import Glibc
import HoistBase

/// A thread of the test's own: to the library, one of the host's.
final class HostThread: @unchecked Sendable {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    pthread_create(
      &thread, nil,
      { raw in
        if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
  }

  func join() { pthread_join(thread, nil) }
}

func startThread(_ body: @escaping @Sendable () -> Void) -> HostThread { HostThread(body) }

/// Runs `body` on that many threads at once and waits for all.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threads = (0..<count).map { index in startThread { body(index) } }
  for thread in threads { thread.join() }
}

/// Asks again and again, letting other threads work meanwhile; false after ten seconds.
func eventually(_ condition: () -> Bool) -> Bool {
  let clock = SystemClock()
  let deadline = clock.monotonicNanoseconds + 10_000_000_000
  while clock.monotonicNanoseconds < deadline {
    if condition() { return true }
    usleep(200)
  }
  return condition()
}
