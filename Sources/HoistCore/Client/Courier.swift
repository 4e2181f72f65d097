public import HoistBase
internal import Glibc

/// Brings calls to the host: on the client's delivery lane, or when the host asks for them.
///
/// One call at a time, in order. A call that has not returned after 10 seconds is set aside, so that the next
/// can be made.
final class Courier: @unchecked Sendable {
  private static let limitNanoseconds: Int64 = 10_000_000_000
  private static let manualCapacity = 10_000

  private let lane: Lane
  private let isManual: Bool
  private let lock = Lock()
  private var waiting: [@Sendable () -> Void] = []
  private var dropped: Int64 = 0
  private var isClosed = false
  /// Readable while calls wait for `dispatch`; -1 without manual dispatch.
  let descriptor: Int32

  init(name: String, isManual: Bool, services: ClientServices) {
    lane = Lane(options: .init(name: "hoist-\(name)"), clock: services.clock, scheduler: services.scheduler)
    self.isManual = isManual
    descriptor = isManual ? eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) : -1
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func deliver(_ call: @escaping @Sendable () -> Void) {
    guard isManual else {
      _ = lane.perform(limitNanoseconds: Self.limitNanoseconds, abandoned: {}, call)
      return
    }
    lock.withLock {
      guard !isClosed, waiting.count < Self.manualCapacity else {
        dropped &+= 1
        return
      }
      waiting.append(call)
      if waiting.count == 1 { signal() }
    }
  }

  /// Runs up to `limit` waiting calls (0: all that wait now) on the calling thread.
  func dispatch(limit: Int) -> Int {
    let calls = lock.withLock {
      let number = limit <= 0 ? waiting.count : min(limit, waiting.count)
      let taken = Array(waiting.prefix(number))
      waiting.removeFirst(number)
      if waiting.isEmpty { clear() }
      return taken
    }
    for call in calls { call() }
    return calls.count
  }

  /// Nothing begins after this returns.
  func close() {
    lane.close()
    let discarded = lock.withLock {
      isClosed = true
      defer { waiting = [] }
      return waiting
    }
    _ = discarded.count
  }

  /// Lets what waits be delivered, within the limit.
  func drain(untilNanoseconds deadline: Int64) -> Bool { isManual || lane.drain(untilNanoseconds: deadline) }

  var counters: (lane: Lane.Counters, dropped: Int64) { (lane.counters, lock.withLock { dropped }) }

  private func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  private func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }
}
