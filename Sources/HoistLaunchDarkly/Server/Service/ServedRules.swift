internal import HoistBase
internal import HoistCore

/// The rules of an environment, kept current and served while the client is online. On the scheduler's thread.
final class ServedRules: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let feed: RulesFeed
  private let synchronizer: Synchronizer
  private var table: ServerTable
  private var isRunning = false
  /// A whole set has come from the service.
  private(set) var isServing = false
  /// As the service calls it; nil before the first answer.
  private(set) var environmentID: String?

  init(host: any ProviderHost, feed: RulesFeed, synchronizer: Synchronizer) {
    self.host = host
    self.feed = feed
    self.synchronizer = synchronizer
    table = ServerTable(ServerResources(host.regex))
    synchronizer.delegate = self
  }

  func start() {
    isRunning = true
    host.report(.initialized)
    if isServing { host.report(.serving("rules of before are served")) }
    setOnline(host.isOnline)
  }

  func setOnline(_ isOnline: Bool) {
    guard isRunning else { return }
    guard isOnline else { return synchronizer.end() }
    host.report(.resumed)
    synchronizer.begin(feed, KnownFlags()) { _ in }
  }

  /// After a refusal attempts go on from here.
  func refresh() {
    guard isRunning, host.isOnline else { return }
    if synchronizer.isEnded { setOnline(true) } else { synchronizer.refresh() }
  }

  func stop() { isRunning = false }

  func abandonAfterFork() { isRunning = false }

  /// A change that comes before any whole set changes nothing.
  private func apply(_ message: FlagMessage, over old: Snapshot?) throws(FlagFailure) -> ServerUpdate {
    switch message {
    case .put(let text, let tag):
      try Self.read(text) { text throws(FlagFailure) in try table.put(text, tag == nil ? .put : .poll, over: old) }
    case .patch(let text):
      try Self.read(text) { text throws(FlagFailure) in
        if let old { try table.patch(text, of: old) } else { ServerUpdate() }
      }
    case .delete(let text):
      try Self.read(text) { text throws(FlagFailure) in
        if let old { try table.delete(text, of: old) } else { ServerUpdate() }
      }
    }
  }

  private static func read(
    _ text: [UInt8], _ body: (ByteView) throws(FlagFailure) -> ServerUpdate
  ) throws(FlagFailure) -> ServerUpdate {
    try text.withBytes { text in Result { () throws(FlagFailure) in try body(text) } }.get()
  }
}

extension ServedRules: SynchronizerDelegate {
  func take(_ message: FlagMessage) -> FlagOutcome {
    host.scheduler.assertCurrent()
    let result = host.withSnapshot { old in Result { () throws(FlagFailure) in try apply(message, over: old) } }
    switch result {
    case .failure(let failure): return .refused(failure.reason)
    case .success(let update):
      if let snapshot = update.snapshot { host.publish(snapshot, changed: update.changed) }
      let isOut = update.patch.map { host.publish($0, changed: update.changed) } ?? true
      if case .put = message { isServing = true }
      return isOut ? .applied : .refused(FlagFailure.tooLarge.reason)
    }
  }

  func environmentTold(_ id: String) { environmentID = id }
  func confirmed() {}
  func unauthorized() {}
  func streamShutDown() {}

  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool) {}
}
