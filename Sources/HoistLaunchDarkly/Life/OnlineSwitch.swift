internal import HoistBase
internal import HoistCore

/// What keeps flags fresh while the client is online: the `Synchronizer`.
protocol FlagConnection: AnyObject {
  func begin(_ subject: SynchronizedContext, settled: @escaping @Sendable (SynchronizerOutcome) -> Void)
  func end()
  /// Of what the newest poll for the subject has brought, also after the end; nil before there was any beginning.
  var entityTag: String? { get }
}

/// Whom the switch's steps concern. On the scheduler's thread.
protocol OnlineListener: AnyObject {
  /// A step from offline to online, or back.
  func onlineChanged(_ isOnline: Bool)
  /// Whether events may be sent, whenever that may have changed: also in the background, where flags are not kept fresh.
  func eventsMayGo(_ mayGo: Bool)
}

/// Going online and offline (5.3; LD-10 to LD-15). On the scheduler's thread but for what any thread may ask.
///
/// Every completion is called once: `.ok` when flags have come, are confirmed, or the client is offline; what ended the
/// attempt; `.superseded` when a newer call took the place of one that the throttle held back.
final class OnlineSwitch: ClientPart, @unchecked Sendable {
  typealias Completion = @Sendable (Status) -> Void

  private enum Attempt {
    case none
    /// Flags have not come yet.
    case waiting
    case settled
    /// The service refuses the stream; another try may be made.
    case shutDown
  }

  private struct Facts {
    var isStarted = false
    /// The start is still preparing the context, and goes online itself when it has it.
    var awaitsSubject = false
    var isOnline = false
    var hasCommunicated = false
  }

  private let host: any ProviderHost
  private let settings: LaunchDarklySettings
  private let connection: any FlagConnection
  private let throttle: Throttle
  private let facts = LockedValue(Facts())
  /// The context to go online with, if there is one yet.
  private(set) var subject: SynchronizedContext?
  weak var listener: (any OnlineListener)?
  /// Whether the host's program is in the foreground (5.7).
  private var isForeground = true
  /// The service has refused the mobile key since the last request to go online.
  private var isRefused = false
  private var hasToldOfEmptyKey = false
  private var attempt = Attempt.none
  /// Moves on with each attempt.
  private var generation = Generation()
  private var waiting: [Completion] = []

  init(host: any ProviderHost, settings: LaunchDarklySettings, connection: any FlagConnection) {
    self.host = host
    self.settings = settings
    self.connection = connection
    throttle = Throttle(scheduler: host.scheduler, clock: host.clock, entropy: host.entropy)
  }

  /// Any thread.
  var isOnline: Bool { facts.withLock { $0.isOnline } }
  /// Whether the service has been talked to, or the client has been offline (LD-11). Any thread.
  var isInitialized: Bool {
    facts.withLock { $0.isStarted && ($0.hasCommunicated || !$0.isOnline && !$0.awaitsSubject) }
  }
  /// Whether the client is to be online as soon as the throttle lets it.
  var isOnlineOrAboutToBe: Bool { isOnline || throttle.isWaiting }

  private var canGoOnline: Bool { subject != nil && mayGoOnline }

  private var mayGoOnline: Bool {
    facts.withLock { $0.isStarted } && !settings.mobileKey.isEmpty && (isForeground || settings.updatesInBackground)
  }

  // MARK: Life

  func start() {
    let awaitsSubject = subject == nil
    isRefused = false
    facts.withLock { $0 = Facts(isStarted: true, awaitsSubject: awaitsSubject) }
    tellWhetherEventsGo()
  }

  private func tellWhetherEventsGo() {
    let rests = !isForeground && host.isOnline && !isRefused && !settings.mobileKey.isEmpty && facts.withLock { $0.isStarted }
    listener?.eventsMayGo(isOnline || rests)
  }

  /// The start has found no context to go online with.
  func findsNoSubject() {
    facts.withLock { $0.awaitsSubject = false }
    goOffline { _ in }
  }

  func stop() {
    let ended = takeWaiting()
    throttle.cancel()
    disconnect()
    facts.withLock { $0 = Facts() }
    for completion in ended { completion(.cancelled) }
  }

  /// Completions and timers are the parent's.
  func abandonAfterFork() {
    throttle.abandonAfterFork()
    keepEntityTag()
    waiting = []
    attempt = .none
    generation.advance()
    facts.withLock { $0 = Facts() }
  }

  // MARK: Switching

  func setOnline(_ isOnline: Bool) { set(isOnline) { _ in } }

