import Glibc
import HoistBase
import HoistTestSupport

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
