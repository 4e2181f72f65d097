internal import HoistBase
internal import HoistCore

/// Asks the prediction server which variation a visitor gets, and keeps what it chose (row OPT-94;
/// protocols/optimizely.md 3.7, 4.15).
///
/// For one visitor and one rule there is one request at a time: calls that come meanwhile wait, and share the answer
/// unless they have other attributes or ask not to use the cache. No thread is blocked.
final class PredictionService: Predictor, ClientPart, @unchecked Sendable {
  typealias Completion = @Sendable (SubjectContent.Prediction) -> Void

  private static let attempts = 2
  private static let retryMilliseconds: Int64 = 100
  private static let maximumResponseBytes = 1 << 20
  /// Questions that may wait; further ones are answered as failed.
  private static let maximumWaiting = 10_000
  private static let cacheOptions: DecideOptions = [.ignoreCMABCache, .resetCMABCache, .invalidateUserCMABCache]

  private struct Topic: Hashable {
    var user: [UInt8]
    var experiment: [UInt8]
    init(_ request: PredictionRequest) { (user, experiment) = (request.userID, request.experimentID) }
  }

  private struct Question {
    var request: PredictionRequest
    var options: DecideOptions
    var completion: Completion
  }

  private struct State {
    var cache: PredictionCache
    /// The first of each list is on its way to the server.
    var open: [Topic: [Question]] = [:]
    var waiting = 0
    var isStopped = false
    var generation: UInt32
  }

  /// A question, and what it came to.
  private typealias Answered = (question: Question, choice: PredictionCache.Choice?)

  private let host: any ProviderHost
  private let settings: PredictionSettings
  private let requests: OutgoingRequests
  private let lock = Lock()
  /// Guarded by `lock`.
  private var state: State
  /// Pauses before another attempt; the scheduler thread's.
  private var pauses: [Topic: any Cancellable] = [:]
  /// Told once per episode; the scheduler thread's.
  private var isFailing = false

  init(host: any ProviderHost, settings: PredictionSettings) {
    self.host = host
    self.settings = settings
    requests = OutgoingRequests(host: host)
    let cache = PredictionCache(capacity: settings.cacheCapacity, lifetimeMilliseconds: settings.cacheMilliseconds)
    state = State(cache: cache, generation: host.scheduler.generation)
  }

  /// Any thread. A cached choice completes within the call, others on the scheduler's thread.
  func predict(_ request: PredictionRequest, options: DecideOptions, completion: @escaping Completion) {
    let question = Question(request: request, options: options, completion: completion)
    let topic = Topic(request)
    let now = now
    let isOnline = host.isOnline
    enum Step {
      case tell(PredictionCache.Choice?)
      case ask
      case wait
    }
    let step: Step = withState { state in
      if state.waiting >= Self.maximumWaiting { return .tell(nil) }
      if state.open[topic] == nil {
        if let choice = state.cache.choice(for: request, options: options, at: now) { return .tell(choice) }
        if state.isStopped || !isOnline { return .tell(nil) }
      }
      state.waiting += 1
      defer { state.open[topic, default: []].append(question) }
      return state.open[topic] == nil ? .ask : .wait
    }
    switch step {
    case .tell(let choice): Self.tell((question, choice))
    case .ask: host.scheduler.post { [weak self] in self?.ask(topic, attempt: 1) }
    case .wait: break
    }
  }

  /// Asks the server the first open question. On the scheduler's thread.
  private func ask(_ topic: Topic, attempt: Int) {
    host.scheduler.assertCurrent()
    pauses[topic] = nil
    guard let (request, isStopped) = withState({ state in state.open[topic]?.first.map { ($0.request, state.isStopped) } })
    else { return }
    guard !isStopped, host.isOnline else { return conclude(topic, nil) }
    var exchange = HTTPRequest(
      method: "POST", url: request.url(endpoint: settings.endpoint),
      headers: [HTTPHeader("content-type", "application/json")], body: request.body)
    exchange.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    exchange.timeoutMilliseconds = settings.timeoutMilliseconds
    exchange.maximumResponseBytes = Self.maximumResponseBytes
    requests.send(exchange) { [weak self] answer in
      self?.heard(answer, topic, attempt, request.uuid)
    }
  }

