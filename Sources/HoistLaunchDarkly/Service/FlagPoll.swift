internal import HoistBase
internal import HoistCore

/// Asks for all flags (2.3), and keeps the entity tag of the last answer. With polling: at once, unless
/// the served flags are fresh, then at a fixed rate. With streaming: on request, and again after a failure. On the
/// scheduler's thread.
final class FlagPoll: @unchecked Sendable {
  /// What is asked for more often is asked for together.
  private static let leastDistanceMilliseconds: Int64 = 1000

  private let host: any ProviderHost
  private let feed: any FlagFeed
  private let connection: ConnectionState
  private let known: KnownFlags
  /// nil where flags are streamed.
  private let intervalMilliseconds: Int64?
  private weak var listener: (any FeedListener)?
  private let loop: FetchLoop
  /// As the service sent it; "" for none.
  private(set) var entityTag: String
  /// Of the answer that has ended the polls.
  private(set) var refusedStatus = 401
  /// The service has refused REPORT in this poll.
  private var fallsBackToGET = false

  init(
    host: any ProviderHost, feed: any FlagFeed, known: KnownFlags, intervalMilliseconds: Int64?,
    connection: ConnectionState, listener: any FeedListener, sharing: SharedFetch? = nil
  ) {
    self.host = host
    self.feed = feed
    self.connection = connection
    self.known = known
    self.intervalMilliseconds = intervalMilliseconds
    self.listener = listener
    entityTag = known.entityTag
    let pace: any FetchPace =
      intervalMilliseconds.map { PollPace(intervalMilliseconds: $0) }
      ?? RegularPace(interval: 0, limit: feed.settings.longestRetryMilliseconds)
    var options = FetchLoop.Options(timing: .fixedRate, headerProvider: host.plugins.headerProvider)
    options.leastDistanceMilliseconds = Self.leastDistanceMilliseconds
    options.transport = sharing
    loop = FetchLoop(host: host, pace: sharing?.pace(pace) ?? pace, options: options)
    loop.delegate = self
  }

  func start() {
    guard let intervalMilliseconds else { return loop.start(after: nil) }
    let wait = freshMilliseconds(intervalMilliseconds)
    loop.start(after: wait)
    if wait > 0 { listener?.feedFindsCacheFresh() }
  }

  func end() { loop.stop() }

  func abandonAfterFork() { loop.abandonAfterFork() }

  /// Polls now; where a poll is under way, once more after it, as its answer may be older than the request.
  func refresh() {
    if loop.isFetching { loop.fetchAgain() } else { loop.fetch() }
  }

  /// The same on request of the service, which may repeat it without limit.
  func ping() { loop.fetchAgain() }

  /// What is served did not come by a poll: the tag names something else.
  func forgetEntityTag() { entityTag = "" }

  /// How long the served flags are still fresh; the time comes from a file, and may be any number.
  private func freshMilliseconds(_ interval: Int64) -> Int64 {
    guard let updated = known.updatedUnixMilliseconds else { return 0 }
    let (age, overflow) = host.clock.unixMilliseconds.subtractingReportingOverflow(updated)
    return overflow || age < 0 || age >= interval ? 0 : interval - age
  }
}

extension FlagPoll: FetchDelegate {
  var hasFlags: Bool { true }

  private var asksByReport: Bool { feed.settings.usesReport && !fallsBackToGET }

  func fetchRequest(of loop: FetchLoop) -> HTTPRequest? {
    feed.poll(entityTag: entityTag, byReport: asksByReport)
  }

  func fetchAnswered(_ answer: FetchAnswer, of loop: FetchLoop, conclude: @escaping @Sendable (FetchVerdict) -> Void) {
    if asksByReport, case .success(let response) = answer.result, PollVerdict.repeatsWithGET(status: response.status) {
      fallsBackToGET = true
      return conclude(.again(afterMilliseconds: 0))
    }
    fallsBackToGET = false
    switch answer.result {
    case .success(let response):
      let poll = loop.token
      read(response) {
        loop.isUnderWay(poll)
      } completion: {
        conclude(.ended($0))
      }
    case .failure(let failure):
      if !feed.keepsEntityTag { forgetEntityTag() }
      connection.note(.unreachable(failure.message))
      connection.failed(.network, failure.message)
      conclude(.ended(.failed(FetchFailure(.network, failure.message))))
    }
  }

  func fetchEnded(_ outcome: FetchOutcome, of loop: FetchLoop) { listener?.feedPolled(outcome) }

  private func read(
    _ response: HTTPResponse, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FetchOutcome) -> Void
  ) {
    let verdict = feed.pollVerdict(status: response.status)
    if verdict == .use || verdict == .upToDate { listener?.feedIsAnswered(response.headers) }
    if verdict == .upToDate { return completion(.unchanged) }
    if !feed.keepsEntityTag { forgetEntityTag() }
    guard verdict == .use else { return completion(refused(response, verdict)) }
    guard let listener else { return completion(.superseded) }
    let tag = response.headers.value(of: "Etag") ?? ""
    listener.feedBrings(.put(response.body, entityTag: tag), isWanted: isWanted) { [self] outcome in
      switch outcome {
      case .applied:
        entityTag = tag
        completion(.updated)
      case .refused(let problem):
        completion(.failed(FetchFailure(.network, "the service's answer is ignored: \(problem)")))
      }
    }
  }

  private func refused(_ response: HTTPResponse, _ verdict: PollVerdict) -> FetchOutcome {
    let status = response.status
    let goesOn = feed.settings.retriesRefusals
    if verdict == .goOffline, !goesOn {
      refusedStatus = status
      return .failed(
        FetchFailure(.launchDarklyUnauthorized, "the service refuses the \(feed.keyName) with status \(status)", next: .stop))
    }
    connection.note(.requestFailed(status: status))
    connection.failed(.response, status: status, "a poll is answered with status \(status)")
    return .failed(
      FetchFailure(
        .network, "the service answers with status \(status)",
        next: goesOn && Refusal.isMeant(byStatus: status) ? .slow : .regular,
        retryAfterMilliseconds: response.retryAfterMilliseconds(host.clock)))
  }
}

/// Polls follow each other at a fixed rate, whatever their answers (2.3); refused ones more slowly.
struct PollPace: FetchPace {
  let intervalMilliseconds: Int64

  init(intervalMilliseconds: Int64) { self.intervalMilliseconds = max(1, intervalMilliseconds) }

  func succeeded() -> Int64? { intervalMilliseconds }

  func failed(_ failure: FetchFailure, hasFlags: Bool, _ entropy: any Entropy) -> Int64? {
    let asked = max(intervalMilliseconds, failure.retryAfterMilliseconds ?? 0)
    switch failure.next {
    case .stop: return nil
    case .regular: return asked
    case .slow: return max(asked, Refusal.pauseMilliseconds)
    case .after(let milliseconds): return max(asked, milliseconds)
    }
  }

  func reset() {}
}
