internal import HoistBase

/// One answer, and when its request was begun, in nanoseconds of the client's clock.
public struct FetchAnswer: Sendable {
  public let result: Result<HTTPResponse, TransportFailure>
  public let begunNanoseconds: Int64
  /// Which request of its fetch it answers, from 0.
  public let attempt: Int
}

/// A service's side of a fetch loop. Everything runs on the scheduler's thread.
public protocol FetchDelegate: AnyObject {
  /// The next request, without headers of the host's header provider; nil when its address cannot be built.
  func fetchRequest(of loop: FetchLoop) -> HTTPRequest?
  /// Sets the header provider's headers.
  func fetchAdds(_ headers: [HTTPHeader], to request: inout HTTPRequest)
  /// Reads an answer and serves what it brings; `conclude` runs once, at once or later on the same thread.
  func fetchAnswered(_ answer: FetchAnswer, of loop: FetchLoop, conclude: @escaping @Sendable (FetchVerdict) -> Void)
  /// Called at each end, before the completions.
  func fetchEnded(_ outcome: FetchOutcome, of loop: FetchLoop)
  /// Whether something is served already.
  var hasFlags: Bool { get }
}

extension FetchDelegate {
  public func fetchAdds(_ headers: [HTTPHeader], to request: inout HTTPRequest) {
    for header in headers { request.headers.set(header.name, header.value) }
  }
  public func fetchEnded(_ outcome: FetchOutcome, of loop: FetchLoop) {}
}

/// Fetches one thing now and then, and on demand: one exchange at a time, a pace that follows failures, late answers
/// that do no harm. On the scheduler's thread.
public final class FetchLoop: @unchecked Sendable {
  public typealias Completion = @Sendable (FetchOutcome) -> Void

  /// From where the time to the next fetch counts.
  public enum Timing: Sendable {
    /// From the end of a fetch.
    case fromEnd
    /// The whole seconds that a fetch took belong to the interval.
    case lessWholeSeconds
    /// At a fixed rate from the first on; turns that a fetch outlasts are left out.
    case fixedRate
  }

  public struct Options: Sendable {
    public var timing: Timing
    /// At most so much is added to each pause at random, in milliseconds.
    public var jitterMilliseconds: Int64 = 0
    /// The least time between the beginnings of fetches by `fetchAgain`.
    public var leastDistanceMilliseconds: Int64 = 0
    /// nil for the client's.
    public var transport: (any Transport)?
    public var headerProvider: (any HeaderProvider)?

    public init(timing: Timing = .fromEnd, headerProvider: (any HeaderProvider)?) {
      self.timing = timing
      self.headerProvider = headerProvider
    }
  }

  private let host: any ProviderHost
  private let options: Options
  private let requests: OutgoingRequests
  public weak var delegate: (any FetchDelegate)?
  private var pace: any FetchPace
  private var timer: (any Cancellable)?
  /// Moves on with each fetch, and when one is called off.
  private var generation = Generation()
  /// Of the newest fetch; nil before there was one.
  private var begunNanoseconds: Int64?
  private var waiting: [Completion] = []
  private var isWantedAgain = false
  /// Set while a repeated fetch waits for the least distance.
  private var distance: (any Cancellable)?
  /// While the loop is held, the due time of the fetch that would have begun; by the monotonic clock.
  private var dueNanoseconds: Int64?
  private var isHeld = false
  /// The next pause begins at a moment that many clients may share: a start, a wish of the host or of the service, the end of
  /// a hold. Chance decides how long it is, once.
  private var isInStep = false
  /// The appointed fetch is another attempt after a failure, not a turn that may be left out.
  private var followsFailure = false
  /// Before that the service wants no request; by the monotonic clock.
  private var askedNanoseconds = Int64.min
  /// Whether fetches follow each other.
  public private(set) var isRunning = false
  public private(set) var isFetching = false
  /// Whether a fetch is in flight or appointed.
  public var goesOn: Bool { isFetching || dueNanoseconds != nil }
  /// The service refuses for good: no fetch comes by itself.
  public private(set) var hasStopped = false

  public init(host: any ProviderHost, pace: any FetchPace, options: Options) {
    self.host = host
    self.pace = pace
    self.options = options
    requests = OutgoingRequests(host: host, transport: options.transport, headerProvider: options.headerProvider)
  }

  // MARK: Life

