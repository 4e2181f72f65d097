internal import HoistBase
internal import HoistCore

/// Fetches now and then: one request in flight, a pace that follows failures, generations that make late answers
/// harmless (protocol D.2, D.5). On the scheduler's thread.
final class Poller: @unchecked Sendable {
  typealias Completion = @Sendable (FetchOutcome) -> Void
  /// Begins one fetch; the outcome arrives on the scheduler's thread, once.
  typealias Fetch = (_ completion: @escaping Completion) -> Void

  private let scheduler: any Scheduler
  private let entropy: any Entropy
  private let jitterPercent: Int64
  private let mayRefreshKey: Bool
  private let fetch: Fetch
  private var pace: RetryPace
  private var timer: (any Cancellable)?
  private var generation: UInt64 = 0
  private var isFetching = false
  private var waiting: [Completion] = []
  private(set) var isRunning = false
  /// The key was refused: nothing is fetched before something changes.
  private(set) var isHalted = false

  /// - Parameter intervalMilliseconds: 0 never polls on its own.
  init(
    scheduler: any Scheduler, entropy: any Entropy, intervalMilliseconds: Int64, jitterPercent: Int64,
    mayRefreshKey: Bool, fetch: @escaping Fetch
  ) {
    self.scheduler = scheduler
    self.entropy = entropy
    self.jitterPercent = jitterPercent
    self.mayRefreshKey = mayRefreshKey
    self.fetch = fetch
    pace = RetryPace(intervalMilliseconds: intervalMilliseconds)
  }

  /// Begins anew: what is in flight counts no more. `completion` gets the first fetch's outcome.
  func start(fetchingNow: Bool, completion: @escaping Completion = { _ in }) {
    stop()
    isRunning = true
    pace.reset()
    if fetchingNow { fetchNow(completion: completion) } else { schedule(.after(milliseconds: pace.intervalMilliseconds)) }
  }

  func stop() {
    isRunning = false
    isHalted = false
    generation &+= 1
    isFetching = false
    timer?.cancel()
    timer = nil
    let abandoned = waiting
    waiting = []
    for completion in abandoned { completion(.superseded) }
  }

  /// Fetches out of turn; joins a fetch that is in flight.
  func fetchNow(completion: @escaping Completion = { _ in }) {
    waiting.append(completion)
    guard !isFetching else { return }
    timer?.cancel()
    isFetching = true
    isHalted = false
    let mine = generation
    fetch { [weak self] outcome in self?.finish(outcome, mine) }
  }

  /// - Returns: whether a fetch is in flight, whose outcome `completion` gets then.
  func join(_ completion: @escaping Completion) -> Bool {
    if isFetching { waiting.append(completion) }
    return isFetching
  }

  private func finish(_ outcome: FetchOutcome, _ mine: UInt64) {
    guard mine == generation else { return }
    isFetching = false
    let answered = waiting
    waiting = []
    switch outcome {
    case .updated, .unchanged, .empty: schedule(pace.succeeded())
    case .failed(let failure): schedule(pace.failed(failure, mayRefreshKey: mayRefreshKey))
    case .superseded: break
    }
    for completion in answered { completion(outcome) }
  }

  private func schedule(_ next: RetryPace.Next) {
    timer?.cancel()
    timer = nil
    isHalted = isRunning && next == .stop
    guard isRunning, pace.intervalMilliseconds > 0, case .after(let milliseconds) = next else { return }
    let jitter = pace.intervalMilliseconds * jitterPercent / 100
    let extra = jitter > 0 ? Int64(entropy.below(UInt64(jitter) + 1)) : 0
    timer = scheduler.schedule(afterMilliseconds: milliseconds + extra) { [weak self] in self?.tick() }
  }

  private func tick() {
    timer = nil
    if isRunning, !isFetching { fetchNow() }
  }
}
