internal import HoistBase
internal import HoistCore

/// Whom flags are kept fresh for, and what is known of them already.
struct SynchronizedContext: Sendable {
  var context: LDContext
  /// Of the cached flags; "" when there is none.
  var entityTag = ""
  /// When the cached flags were last confirmed, where that is known (5.10): the first poll may wait.
  var updatedUnixMilliseconds: Int64?
}

/// What a synchronizer tells, on the scheduler's thread.
protocol SynchronizerDelegate: AnyObject {
  func take(_ message: FlagMessage) -> FlagOutcome
  /// The message that was taken is served, and the connection's mode tells so.
  func served()
  /// What is served is up to date: the service says so (304), or it has been confirmed lately.
  func confirmed(byService: Bool)
  /// 401: the mobile key is refused, the client has to go offline.
  func unauthorized()
  /// The service has refused the stream for good; the client stays online, and flags stay.
  func streamShutDown(status: Int)
  /// Fetching flags has failed and is tried again; one line says why.
  func failed(_ problem: String)
}

/// Keeps the flags of one context fresh while the client is online (2.2, 2.3, 5.3). On the scheduler's thread.
final class Synchronizer: LaunchDarklyPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let requests: FlagRequest
  private let connection: ConnectionState
  weak var delegate: (any SynchronizerDelegate)?
  /// Told of each attempt to open the stream, for diagnostics (4.6).
  var triedStream: ((_ startedUnixMilliseconds: Int64, _ durationMilliseconds: Int64, _ failed: Bool) -> Void)?
  /// Told the environment's id as answers name it (4.5).
  var environmentTold: ((String) -> Void)?
  /// Whether polls follow the interval of the background (5.7); counts from the next `begin` on.
  var isInBackground = false
  private var feed: (any FlagFeed)?
  /// Of the feed that has ended.
  private var formerEntityTag: String?
  private var settled: (@Sendable (SynchronizerOutcome) -> Void)?
  /// What was told last of a failure: the same is not told twice in a row.
  private var lastProblem: String?

  init(host: any ProviderHost, settings: LaunchDarklySettings, headers: RequestHeaders, connection: ConnectionState) {
    self.host = host
    self.connection = connection
    requests = FlagRequest(settings: settings, headers: headers)
  }

  /// Goes online for a context; what was under way for another one counts no more.
  /// - Parameter settled: called once: with the first answer that settles what the flags are, or what ended the attempt.
  func begin(_ subject: SynchronizedContext, settled: @escaping @Sendable (SynchronizerOutcome) -> Void) {
    endFeed()
    formerEntityTag = nil
    settle(.superseded)
    self.settled = settled
    let settings = requests.settings
    connection.note(.goingOnline(streams: settings.streams))
    let feed: any FlagFeed =
      settings.streams
      ? StreamSource(host: host, requests: requests, subject: subject, listener: self)
      : PollSource(
        host: host, requests: requests, subject: subject,
        intervalMilliseconds: isInBackground ? settings.backgroundPollingMilliseconds : settings.pollingMilliseconds,
        listener: self)
    self.feed = feed
    feed.start()
  }

  /// Goes offline. `begin` may follow.
  func end() {
    endFeed()
    connection.note(.goingOffline)
    settle(.superseded)
  }

  /// Asks for all flags out of turn; offline nothing is asked.
  func refresh() { feed?.refresh() }

  func stop() { end() }

  func abandonAfterFork() {
    formerEntityTag = entityTag
    feed?.abandonAfterFork()
    feed = nil
    settled = nil
  }

  /// Of what the newest poll for this context has brought, also after the end; nil before there was a feed.
  var entityTag: String? { feed?.entityTag ?? formerEntityTag }

  private func endFeed() {
    let ended = feed
    formerEntityTag = entityTag
    feed = nil
    ended?.end()
    lastProblem = nil
  }

  private func settle(_ outcome: SynchronizerOutcome) {
    let waiting = settled
    settled = nil
    waiting?(outcome)
  }

  private func report(_ problem: String) {
    if lastProblem.map({ $0.utf8.elementsEqual(problem.utf8) }) == true {
      host.log.debug("fetching flags failed again: \(problem)")
    } else {
      host.log.warning("fetching flags failed: \(problem)")
    }
    lastProblem = problem
    delegate?.failed(problem)
  }
}

extension Synchronizer: FeedListener {
  func feedBrings(_ message: FlagMessage) -> FlagOutcome {
    guard let delegate else { return .refused("the client is gone") }
    let outcome = delegate.take(message)
    switch outcome {
    case .applied:
      lastProblem = nil
      // First: whoever waits for the client to be ready finds the mode that goes with it.
      connection.note(.flagsArrived)
      delegate.served()
      settle(.updated)
    case .refused(let problem):
      connection.noteBadData(problem, fromPoll: message.isPolled)
      // What a poll has brought is told with its end.
      if !message.isPolled { host.log.warning("a message of the service is ignored: \(problem)") }
    }
    return outcome
  }

  func feedPolled(_ outcome: PollOutcome) {
    switch outcome {
    // Told by what it brought, or by whoever called it off.
    case .updated, .cancelled: break
    // What was noted of the connection is noted already.
    case .malformed(let problem): report("the service's answer is ignored: \(problem)")
    case .confirmed: confirmed(byService: true)
    case .unauthorized: feedRefused()
    case .failed(let status):
      connection.note(.requestFailed(status: status))
      connection.failed(.response, status: status, "a poll is answered with status \(status)")
      report("the service answers with status \(status)")
    case .unreachable(let text):
      connection.note(.unreachable(text))
      connection.failed(.network, text)
      report(text)
    }
  }

  func feedFindsCacheFresh() { confirmed(byService: false) }

  private func confirmed(byService: Bool) {
    lastProblem = nil
    connection.note(.confirmed)
    delegate?.confirmed(byService: byService)
    settle(.confirmed)
  }

  func feedIsAnswered(_ headers: [HTTPHeader]) {
    if let id = headers.value(of: "X-LD-EnvID"), !id.isEmpty { environmentTold?(id) }
  }

  func feedTriedStream(startedUnixMilliseconds: Int64, durationMilliseconds: Int64, failed: Bool) {
    triedStream?(startedUnixMilliseconds, durationMilliseconds, failed)
  }

  func feedMetUnknownEvent(_ type: String) {
    connection.note(.streamFailed)
    host.log.debug("an unknown event of the stream is ignored: \(type.prefix(40))")
  }

  func feedLostStream(_ problem: String?, status: Int) {
    if let problem {
      connection.note(.streamFailed)
      connection.failed(status > 0 ? .response : .network, status: status, problem)
    }
    connection.note(.streamLost)
    if let problem { report(problem) }
  }

  func feedRefused() {
    endFeed()
    connection.note(.unauthorized)
    connection.failed(.response, status: 401, "the mobile key is refused")
    host.log.error("the service refuses the mobile key with status 401: the client goes offline")
    settle(.unauthorized)
    delegate?.unauthorized()
  }

  func feedShutDown(status: Int) {
    endFeed()
    connection.note(.streamFailed)
    connection.note(.streamShutDown)
    connection.failed(.response, status: status, "the stream is refused with status \(status)")
    host.log.error("the service refuses the stream with status \(status): flags are not updated until the client goes online anew")
    settle(.shutDown(status))
    delegate?.streamShutDown(status: status)
  }
}

extension FlagMessage {
  fileprivate var isPolled: Bool {
    if case .put(_, .some) = self { true } else { false }
  }
}
