internal import HoistBase
internal import HoistCore
internal import Synchronization

/// Whom the rules' steps concern. On the scheduler's thread.
protocol RulesListener: OnlineListener {
  /// An attempt to open the stream has ended, for diagnostics.
  /// - Parameter start: when it began, in milliseconds since 1970.
  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool)
  /// Other rules are served.
  /// - Parameter keys: of the flags that the vendor's listeners are told of.
  func rulesChanged(_ keys: [String])
}

/// The rules of an environment, kept current and served while the client is online, and stored for the next run. On the
/// scheduler's thread.
final class ServedRules: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let feed: RulesFeed
  private let synchronizer: Synchronizer
  private let storage: DocumentStorage
  private let given: GivenDocument
  private var table: ServerTable
  private var isRunning = false
  /// What there is before the service has spoken has been read.
  private var hasBegun = false
  private var isOnline = false
  private var generation = Generation()
  /// Any rules are served.
  private(set) var isServing = false
  private let arrived = Atomic(false)
  private var saving: (any Cancellable)?
  private var lastSize = 0
  /// As the service calls it; nil before the first answer.
  private(set) var environmentID: String?
  weak var listener: (any RulesListener)?

  /// - Parameters:
  ///   - storageKey: nil keeps nothing.
  ///   - given: rules to start with, where none are stored.
  init(host: any ProviderHost, feed: RulesFeed, synchronizer: Synchronizer, storageKey: String?, given: GivenDocument) {
    self.host = host
    self.feed = feed
    self.synchronizer = synchronizer
    self.given = given
    storage = DocumentStorage(store: host.store, key: storageKey)
    table = ServerTable(ServerResources(host.regex))
    synchronizer.delegate = self
  }

  /// Whether a whole set has come from the service. Any thread.
  var hasArrived: Bool { arrived.load(ordering: .acquiring) }

  private var hasKey: Bool { !feed.settings.mobileKey.isEmpty }

  // MARK: Life

  func start() {
    isRunning = true
    let mine = generation.advance()
    if isServing {
      host.report(.serving("rules of before are served"))
      return begin()
    }
    storage.load { [weak self] stored in
      guard let self, isRunning, generation.isCurrent(mine) else { return }
      if let stored, !serve(stored.bytes, "the stored rules are served") { storage.remove() }
      if !isServing { serveGiven() }
      begin()
    }
  }

  private func begin() {
    hasBegun = true
    host.report(.initialized)
    setOnline(host.isOnline)
  }

  func setOnline(_ isOnline: Bool) {
    guard hasBegun else { return }
    let isWanted = isOnline && hasKey
    if isWanted {
      host.report(.resumed)
      synchronizer.begin(feed, KnownFlags()) { _ in }
    } else {
      synchronizer.end()
    }
    self.isOnline = isWanted
    listener?.eventsMayGo(isWanted)
    listener?.onlineChanged(isWanted)
    tellIfNothingFetches()
  }

  private func tellIfNothingFetches() {
    guard host.isOnline, !hasKey, !isServing else { return }
    host.report(.stopped(.configuration, "there is no SDK key, and no rules are given"))
  }

  /// After a refusal attempts go on from here; without a service the host's file is read again.
  func refresh() {
    guard hasBegun, host.isOnline || !hasKey else { return }
    host.report(.resumed)
    if !hasKey {
      serveGiven()
      return tellIfNothingFetches()
    }
    if synchronizer.isEnded || !isOnline { return setOnline(true) }
    // Events may have been refused.
    listener?.eventsMayGo(true)
    listener?.onlineChanged(true)
    synchronizer.refresh()
  }

  func stop() {
    (isRunning, hasBegun, isOnline) = (false, false, false)
    generation.advance()
    saveNow()
    listener?.eventsMayGo(false)
    listener?.onlineChanged(false)
  }

  func abandonAfterFork() {
    (isRunning, hasBegun, isOnline) = (false, false, false)
    generation.advance()
    saving = nil
  }

  // MARK: Rules that the service has not sent now

  /// Where nothing is fetched, rules that cannot be read are the host's to mend at once.
  func checkGiven() throws(ConfigurationFailure) {
    guard !hasKey, given.exists else { return }
    do throws(FetchFailure) {
      guard let document = try given.read(host.log) else { return }
      let rules = try ServerBootstrap.document(document)
      var table = ServerTable(ServerResources(nil))
      let read = rules.withBytes { text in Result { () throws(FlagFailure) in try table.put(text, .poll, over: nil) } }
      switch read {
      case .success(let update): update.snapshot?.destroy()
      case .failure(let failure): throw FetchFailure(.parse, failure.reason)
      }
    } catch {
      throw ConfigurationFailure("bootstrap", "the rules of bootstrap cannot be read: \(error.message)")
    }
  }

  private func serveGiven() {
    do throws(FetchFailure) {
      guard let document = try given.read(host.log) else { return }
      _ = serve(try ServerBootstrap.document(document), "the given rules are served")
    } catch {
      host.log.warning("the given rules are left aside: \(error.message)")
    }
  }

  /// - Parameter document: as polls bring it.
  /// - Returns: whether it can be read.
  private func serve(_ document: [UInt8], _ message: String) -> Bool {
    if case .refused(let problem) = apply(.put(document, entityTag: "")) {
      host.log.warning("rules that are not the service's are left aside: \(problem)")
      return false
    }
    host.report(.serving(message))
    return true
  }

  // MARK: What changes the rules

  private func apply(_ message: FlagMessage) -> FlagOutcome {
    let result = host.withSnapshot { old in Result { () throws(FlagFailure) in try update(message, over: old) } }
    switch result {
    case .failure(let failure): return .refused(failure.reason)
    case .success(let update):
      if let snapshot = update.snapshot { host.publish(snapshot, changed: update.changed) }
      let isOut = update.patch.map { host.publish($0, changed: update.changed) } ?? true
      if case .put = message { isServing = true }
      guard isOut else { return .refused(FlagFailure.tooLarge.reason) }
      listener?.rulesChanged(update.told)
      return .applied
    }
  }

  private func update(_ message: FlagMessage, over old: Snapshot?) throws(FlagFailure) -> ServerUpdate {
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

  // MARK: The store

  private func saveSoon() {
    guard hasKey, saving == nil else { return }
    saving = host.scheduler.schedule(afterMilliseconds: SavePace.pauseMilliseconds(bytes: lastSize)) { [weak self] in
      guard let self, saving != nil else { return }
      saveNow()
    }
  }

  private func saveNow() {
    guard let timer = saving else { return }
    timer.cancel()
    saving = nil
    guard let document = host.withSnapshot({ $0?.rulesDocument(tombstones: table.tombstones) }) else { return }
    lastSize = document.count
    storage.save(StoredDocument(bytes: document))
  }
}

extension ServedRules: SynchronizerDelegate {
  func take(_ message: FlagMessage) -> FlagOutcome {
    host.scheduler.assertCurrent()
    let isWhole = if case .put = message { true } else { false }
    // What changes is of a set that has come before it, and not of what is stored or given.
    guard isWhole || hasArrived else { return .refused("a change comes before the rules") }
    let outcome = apply(message)
    if outcome == .applied {
      arrived.store(true, ordering: .releasing)
      saveSoon()
    }
    return outcome
  }

  func environmentTold(_ id: String) { environmentID = id }
  func confirmed() {}
  func unauthorized() {}
  func streamShutDown() {}

  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool) {
    listener?.triedStream(startedUnixMilliseconds: start, durationMilliseconds: durationMilliseconds, failed: failed)
  }
}
