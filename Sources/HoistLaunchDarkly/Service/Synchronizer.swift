internal import HoistBase
internal import HoistCore

/// What is known of flags before they are asked for.
struct KnownFlags: Sendable {
  /// Of the cached flags; "" when there is none.
  var entityTag = ""
  /// When the cached flags were last confirmed, where that is known (5.10): the first poll may wait.
  var updatedUnixMilliseconds: Int64?
}

/// The context that flags are kept current for, and what is known of them already.
struct SynchronizedContext: Sendable {
  var context: LDContext
  var entityTag = ""
  var updatedUnixMilliseconds: Int64?
}

/// The owner of a synchronizer; called on the scheduler's thread.
protocol SynchronizerDelegate: AnyObject {
  /// See `FeedListener.feedBrings`.
  func take(
    _ message: FlagMessage, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FlagOutcome) -> Void)
  /// The service confirms the served flags (304).
  func confirmed()
  /// 401: the mobile key is refused, the client has to go offline.
  func unauthorized()
  /// The service has refused the stream for good; the client stays online, and flags stay.
  func streamShutDown()
  /// Answers name the environment (4.5).
  func environmentTold(_ id: String)
  /// An attempt to open the stream has ended, for diagnostics (4.6).
  /// - Parameter start: when it began, in milliseconds since 1970.
  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool)
}

/// Keeps the flags of one context, or the rules of an environment, fresh while the client is online (2.2, 2.3, 5.3). Where one process
/// fetches for all, it alone streams, and the polls of the others are answered from the store. On the scheduler's thread.
final class Synchronizer: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let requests: FlagRequest
  private let connection: ConnectionState
  private let sharing: SharedFetch?
  weak var delegate: (any SynchronizerDelegate)?
  /// Polls follow the interval of the background (5.7) from the next `begin` on.
  private var isForeground = true
  /// Both of one context; nil while offline.
  private var poll: FlagPoll?
  private var feed: (any FlagFeed)?
  private var stream: FlagStream?
  /// Of the poll that has ended.
  private var formerEntityTag: String?
  private var settled: (@Sendable (SynchronizerOutcome) -> Void)?

  /// - Parameter sharing: nil where each process fetches for itself.
  init(
    host: any ProviderHost, settings: LaunchDarklySettings, headers: RequestHeaders, connection: ConnectionState,
    sharing: SharedFetch? = nil
  ) {
    self.host = host
    self.connection = connection
    self.sharing = sharing
    requests = FlagRequest(settings: settings, headers: headers)
  }

  /// Goes online for a context; what was under way for another one counts no more.
  /// - Parameter settled: called once: with the first answer that settles what the flags are, or what ended the attempt.
  func begin(_ subject: SynchronizedContext, settled: @escaping @Sendable (SynchronizerOutcome) -> Void) {
    let known = KnownFlags(entityTag: subject.entityTag, updatedUnixMilliseconds: subject.updatedUnixMilliseconds)
    begin(ContextFeed(requests: requests, context: subject.context), known, settled: settled)
  }

  func begin(_ feed: any FlagFeed, _ known: KnownFlags, settled: @escaping @Sendable (SynchronizerOutcome) -> Void) {
    endFeed()
    formerEntityTag = nil
    settle(.superseded)
    self.settled = settled
    self.feed = feed
    connection.note(.goingOnline(streams: mayStream(feed)))
    sharing?.start()
    ask(feed, known)
  }

  private func mayStream(_ feed: any FlagFeed) -> Bool { feed.settings.streams && sharing?.isLeading ?? true }

  private func ask(_ feed: any FlagFeed, _ known: KnownFlags) {
    let (settings, streams) = (feed.settings, mayStream(feed))
    let interval = isForeground ? settings.pollingMilliseconds : settings.backgroundPollingMilliseconds
    let poll = FlagPoll(
      host: host, feed: feed, known: known, intervalMilliseconds: streams ? nil : interval,
      connection: connection, listener: self, sharing: sharing)
    self.poll = poll
    if streams {
      stream = FlagStream(host: host, feed: feed, listener: self)
    }
    stream?.start()
    poll.start()
  }

  /// This process is the one that fetches for all, or is it no longer.
  func leadHasChanged() {
    guard let feed, !isEnded, feed.settings.streams else { return }
    endFeed()
    connection.note(.takingTurns(streams: mayStream(feed)))
    ask(feed, KnownFlags())
  }

  /// The one that fetches for all is to fetch, or has fetched.
  /// - Returns: whether it has streamed, and the store has lost that.
  func fetchIsDue() -> Bool {
    guard let stream else {
      poll?.ping()
      return false
    }
    return stream.hasFlags
  }

  /// Goes offline. `begin` may follow.
  func end() {
    endFeed()
    sharing?.stop()
    connection.note(.goingOffline)
    settle(.superseded)
  }

  /// Nothing is asked for before the next beginning.
  var isEnded: Bool { poll == nil }

  /// Asks for all flags out of turn; offline nothing is asked.
  func refresh() { poll?.refresh() }

  func setForeground(_ isForeground: Bool) { self.isForeground = isForeground }

  func stop() { end() }

  func abandonAfterFork() {
    formerEntityTag = entityTag
    poll?.abandonAfterFork()
    stream?.abandonAfterFork()
    poll = nil
    stream = nil
    settled = nil
    sharing?.abandonAfterFork()
  }

  var statistics: [(group: String, name: String, value: Int64)] { sharing?.statistics ?? [] }

  /// Of what the newest poll for this context has brought, also after the end; nil before there was any.
  var entityTag: String? { poll?.entityTag ?? formerEntityTag }

  private func endFeed() {
    formerEntityTag = entityTag
    let (poll, stream) = (poll, stream)
    self.poll = nil
    self.stream = nil
    poll?.end()
    stream?.end()
  }

  /// The first good answer for the context.
  private func serve(_ outcome: SynchronizerOutcome) {
    // Later ones may come while the next context is on its way.
    if settled != nil { host.report(.contextServed) }
    settle(outcome)
  }

  private func settle(_ outcome: SynchronizerOutcome) {
    let waiting = settled
    settled = nil
    waiting?(outcome)
  }
}

