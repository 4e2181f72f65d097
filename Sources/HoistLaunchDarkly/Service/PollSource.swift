internal import HoistBase
internal import HoistCore

/// Flags by polling (2.3): at once, unless what is served is fresh, then at a fixed rate. On the scheduler's thread.
final class PollSource: FlagFeed, @unchecked Sendable {
  private let host: any ProviderHost
  private let intervalMilliseconds: Int64
  private let updatedUnixMilliseconds: Int64?
  private let retriesRefusals: Bool
  private let poll: FlagPoll
  private weak var listener: (any FeedListener)?
  private var timer: (any Cancellable)?
  /// When the next poll is due, by the monotonic clock.
  private var dueNanoseconds: Int64 = 0
  private var isRunning = false

  /// - Parameter intervalMilliseconds: at least 1.
  init(
    host: any ProviderHost, requests: FlagRequest, subject: SynchronizedContext, intervalMilliseconds: Int64,
    listener: any FeedListener
  ) {
    self.host = host
    self.intervalMilliseconds = max(1, intervalMilliseconds)
    self.listener = listener
    retriesRefusals = requests.settings.retriesRefusals
    updatedUnixMilliseconds = subject.updatedUnixMilliseconds
    poll = FlagPoll(host: host, requests: requests, subject: subject) { [weak listener] message in
      listener?.feedBrings(message) ?? .refused("nobody listens")
    } answered: { [weak listener] headers in
      listener?.feedIsAnswered(headers)
    }
  }

  func start() {
    isRunning = true
    let wait = freshMilliseconds
    dueNanoseconds = host.clock.monotonicNanoseconds &+ wait &* 1_000_000
    guard wait > 0 else { return tick() }
    arm(afterMilliseconds: wait)
    listener?.feedFindsCacheFresh()
  }

  func end() {
    isRunning = false
    timer?.cancel()
    timer = nil
    poll.cancel()
  }

  var entityTag: String { poll.entityTag }

  func refresh() {
    poll.run { [weak self] outcome in
      guard let self, self.isRunning else { return }
      self.listener?.feedPolled(outcome)
      if self.retriesRefusals, case .failed(let status) = outcome, Refusal.isMeant(byStatus: status) { self.pause() }
    }
  }

  /// The next poll comes no sooner than a refused client may ask again.
  private func pause() {
    guard isRunning, intervalMilliseconds < Refusal.pauseMilliseconds else { return }
    timer?.cancel()
    dueNanoseconds = host.clock.monotonicNanoseconds &+ Refusal.pauseMilliseconds &* 1_000_000
    arm(afterMilliseconds: Refusal.pauseMilliseconds)
  }

  func abandonAfterFork() {
    isRunning = false
    timer = nil
    poll.abandonAfterFork()
  }

  /// How long what is served may go without a poll; the time comes from a file, and may be any number.
  private var freshMilliseconds: Int64 {
    guard let updatedUnixMilliseconds else { return 0 }
    let (age, overflow) = host.clock.unixMilliseconds.subtractingReportingOverflow(updatedUnixMilliseconds)
    return overflow || age < 0 || age >= intervalMilliseconds ? 0 : intervalMilliseconds - age
  }

  /// The rate does not follow how long answers take; turns that were missed are left out.
  private func tick() {
    guard isRunning else { return }
    let now = host.clock.monotonicNanoseconds
    let interval = intervalMilliseconds &* 1_000_000
    dueNanoseconds = dueNanoseconds &+ interval
    if dueNanoseconds <= now { dueNanoseconds = dueNanoseconds &+ ((now &- dueNanoseconds) / interval &+ 1) &* interval }
    arm(afterMilliseconds: (dueNanoseconds &- now) / 1_000_000)
    if !poll.isUnderWay { refresh() }
  }

  private func arm(afterMilliseconds wait: Int64) {
    timer = host.scheduler.schedule(afterMilliseconds: wait) { [weak self] in self?.tick() }
  }
}
