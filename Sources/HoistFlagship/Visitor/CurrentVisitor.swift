internal import HoistCore

/// Sees to the flags of the visitor that the client speaks for: property `context`, `identify`, `refresh`. Where the service
/// decides, these are the client's flags, and a fetch that fails is tried again at a growing pace. On the scheduler's thread.
final class CurrentVisitor: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let visitors: FlagshipVisitorRegistry
  private var pace: RegularPace
  private var timer: (any Cancellable)?
  private var isRunning = false
  /// Also in the process this one was forked from.
  private var hasBegun = false

  init(host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, visitors: FlagshipVisitorRegistry) {
    self.host = host
    self.settings = settings
    self.status = status
    self.visitors = visitors
    pace = RegularPace(interval: 0, limit: settings.longestRetryMilliseconds)
  }

  private var decidesHere: Bool { settings.mode == .bucketing }

  // MARK: Life

  func start() {
    isRunning = true
    if !decidesHere {
      status.initialized()
      if settings.context == nil {
        visitors.shared.serveNobody()
        host.report(.ready("visitors can be made"))
      }
    }
    // A visitor that was made before the first start is fetched for when its host says so.
    if visitors.shared.current != nil {
      if hasBegun { refresh() }
    } else if let context = settings.context {
      visitors.identify(context) { _ in }
    }
    hasBegun = true
    guard !decidesHere else { return }
    let host = host
    visitors.installation.whenTold(withinMilliseconds: settings.visitors.lookUpTimeoutMilliseconds) { host.report(.initialized) }
  }

  func stop() {
    isRunning = false
    forgetFailures()
  }

  func abandonAfterFork() {
    isRunning = false
    timer = nil
  }

  func setOnline(_ isOnline: Bool) {
    forgetFailures()
    if isOnline { refresh() }
  }

  func refresh() {
    guard isRunning, !decidesHere, host.isOnline, let visitor = visitors.shared.current, let client = host.client else { return }
    timer?.cancel()
    timer = nil
    visitor.begin(client, visitors) { _ in }
  }

  // MARK: What becomes of the visitor; any thread

  /// Another visitor replaces the current one, whose flags are dropped.
  func isReplaced() {
    guard !decidesHere else { return }
    host.report(.emptied("another visitor has no flags yet"))
  }

  /// An earlier run has left flags of the visitor.
  func isFound() {
    guard !decidesHere else { return }
    host.report(.serving("flags of the visitor from the store are served"))
    host.report(.contextServed)
  }

  func fetchEnded(_ outcome: VisitorFetch) {
    guard !decidesHere else { return }
    switch outcome {
    case .decided:
      host.report(.answered("the service has decided for the current visitor"))
      host.scheduler.post { [weak self] in self?.forgetFailures() }
    case .failed(let failure): host.scheduler.post { [weak self] in self?.tryAgain(failure) }
    case .panic:
      host.report(.emptied("panic has taken the flags of the current visitor"))
      host.scheduler.post { [weak self] in self?.tryAgain(FetchFailure(.flagshipPanic, "", next: .slow)) }
    case .notStarted: break
    }
  }

  /// Found by any visitor: flags that the current one has taken are fetched again, unless the visitor's own fetch brings them.
  func panicEnded() {
    host.scheduler.post { [weak self] in
      if let self, visitors.shared.current?.snapshotOfState.content.progress == .panic { refresh() }
    }
  }

  private func forgetFailures() {
    timer?.cancel()
    timer = nil
    pace.reset()
  }

  private func tryAgain(_ failure: FetchFailure) {
    guard isRunning, host.isOnline, timer == nil,
      let pause = pace.failed(failure, hasFlags: false, host.entropy)
    else { return }
    timer = host.scheduler.schedule(afterMilliseconds: pause) { [weak self] in
      guard let self, isRunning else { return }
      timer = nil
      refresh()
    }
  }
}