  /// Begins anew: the result of a fetch in flight is ignored.
  /// - Parameters:
  ///   - wait: milliseconds before the first fetch; nil for one pause of a good answer, 0 fetches now.
  ///   - completion: gets the first fetch's outcome; `.unchanged` at once where it is put off.
  public func start(after wait: Int64? = 0, completion: @escaping Completion = { _ in }) {
    stop()
    isRunning = true
    pace.reset()
    isInStep = true
    if wait == 0 { return fetch(completion) }
    let now = host.clock.monotonicNanoseconds
    if let wait { appoint(wait, from: now) } else if let pause = pace.succeeded() { schedule(pause, from: now) }
    completion(.unchanged)
  }

  /// Waiting completions get `.superseded`.
  public func stop() {
    isRunning = false
    cancel()
  }

  /// Cancels the fetch under way and the next one.
  public func cancel() {
    timer?.cancel()
    distance?.cancel()
    forget()
    requests.cancelAll()
    let abandoned = waiting
    waiting = []
    for completion in abandoned { completion(.superseded) }
  }

  /// Timers, requests and completions belong to the parent process.
  public func abandonAfterFork() {
    isRunning = false
    forget()
    waiting = []
    requests.abandonAfterFork()
  }

  private func forget() {
    timer = nil
    distance = nil
    dueNanoseconds = nil
    isFetching = false
    isWantedAgain = false
    hasStopped = false
    followsFailure = false
    askedNanoseconds = .min
    generation.advance()
  }

  /// While held no fetch begins by itself.
  /// - Parameter catchesUp: whether a fetch that has become due meanwhile begins at once afterwards; else it waits for the
  ///   next turn. One that follows a failure does not wait longer.
  public func hold(_ isHeld: Bool, catchesUp: Bool = true) {
    guard isHeld != self.isHeld else { return }
    self.isHeld = isHeld
    // The pause before another request is a part of the fetch under way.
    guard !isFetching else { return }
    timer?.cancel()
    timer = nil
    guard !isHeld, isRunning, let due = dueNanoseconds else { return }
    let now = host.clock.monotonicNanoseconds
    if due <= now, !catchesUp, !followsFailure, let pause = pace.succeeded() {
      isInStep = true
      schedule(pause, from: now)
    } else {
      arm(max(0, (due &- now) / 1_000_000))
    }
  }

  // MARK: Fetches

  /// Fetches out of turn, or joins the fetch in flight. Works without `start`, too: then no other one follows.
  public func fetch(_ completion: @escaping Completion = { _ in }) {
    waiting.append(completion)
    guard !isFetching else { return }
    isInStep = true
    begin()
  }

  private func begin() {
    timer?.cancel()
    timer = nil
    dueNanoseconds = nil
    distance?.cancel()
    distance = nil
    isFetching = true
    hasStopped = false
    generation.advance()
    begunNanoseconds = host.clock.monotonicNanoseconds
    ask(attempt: 0)
  }

  /// Fetches once more when the fetch in flight has ended, whose answer may be older than the reason for this call;
  /// where none is in flight now, or as soon as `leastDistanceMilliseconds` and the service allow (`Retry-After`). One fetch
  /// follows, however often this is called.
  public func fetchAgain() {
    if isFetching { return isWantedAgain = true }
    guard distance == nil else { return }
    let now = host.clock.monotonicNanoseconds
    let asked = askedNanoseconds > now ? (askedNanoseconds &- now) / 1_000_000 : 0
    let wait = max(options.leastDistanceMilliseconds &- millisecondsSinceBegun, asked)
    guard wait > 0 else { return fetch() }
    distance = host.scheduler.schedule(afterMilliseconds: wait) { [weak self] in
      guard let self, distance != nil else { return }
      distance = nil
      if !isFetching { fetch() }
    }
  }

  private var millisecondsSinceBegun: Int64 {
    guard let begunNanoseconds else { return .max >> 1 }
    return max(0, host.clock.monotonicNanoseconds &- begunNanoseconds) / 1_000_000
  }

  /// - Returns: whether a fetch is in flight; only then `completion` gets its outcome.
  public func join(_ completion: @escaping Completion) -> Bool {
    if isFetching { waiting.append(completion) }
    return isFetching
  }

  /// Of the fetch under way: what becomes of its answer later than at once counts only while `isUnderWay`.
  public var token: Generation.Token { generation.current }
  public func isUnderWay(_ token: Generation.Token) -> Bool { generation.isCurrent(token) }

