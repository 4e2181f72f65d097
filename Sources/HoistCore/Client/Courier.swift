internal import CShims
internal import HoistBase

/// Brings calls to the host: on the client's delivery lane, or when the host asks for them.
///
/// One call at a time, in order: a host that blocks in a call holds up its own news, and nothing else.
final class Courier: @unchecked Sendable {
  private static let manualCapacity = 10_000

  private let lane: Lane
  private let isManual: Bool
  private let lock = Lock()
  private var waiting: [@Sendable () -> Void] = []
  private var dropped: Int64 = 0
  private var isClosed = false
  /// Readable while calls wait for `dispatch`; -1 without manual dispatch.
  let descriptor: Int32

  init(lane name: String, isManual: Bool, services: ClientServices) {
    lane = Lane(options: .init(name: name), clock: services.clock, scheduler: services.scheduler)
    self.isManual = isManual
    descriptor = isManual ? shim_event_new() : -1
  }

  deinit { if descriptor >= 0 { shim_event_free(descriptor) } }

  func deliver(_ call: @escaping @Sendable () -> Void) {
    guard isManual else {
      lane.perform(call)
      return
    }
    lock.withLock {
      guard !isClosed, waiting.count < Self.manualCapacity else {
        dropped &+= 1
        return
      }
      waiting.append(call)
      if waiting.count == 1 { shim_event_set(descriptor) }
    }
  }

  /// Runs up to `limit` waiting calls (0: all that wait now) on the calling thread.
  func dispatch(limit: Int) -> Int {
    let calls = lock.withLock {
      let number = limit <= 0 ? waiting.count : min(limit, waiting.count)
      let taken = Array(waiting.prefix(number))
      waiting.removeFirst(number)
      if waiting.isEmpty { shim_event_clear(descriptor) }
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

  func reopen() {
    lock.withLock { isClosed = false }
    lane.reopen()
  }

  /// Lets what waits be delivered, within the limit.
  func drain(untilNanoseconds deadline: Int64) -> Bool { isManual || lane.drain(untilNanoseconds: deadline) }

  var counters: (lane: Lane.Counters, dropped: Int64) { (lane.counters, lock.withLock { dropped }) }

}
