internal import HoistBase
internal import HoistCore

/// Calls of one instance into the host: one at a time, in order, however long they take.
///
/// A call that does not return is neither cut short nor overtaken, so that no member ever runs beside another; it is
/// noticed, reported once, and counted.
final class HostedLane: Sendable {
  /// After so long a call is reported.
  static let patienceNanoseconds: Int64 = 10_000_000_000

  private struct State {
    /// The call under way, and since when.
    var running: StaticString?
    var since: Int64 = 0
    var isReported = false
    var isArmed = false
    var generation = ForkGeneration.current
    var reported: Int64 = 0
    var late: Int64 = 0

    /// What is under way in the parent is not the child's.
    mutating func forgetInheritance() {
      guard generation != ForkGeneration.current else { return }
      (running, isReported, isArmed, generation) = (nil, false, false, ForkGeneration.current)
    }
  }

  private let lane: Lane
  private let scheduler: any Scheduler
  private let clock: any Clock
  /// Told of the name of a call that does not return.
  private let report: @Sendable (StaticString) -> Void
  private let state = LockedValue(State())

  init(_ host: any ProviderHost, report: @escaping @Sendable (StaticString) -> Void) {
    lane = Lane(options: .init(name: "hoist-provider"), clock: host.clock, scheduler: host.scheduler)
    (scheduler, clock) = (host.scheduler, host.clock)
    self.report = report
  }

  /// - Parameter name: of the member or callback, for reports.
  /// - Returns: false when the lane is closed or full; then `call` never runs.
  @discardableResult
  func perform(_ name: StaticString, _ call: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = lane.perform { [self] in
      begin(name)
      call()
      end()
    }
    if isTaken { watch() }
    return isTaken
  }

  /// Waits for the answer, on a thread that is not the scheduler's; nil when it does not come in time.
  func answer<Value: Sendable>(_ call: @escaping @Sendable () -> Value) -> Value? {
    lane.answer(withinNanoseconds: Self.patienceNanoseconds, call)
  }

  /// Lets what waits run, within the limit. Nothing begins afterwards.
  /// - Returns: whether nothing was left.
  func close(untilNanoseconds deadline: Int64) -> Bool {
    let isDrained = lane.drain(untilNanoseconds: deadline)
    lane.close()
    return isDrained
  }

  func reopen() { lane.reopen() }

  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = lane.counters
    let (reported, late, isStuck) = state.withLock { state in
      state.forgetInheritance()
      return (state.reported, state.late, state.isReported)
    }
    return [
      ("calls", Int64(counters.finished)), ("waiting", Int64(counters.waiting)), ("refused", Int64(counters.dropped)),
      ("stuck", isStuck ? 1 : 0), ("reported", reported), ("late", late),
    ].map { ("provider", $0.0, $0.1) }
  }

  private func begin(_ name: StaticString) {
    let now = clock.monotonicNanoseconds
    state.withLock { state in
      state.forgetInheritance()
      (state.running, state.since) = (name, now)
    }
  }

  private func end() {
    state.withLock { state in
      if state.isReported { state.late += 1 }
      (state.running, state.isReported) = (nil, false)
    }
  }

  /// One timer at most, and none while nothing is called.
  private func watch() {
    let isFirst = state.withLock { state in
      state.forgetInheritance()
      defer { state.isArmed = true }
      return !state.isArmed
    }
    guard isFirst else { return }
    _ = scheduler.schedule(afterMilliseconds: Self.patienceNanoseconds / 1_000_000) { [weak self] in self?.look() }
  }

  private func look() {
    let now = clock.monotonicNanoseconds
    let waits = lane.counters.waiting > 0
    let (stuck, isBusy) = state.withLock { state -> (StaticString?, Bool) in
      state.forgetInheritance()
      state.isArmed = false
      guard let running = state.running else { return (nil, waits) }
      guard !state.isReported, now &- state.since >= Self.patienceNanoseconds else { return (nil, !state.isReported) }
      state.isReported = true
      state.reported += 1
      return (running, false)
    }
    if let stuck { report(stuck) }
    if isBusy { watch() }
  }
}
