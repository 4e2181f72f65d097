internal import HoistBase

/// The consequences of a change of a client's life, in the order of their notification.
public struct LifeNews: Sendable {
  public internal(set) var lines: [(level: LogLevel, text: String)] = []
  /// Why flags are served for the first time: the client's line says how many; nil where they are not.
  public internal(set) var readiness: String?
  public internal(set) var notifications: [Notification] = []
}

/// What is known of a client, and the state that follows from it. A value: `ClientLife` guards it.
struct LifeFacts {
  /// What the service said last.
  enum Word {
    case none, good, failed, stopped
  }

  private(set) var hasFlags = false
  private(set) var word = Word.none
  private var isSuspended = false
  /// The service takes no more events.
  private var hasStoppedSending = false
  /// Changes of the context that are under way, and whether their flags are awaited.
  private var contextChanges = 0
  /// Those of them that the provider has not taken up: what it says of a context is still of a former one.
  private var newContextChanges = 0
  private var awaitsContext = false
  /// Whether the flags of the context that was given last have been served since.
  private var hasReachedContext = true
  /// Which flags are served without a word of the service; nil for none.
  private var found: String?
  /// For the log.
  private let service: String
  var isOnline: Bool
  var isClosed = false
  // Once per start.
  private(set) var wasReady = false
  private(set) var wasInitialized = false
  private var hasAnswered = false
  /// The flags of the context that is being changed to have been announced.
  private var hasToldOfContext = true
  /// When the present episode of failures began, in nanoseconds of the monotonic clock.
  private var failingSince: Int64?
  /// In this episode the service has refused key or address.
  private var isRefused = false

  init(isOnline: Bool, service: String) {
    self.isOnline = isOnline
    self.service = service
  }

  var state: ClientState {
    if isClosed { return .closed }
    if word == .stopped || hasStoppedSending { return .fatal }
    if awaitsContext { return .reconciling }
    if isSuspended { return .error }
    if hasFlags { return word == .good && isOnline ? .ready : .stale }
    return word == .failed ? .error : .notReady
  }

  /// Whether a read finds flags.
  var servesFlags: Bool { !isClosed && hasFlags && !isSuspended }

  /// Resets what is announced once per start; nothing is served and no answer has come.
  mutating func begin() {
    self = LifeFacts(isOnline: isOnline, service: service)
  }

  mutating func take(_ report: LifeReport, at now: Int64) -> LifeNews {
    let before = state
    var news = LifeNews()
    var reason = ""
    switch report {
    case .initialized:
      if !wasInitialized {
        news.lines.append((.info, "opened: \(service): \(found ?? "store and bootstrap hold no flags")"))
        news.notifications.append(Notification(.initialized))
      }
      wasInitialized = true
    case .serving(let message):
      (hasFlags, found) = (true, message)
      reason = message
    case .unconfirmed(let message):
      if word == .good { word = .none }
      reason = message
    case .ready(let message):
      hasFlags = true
      word = .good
      reason = message
    case .answered(let message):
      recover(at: now, &news)
      (hasFlags, isSuspended, word) = (true, false, .good)
      if hasAnswered { news.notifications.append(Notification(.updated)) }
      hasAnswered = true
      reason = message
      // Where the change itself ended without flags.
      if contextChanges == 0 { tellOfContext(&news) }
    case .heard:
      recover(at: now, &news)
      (isSuspended, word) = (false, .good)
      reason = "the service answers"
    case .failed(let status, let message):
      word = .failed
      fail(status, message, failingSince == nil ? .warning : .debug, at: now, &news)
      reason = message
    case .refused(let status, let message):
      word = .failed
      fail(status, message, isRefused ? .debug : .error, at: now, &news)
      isRefused = true
      reason = message
    case .stopped(let status, let message):
      reason = Self.stopped(message)
      if word != .stopped { fail(status, reason, .error, at: now, &news) }
      word = .stopped
    case .stoppedSending(let message):
      reason = Self.stopped(message)
      if !hasStoppedSending { news.lines.append((.error, reason)) }
      hasStoppedSending = true
    case .resumed:
      if word == .stopped { word = .none }
      hasStoppedSending = false
      reason = "attempts go on"
    case .suspended(let message):
      recover(at: now, &news)
      (isSuspended, word) = (true, .good)
      reason = message
    case .emptied(let message):
      hasFlags = false
      reason = message
    case .contextServed:
      if newContextChanges == 0 { tellOfContext(&news) }
    }
    news.takeChange(from: before, to: state, reason, isFirstReady: becomesReady())
    return news
  }