  private func heard(_ answer: OutgoingRequests.Answer, _ topic: Topic, _ attempt: Int, _ uuid: String) {
    let response = try? answer.get()
    switch PredictionAnswer(status: response?.status, body: response?.body ?? []) {
    case .variation(let id):
      isFailing = false
      conclude(topic, PredictionCache.Choice(variationID: id, uuid: uuid))
    case .failed where attempt < Self.attempts && !withState({ $0.isStopped }):
      pauses[topic] = host.scheduler.schedule(afterMilliseconds: Self.retryMilliseconds) { [weak self] in
        self?.ask(topic, attempt: attempt + 1)
      }
    case .failed, .invalid:
      if !withState({ $0.isStopped }) { tellOfFailure(answer) }
      conclude(topic, nil)
    }
  }

  private func tellOfFailure(_ answer: OutgoingRequests.Answer) {
    let cause =
      switch answer {
      case .failure(let failure): "no answer: \(failure.message)"
      case .success(let response) where (200..<300).contains(response.status): "it answered what names no variation"
      case .success(let response): "it answered \(response.status)"
      }
    let message = "the prediction server could not be asked: \(cause)"
    if isFailing { host.log.debug(message) } else { host.log.warning("\(message) (further ones are told at level debug)") }
    isFailing = true
  }

  /// Completes all calls that the first request serves, and goes on with the next one.
  private func conclude(_ topic: Topic, _ choice: PredictionCache.Choice?) {
    let now = now
    let (answered, goesOn) = withState { state in Self.settle(topic, choice, in: &state, at: now) }
    if goesOn { host.scheduler.post { [weak self] in self?.ask(topic, attempt: 1) } }
    for answer in answered { Self.tell(answer) }
  }

  /// - Returns: the completions to call, and whether a request is still open.
  private static func settle(
    _ topic: Topic, _ choice: PredictionCache.Choice?, in state: inout State, at now: Int64
  ) -> (answered: [Answered], goesOn: Bool) {
    guard let questions = state.open.removeValue(forKey: topic), let first = questions.first else { return ([], false) }
    if let choice { state.cache.keep(choice, for: first.request, options: first.options, at: now) }
    let fingerprint = first.request.fingerprint
    let isShared = !first.options.contains(.ignoreCMABCache)
    var answered: [Answered] = [(first, choice)]
    var rest: [Question] = []
    for question in questions.dropFirst() {
      let isSame = question.request.fingerprint == fingerprint && question.options.isDisjoint(with: cacheOptions)
      if isShared, isSame { answered.append((question, choice)) } else { rest.append(question) }
    }
    // The next ones read the cache first.
    while let next = rest.first {
      guard let kept = state.cache.choice(for: next.request, options: next.options, at: now) else { break }
      answered.append((next, kept))
      rest.removeFirst()
    }
    state.waiting -= answered.count
    if !rest.isEmpty { state.open[topic] = rest }
    return (answered, !rest.isEmpty)
  }

  private static func tell(_ answer: Answered) {
    let choice = answer.choice
    answer.question.completion(
      SubjectContent.Prediction(
        experimentID: answer.question.request.experimentID,
        uuid: Array((choice?.uuid ?? answer.question.request.uuid).utf8), variationID: choice?.variationID))
  }

  private var now: Int64 { host.clock.monotonicNanoseconds / 1_000_000 }

  /// In a forked child the requests are the parent's, and none is waited for here.
  private func withState<Value>(_ body: (inout State) -> Value) -> Value {
    var inherited: [Topic: [Question]] = [:]
    defer { withExtendedLifetime(inherited) {} }
    let generation = host.scheduler.generation
    return lock.withLock {
      if state.generation != generation {
        inherited = state.open
        (state.open, state.waiting, state.generation) = ([:], 0, generation)
      }
      return body(&state)
    }
  }

  func start() { withState { $0.isStopped = false } }

  /// Completes all waiting calls.
  func stop() {
    host.scheduler.assertCurrent()
    withState { $0.isStopped = true }
    requests.cancelAll()
    let paused = pauses
    pauses = [:]
    for (topic, pause) in paused {
      pause.cancel()
      conclude(topic, nil)
    }
  }

  func abandonAfterFork() {
    requests.abandonAfterFork()
    pauses = [:]
  }
}

/// The source of a contextual bandit's choices (protocols/optimizely.md 4.15): the prediction service, or a test.
protocol Predictor: AnyObject, Sendable {
  /// - Parameter completion: once, on any thread, perhaps within the call. A prediction without a variation means that
  ///   the service could not be asked; the UUID is that of the request that was answered, which an earlier decision may
  ///   have made.
  func predict(
    _ request: PredictionRequest, options: DecideOptions,
    completion: @escaping @Sendable (SubjectContent.Prediction) -> Void)
}