  private func ask(attempt: Int) {
    guard let delegate, let request = delegate.fetchRequest(of: self) else {
      return finish(.failed(FetchFailure(.network, "the address cannot be built", next: .slow)))
    }
    let mine = generation.current
    let begun = host.clock.monotonicNanoseconds
    requests.send(request, merging: { [weak delegate] in delegate?.fetchAdds($0, to: &$1) }) { [weak self] result in
      guard let self, generation.isCurrent(mine), let delegate = self.delegate else { return }
      let answer = FetchAnswer(result: result, begunNanoseconds: begun, attempt: attempt)
      delegate.fetchAnswered(answer, of: self) { [weak self] verdict in
        if let self, generation.isCurrent(mine) { conclude(verdict, attempt) }
      }
    }
  }

  private func conclude(_ verdict: FetchVerdict, _ attempt: Int) {
    switch verdict {
    case .ended(let outcome): finish(outcome)
    case .again(0): ask(attempt: attempt + 1)
    case .again(let pause):
      let mine = generation.current
      timer = host.scheduler.schedule(afterMilliseconds: pause) { [weak self] in
        if let self, generation.isCurrent(mine) { ask(attempt: attempt + 1) }
      }
    }
  }

  private func finish(_ outcome: FetchOutcome) {
    isFetching = false
    let mine = generation.current
    let answered = waiting
    waiting = []
    // First the appointment: a delegate or a completion may make another one, or none.
    let isAgain = isWantedAgain
    isWantedAgain = false
    if let pause = pause(after: outcome), isRunning { schedule(pause, from: begin(of: pause, after: outcome)) }
    delegate?.fetchEnded(outcome, of: self)
    for completion in answered { completion(outcome) }
    if isAgain, generation.isCurrent(mine), !isFetching, !hasStopped { fetchAgain() }
  }

  private func pause(after outcome: FetchOutcome) -> Int64? {
    (followsFailure, askedNanoseconds) = (false, .min)
    switch outcome {
    case .updated, .unchanged, .empty: return pace.succeeded()
    case .superseded: return nil
    case .failed(let failure):
      (hasStopped, followsFailure) = (failure.next == .stop, true)
      if let asked = failure.retryAfterMilliseconds {
        askedNanoseconds = host.clock.monotonicNanoseconds &+ min(asked, 1 << 40) &* 1_000_000
      }
      return pace.failed(failure, hasFlags: delegate?.hasFlags ?? false, host.entropy)
    }
  }

  // MARK: Appointments

  /// From when the pause after a fetch counts: after a failure from now, unless it is the regular interval.
  private func begin(of pause: Int64, after outcome: FetchOutcome) -> Int64 {
    let now = host.clock.monotonicNanoseconds
    if case .failed(let failure) = outcome,
      failure.retryAfterMilliseconds != nil || pause != pace.intervalMilliseconds
    {
      return now
    }
    let begun = begunNanoseconds ?? now
    let took = max(0, now &- begun)
    switch options.timing {
    case .fromEnd: return now
    case .lessWholeSeconds: return now &- took / 1_000_000_000 &* 1_000_000_000
    case .fixedRate: return begun
    }
  }

  private func schedule(_ pause: Int64, from begin: Int64) {
    var pause = min(pause, 1 << 40)
    if isInStep { pause = followsFailure ? host.entropy.shortened(pause) : host.entropy.shifted(pause) }
    isInStep = false
    appoint(pause, from: begin)
  }

  private func appoint(_ pause: Int64, from begin: Int64) {
    let now = host.clock.monotonicNanoseconds
    let extra = options.jitterMilliseconds > 0 ? Int64(host.entropy.below(UInt64(options.jitterMilliseconds) + 1)) : 0
    let span = min(pause &+ extra, 1 << 40) &* 1_000_000
    var due = begin &+ span
    if options.timing == .fixedRate, due < now, span > 0 { due = due &+ ((now &- due) / span &+ 1) &* span }
    due = max(due, askedNanoseconds)
    dueNanoseconds = due
    if !isHeld { arm(max(0, (due &- now) / 1_000_000)) }
  }

  private func arm(_ milliseconds: Int64) {
    timer?.cancel()
    let mine = generation.current
    timer = host.scheduler.schedule(afterMilliseconds: milliseconds) { [weak self] in
      guard let self, generation.isCurrent(mine), isRunning, !isHeld, !isFetching else { return }
      timer = nil
      begin()
    }
  }
}