extension Synchronizer: FeedListener {
  func feedBrings(
    _ message: FlagMessage, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FlagOutcome) -> Void
  ) {
    guard let delegate else { return completion(.refused("the client is gone")) }
    let isPolled = message.isPolled
    // The tag of a poll names what it brought, which this changes.
    if !isPolled { poll?.forgetEntityTag() }
    delegate.take(message, isWanted: isWanted) { [self] outcome in
      note(outcome, isPolled: isPolled)
      completion(outcome)
    }
  }

  private func note(_ outcome: FlagOutcome, isPolled: Bool) {
    switch outcome {
    case .applied:
      // First, so that a thread that waits for the client to be ready finds the matching mode.
      connection.note(.flagsArrived)
      host.report(.answered("flags have come from the \(sharing?.isFollowing == true ? "store" : "service")"))
      serve(.updated)
    case .refused(let problem):
      connection.noteBadData(problem, fromPoll: isPolled)
      // A poll's result is reported at its end.
      if !isPolled { host.report(.failed(.network, "a message of the stream cannot be read: \(problem)")) }
    }
  }

  func feedPolled(_ outcome: FetchOutcome) {
    switch outcome {
    // Already reported, by its result or by the call that ended it.
    case .updated, .superseded, .empty: break
    case .unchanged:
      delegate?.confirmed()
      confirmed(.answered("flags are up to date"))
    case .failed(let failure):
      if failure.next == .stop { feedRefused(status: poll?.refusedStatus ?? 401) } else { failed(failure) }
    }
  }

  /// It is tried again.
  private func failed(_ failure: FetchFailure) {
    var told = failure
    told.message = "fetching flags failed: \(failure.message)"
    host.report(told.report)
  }

  /// For the core the service has said nothing yet.
  func feedFindsCacheFresh() { confirmed(.unconfirmed("stored flags were confirmed lately")) }

  private func confirmed(_ report: LifeReport) {
    connection.note(.confirmed)
    host.report(report)
    serve(.confirmed)
  }

  func feedIsPinged() { poll?.ping() }

  func feedIsAnswered(_ headers: [HTTPHeader]) {
    if let id = headers.value(of: "X-LD-EnvID"), !id.isEmpty { delegate?.environmentTold(id) }
  }

  func feedTriedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool) {
    delegate?.triedStream(startedUnixMilliseconds: start, durationMilliseconds: durationMilliseconds, failed: failed)
  }

  func feedMetUnknownEvent(_ type: String) {
    connection.note(.streamFailed)
    host.log.debug("an unknown event of the stream is ignored: \(type.prefix(40))")
  }

  func feedLostStream(_ failure: FetchFailure?, status: Int) {
    if let failure {
      connection.note(.streamFailed)
      let isOpen = StreamVerdict(status: status) == .open
      connection.failed(status == 0 ? .network : isOpen ? .invalidData : .response, status: status, failure.message)
    }
    connection.note(.streamLost)
    if let failure { failed(failure) }
  }

  func feedRefused(status: Int) {
    endFeed()
    // Who asks no more leads no more.
    sharing?.stop()
    connection.note(.unauthorized)
    let (key, outcome): (StaticString, StaticString) = feed.map { ($0.keyName, $0.afterRefusal) } ?? ("key", "")
    connection.failed(.response, status: status, "the \(key) is refused")
    host.report(
      .stopped(.launchDarklyUnauthorized, "the service refuses the \(key) with status \(status): \(outcome)"))
    settle(.unauthorized)
    delegate?.unauthorized()
  }

  func feedShutDown(status: Int) {
    endFeed()
    sharing?.stop()
    connection.note(.streamFailed)
    connection.note(.streamShutDown)
    connection.failed(.response, status: status, "the stream is refused with status \(status)")
    host.report(
      .stopped(.launchDarklyStreamShutDown, "the service refuses the stream with status \(status): flags are not updated"))
    settle(.shutDown(status))
    delegate?.streamShutDown()
  }
}

extension FlagMessage {
  fileprivate var isPolled: Bool {
    if case .put(_, .some) = self { true } else { false }
  }
}
