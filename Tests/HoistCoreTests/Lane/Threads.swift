import Glibc
import HoistBase
import HoistCore
import HoistTestSupport

extension ManualScheduler {
  /// Runs what is posted, letting other threads work meanwhile, until `done`; false after ten seconds.
  func run(until done: () -> Bool) -> Bool {
    let clock = SystemClock()
    let deadline = clock.monotonicNanoseconds + 10_000_000_000
    while clock.monotonicNanoseconds < deadline {
      run()
      if done() { return true }
      usleep(200)
    }
    return false
  }
}

/// A door that threads wait at until a test opens it.
final class Door: @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private var isOpen = false
  private var count = 0

  /// How many have come to the door.
  var arrivals: Int { lock.withLock { count } }

  func open() {
    lock.withLock {
      isOpen = true
      changed.broadcast()
    }
  }

  func pass() {
    lock.withLock {
      count += 1
      changed.broadcast()
      while !isOpen { _ = changed.wait(lock, untilNanoseconds: .max) }
    }
  }

  /// Waits for `wanted` threads to come to the door; false after ten seconds.
  func waitForArrivals(_ wanted: Int) -> Bool {
    let deadline = SystemClock().monotonicNanoseconds + 10_000_000_000
    return lock.withLock {
      while count < wanted {
        if !changed.wait(lock, untilNanoseconds: deadline) { return false }
      }
      return true
    }
  }
}

/// A list that threads may append to.
final class Record<Element: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var list: [Element] = []
  var all: [Element] { lock.withLock { list } }
  func append(_ element: Element) { lock.withLock { list.append(element) } }
}

/// A scheduler's clock that can run ahead of its timers, as in a process that was stopped.
final class LeapingClock: Clock, @unchecked Sendable {
  private let scheduler: ManualScheduler
  private let lock = Lock()
  private var ahead: Int64 = 0
  init(_ scheduler: ManualScheduler) { self.scheduler = scheduler }
  var monotonicNanoseconds: Int64 { scheduler.monotonicNanoseconds + lock.withLock { ahead } * 1_000_000 }
  var unixMilliseconds: Int64 { scheduler.unixMilliseconds + lock.withLock { ahead } }
  var bootMoment: BootMoment? {
    scheduler.bootMoment.map { BootMoment(boot: $0.boot, milliseconds: $0.milliseconds + lock.withLock { ahead }) }
  }
  func leap(milliseconds: Int64) { lock.withLock { ahead += milliseconds } }
}

/// Runs `body` on a thread that is not the library's.
func hostThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { raw in
      guard let raw else { return nil }
      Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Box(body)).toOpaque())
  if status == 0 { pthread_detach(thread) }
  return status == 0
}