  func set(_ isOnline: Bool, completion: @escaping Completion) {
    if isOnline {
      isRefused = false
      tellWhatForbidsIt()
    }
    if isOnline, mayGoOnline, facts.withLock({ $0.awaitsSubject }) { return waiting.append(completion) }
    guard isOnline, canGoOnline else { return goOffline(completion) }
    host.report(.resumed)
    throttle.run { [weak self] in
      guard let self else { return completion(.cancelled) }
      // The state may have changed while the call was held back.
      if self.canGoOnline { self.goOnline(completion) } else { self.goOffline(completion) }
    } replaced: {
      completion(.superseded)
    }
  }

  /// The current context is another one from now on, or the same with other things known of it.
  /// - Returns: whether the client was online, or about to be: then `set` is to follow.
  func change(to subject: SynchronizedContext) -> Bool {
    let wasOnline = isOnlineOrAboutToBe
    facts.withLock { $0.awaitsSubject = false }
    throttle.cancel()
    disconnect()
    self.subject = subject
    return wasOnline
  }

  /// Tries again after attempts have ended; the throttle neither counts that nor holds it back.
  func refresh() {
    guard isRefused || attempt == .shutDown, host.isOnline, canGoOnline else { return }
    isRefused = false
    goOnline { _ in }
  }

  /// In the background the client is online only where that is allowed (LD-15).
  func setForeground(_ isForeground: Bool) {
    self.isForeground = isForeground
    guard facts.withLock({ $0.isStarted }) else { return }
    disconnect()
    let isWanted = host.isOnline && !isRefused
    // The start goes online itself.
    if isWanted, mayGoOnline, facts.withLock({ $0.awaitsSubject }) { return }
    // Not an attempt of the host: the throttle neither counts it nor holds it back (5.4, 5.7).
    if isWanted, canGoOnline { return goOnline { _ in } }
    goOffline { _ in }
    if !isForeground { host.report(.unconfirmed("in the background flags are not kept fresh")) }
  }

  /// Section 6, 5.3.
  private func tellWhatForbidsIt() {
    if settings.mobileKey.isEmpty {
      let text = "the mobile key is empty: the client stays offline"
      if hasToldOfEmptyKey { host.log.info(text) } else { host.log.warning(text) }
      hasToldOfEmptyKey = true
    } else if !isForeground, !settings.updatesInBackground {
      host.log.info("the client stays offline: it is in the background")
    }
  }

  /// The service has refused the mobile key (2.3, 2.5).
  func forceOffline() {
    isRefused = true
    goOffline({ _ in }, telling: .launchDarklyUnauthorized)
  }

  /// The service has ended the stream for good: the client stays online, and the next call tries again (2.5).
  func streamShutDown() {
    guard attempt != .none else { return }
    attempt = .shutDown
    for completion in takeWaiting() { completion(.launchDarklyStreamShutDown) }
  }

  private func goOnline(_ completion: @escaping Completion) {
    keepEntityTag()
    guard let subject else { return goOffline(completion) }
    let wasOnline = isOnline
    facts.withLock { $0.isOnline = true }
    if !wasOnline { listener?.onlineChanged(true) }
    tellWhetherEventsGo()
    switch attempt {
    case .settled: completion(.ok)
    case .waiting: waiting.append(completion)
    case .none, .shutDown:
      waiting.append(completion)
      attempt = .waiting
      let mine = generation.advance()
      host.report(.resumed)
      connection.begin(subject) { [weak self] outcome in
        if let self, generation.isCurrent(mine) { settled(outcome) }
      }
    }
  }

  /// Flags have come or are confirmed: said before anybody finds the client ready.
  func serviceHasSpoken() { facts.withLock { $0.hasCommunicated = true } }

  private func settled(_ outcome: SynchronizerOutcome) {
    switch outcome {
    case .updated, .confirmed:
      attempt = .settled
      serviceHasSpoken()
      for completion in takeWaiting() { completion(.ok) }
    case .unauthorized: forceOffline()
    case .shutDown: streamShutDown()
    case .superseded:
      attempt = .none
      for completion in takeWaiting() { completion(.superseded) }
    }
  }

  /// Completes the calls that wait for flags.
  private func goOffline(_ completion: Completion, telling status: Status = .ok) {
    let ended = takeWaiting()
    throttle.cancel()
    disconnect()
    facts.withLock { $0.hasCommunicated = true }
    for completion in ended { completion(status) }
    completion(status)
  }

  private func disconnect() {
    // What the connection says of its own end is of no interest.
    generation.advance()
    keepEntityTag()
    attempt = .none
    connection.end()
    let wasOnline = facts.withLock { facts in
      defer { facts.isOnline = false }
      return facts.isOnline
    }
    if wasOnline { listener?.onlineChanged(false) }
    tellWhetherEventsGo()
  }

  /// The next beginning asks what has changed since the newest poll, not since the cache was read (LD-85, 5.10).
  private func keepEntityTag() {
    if attempt != .none, let tag = connection.entityTag { subject?.entityTag = tag }
  }

  private func takeWaiting() -> [Completion] {
    defer { waiting = [] }
    return waiting
  }
}