  /// A change of the context begins; its end is still to be announced.
  mutating func beginContextChange() {
    contextChanges += 1
    newContextChanges += 1
    hasToldOfContext = false
  }

  /// From now on the provider speaks of the new context.
  mutating func takeUpContextChange() { newContextChanges = max(0, newContextChanges - 1) }

  /// Whether the context that was given last is served, so that the same one changes nothing.
  var isContextSettled: Bool { contextChanges == 0 && hasReachedContext }

  /// Changes of the context that have not ended yet wait for the service.
  mutating func awaitContext() { awaitsContext = contextChanges > 0 }

  /// - Parameter status: `.ok` when the flags of the new context are served.
  mutating func endContextChange(_ status: Status) -> LifeNews {
    let before = state
    var news = LifeNews()
    contextChanges = max(0, contextChanges - 1)
    if contextChanges == 0 { awaitsContext = false }
    hasReachedContext = status == .ok
    if status == .ok { tellOfContext(&news) }
    news.takeChange(from: before, to: state, "the context has changed", isFirstReady: becomesReady())
    return news
  }

  /// In a forked child: changes that were under way are the parent's.
  mutating func forgetContextChanges() {
    if contextChanges > 0 { hasReachedContext = false }
    contextChanges = 0
    newContextChanges = 0
    awaitsContext = false
  }

  /// The host has gone online or offline.
  mutating func change(_ reason: String, _ body: (inout LifeFacts) -> Void) -> LifeNews {
    let before = state
    var news = LifeNews()
    body(&self)
    news.takeChange(from: before, to: state, reason, isFirstReady: false)
    return news
  }

  private static func stopped(_ message: String) -> String {
    "\(message); attempts have stopped: refresh, set_online(true) or reopen start them again"
  }

  private mutating func becomesReady() -> Bool {
    guard servesFlags, !wasReady else { return false }
    wasReady = true
    return true
  }

  private mutating func tellOfContext(_ news: inout LifeNews) {
    if contextChanges == 0 { hasReachedContext = true }
    guard !hasToldOfContext else { return }
    hasToldOfContext = true
    news.lines.append((.info, "the flags of the new context are served"))
    news.notifications.append(Notification(.contextChanged))
  }

  private mutating func fail(_ status: Status, _ message: String, _ level: LogLevel, at now: Int64, _ news: inout LifeNews) {
    if failingSince == nil { failingSince = now }
    news.lines.append((level, message))
    for topic in [Topic.fetchFailed, .error] { news.notifications.append(Notification(topic, status: status, message: message)) }
  }

  private mutating func recover(at now: Int64, _ news: inout LifeNews) {
    guard let since = failingSince else { return }
    failingSince = nil
    isRefused = false
    let seconds = max(0, now &- since) / 1_000_000_000
    news.lines.append((.info, "recovered: the service answers again after \(seconds) s"))
    news.notifications.append(Notification(.recovered))
  }
}

extension LifeNews {
  fileprivate mutating func takeChange(from before: ClientState, to after: ClientState, _ reason: String, isFirstReady: Bool) {
    if isFirstReady {
      readiness = reason
      notifications.append(Notification(.ready, message: reason))
    }
    if before != after { notifications.append(Notification(.state, message: reason)) }
  }
}
