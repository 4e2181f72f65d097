internal import CShims
internal import HoistBase

/// Brings calls to the host: on the client's delivery lane, or when the host asks for them.
///
/// One call at a time, in order: a host that blocks in a call holds up its own news, and nothing else.
final class CallbackDispatcher: @unchecked Sendable {
  private static let manualCapacity = 10_000

  typealias Call = @Sendable () -> Void

  private let lane: Lane
  private let isManual: Bool
  private let lock = Lock()
  // Of manual dispatch, guarded by `lock`.
  private var waiting = BoundedQueue<Call>(capacity: manualCapacity, policy: .refuseNewest)
  private var refused: Int64 = 0
  private var isClosed = false
  private var isDispatching = false
  private var generation = ForkGeneration.current
  /// Readable while calls wait for `dispatch`; -1 without manual dispatch.
  let descriptor: Int32

  init(lane name: String, isManual: Bool, services: ClientServices) {
    lane = Lane(options: .init(name: name), clock: services.clock, scheduler: services.scheduler)
    self.isManual = isManual
    descriptor = isManual ? shim_event_new() : -1
  }

  deinit { if descriptor >= 0 { shim_event_free(descriptor) } }

  /// - Returns: false when there is no room, or after `close`; then the call never runs.
  @discardableResult
  func deliver(_ call: @escaping Call) -> Bool {
    guard isManual else { return lane.perform(call) }
    forgetInheritance()
    return lock.withLock {
      guard !isClosed else {
        refused &+= 1
        return false
      }
      guard waiting.append(call) == nil else { return false }
      if waiting.count == 1 { shim_event_set(descriptor) }
      return true
    }
  }

  /// Runs up to `limit` waiting calls (0: all that wait now) on the calling thread. While one thread is at it,
  /// there is nothing to do for others.
  func dispatch(limit: Int) -> Int {
    guard isManual else { return 0 }
    forgetInheritance()
    var left = lock.withLock { () -> Int in
      if isDispatching { return 0 }
      isDispatching = !waiting.isEmpty
      return limit <= 0 ? waiting.count : min(limit, waiting.count)
    }
    guard left > 0 else { return 0 }
    var number = 0
    while left > 0, let call = next() {
      call()
      number += 1
      left -= 1
    }
    lock.withLock { isDispatching = false }
    return number
  }

  private func next() -> Call? {
    lock.withLock {
      let call = waiting.popFirst()
      if waiting.isEmpty { shim_event_clear(descriptor) }
      return call
    }
  }

  /// Nothing begins after this returns.
  func close() {
    lane.close()
    let discarded = lock.withLock {
      isClosed = true
      if isManual { shim_event_clear(descriptor) }
      return waiting.removeFirst(waiting.count)
    }
    // Released outside the lock: it may hold the last reference to a host object.
    withExtendedLifetime(discarded) {}
  }

  func reopen() {
    lock.withLock { isClosed = false }
    lane.reopen()
  }

  /// Lets what waits be delivered, within the limit.
  func drain(untilNanoseconds deadline: Int64) -> Bool { isManual || lane.drain(untilNanoseconds: deadline) }

  /// In a forked child: the calls are the parent's, and the descriptor's number gets an event of its own behind it.
  func forgetInheritance() {
    guard isManual else { return }
    let inherited = lock.withLock { () -> [Call] in
      guard generation != ForkGeneration.current else { return [] }
      generation = ForkGeneration.current
      isDispatching = false
      shim_event_renew(descriptor)
      return waiting.removeFirst(waiting.count)
    }
    withExtendedLifetime(inherited) {}
  }

  var counters: (lane: Lane.Counters, waiting: Int, dropped: Int64) {
    let own = lock.withLock { (waiting.count, refused &+ Int64(clamping: waiting.dropped)) }
    return (lane.counters, own.0, own.1)
  }
}
