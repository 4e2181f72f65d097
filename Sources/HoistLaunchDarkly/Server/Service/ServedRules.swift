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
  func environmentTold(_ id: String)
  /// Where a store is all there is, it has been read.
  func storeIsRead()
}

/// The rules of an environment, kept current and served while the client is online, and stored for the next run, or shared with
/// other processes. On the scheduler's thread.
final class ServedRules: ClientPart, @unchecked Sendable {
  private static let watchMilliseconds: Int64 = 1_000
  let host: any ProviderHost
  private let feed: RulesFeed
  private let synchronizer: Synchronizer
  private let storage: DocumentStorage
  private var given: HostRules
  /// In place of `storage`.
  let shared: SharedRules?
  /// One process keeps `storage` for all.
  private let isOfFleet: Bool
  /// Nothing is asked of the service: the store is all there is (10.4).
  let isDaemon: Bool
  var table: ServerTable
  private var isRunning = false
  /// What there is before the service has spoken has been read.
  private var hasBegun = false
  private var isOnline = false
  /// Moves on with each start and stop.
  private(set) var generation = Generation()
  /// Any rules are served.
  var isServing = false
  let arrived = Atomic(false)
  private var saving: (any Cancellable)?
  /// The host's rules as the check of them has read them: to be served at the start, and not read once more.
  private var checked: (table: ServerTable, update: ServerUpdate)?
  /// Under way where much of what is served is stale.
  var relay: RulesRelay?
  var isRelayTurnPosted = false
  /// The host's rules were asked for, and are followed until the service has spoken.
  private var followsGiven = false
  private var watching: (any Cancellable)?
  private var hasWarned = false
  private var lastSize = 0
  /// Items of the store that were told of.
  var unreadable: Set<ItemName> = []
  weak var listener: (any RulesListener)?

  /// - Parameters:
  ///   - storageKey: nil keeps nothing.
  ///   - given: rules to start with, where none are stored.
  ///   - shared: nil for rules that are the process's own. Test data does without.
  ///   - sharing: one process fetches for all that share the client's store; nil where each does.
  init(
    host: any ProviderHost, feed: RulesFeed, synchronizer: Synchronizer, storageKey: String?, given: HostRules,
    shared: SharedRules? = nil, sharing: SharedFetch? = nil, isDaemon: Bool = false, bigSegments: (any BigSegments)? = nil
  ) {
    self.host = host
    self.feed = feed
    self.synchronizer = synchronizer
    self.given = given
    (self.shared, self.isDaemon) = given.data == nil ? (shared, isDaemon) : (nil, false)
    storage = DocumentStorage(store: host.store, key: given.data == nil ? storageKey : nil, shared: sharing)
    isOfFleet = sharing != nil
    table = ServerTable(ServerResources(host.regex, bigSegments: bigSegments))
    synchronizer.delegate = self
    self.shared?.owner = self
    sharing?.delegate = self
  }

  deinit { dropChecked() }

  /// Whether a whole set has come from the service, or the store where that is all there is. Any thread.
  var hasArrived: Bool { arrived.load(ordering: .acquiring) }

  var hasTestData: Bool { given.data != nil }
  private var hasKey: Bool { !feed.settings.mobileKey.isEmpty }
  /// Rules come from the service.
  private var isFed: Bool { hasKey && given.data == nil && !isDaemon }

  // MARK: Life

  func start() {
    isRunning = true
    let mine = generation.advance()
    given.data?.follow(self, host) { [weak self] in
      if let self, isRunning { serveGiven() }
    }
    if isServing, given.data == nil {
      host.report(.serving("rules of before are served"))
      shared?.begin {}
      return begin()
    }
    if let shared {
      return shared.begin { [weak self] in
        guard let self, isRunning, generation.isCurrent(mine) else { return }
        serveGivenFirst(unless: isServing)
      }
    }
    storage.load { [weak self] stored in
      guard let self, isRunning, generation.isCurrent(mine) else { return }
      guard let stored else { return serveGivenFirst(unless: isServing && given.data == nil) }
      put(stored.bytes) { [self] outcome in
        if let problem = note(outcome, "the stored rules are served") {
          host.log.warning("the stored rules are left aside: \(problem)")
          storage.remove()
        }
        serveGivenFirst(unless: isServing && given.data == nil)
      }
    }
  }

  private func serveGivenFirst(unless isServing: Bool) {
    if isServing { begin() } else { serveGiven { [self] in begin() } }
  }

  private func begin() {
    hasBegun = true
    dropChecked()
    if followsGiven { watch() }
    host.report(.initialized)
    setOnline(host.isOnline)
  }

  func setOnline(_ isOnline: Bool) {
    guard hasBegun else { return }
    let isWanted = isOnline && hasKey
    if isWanted {
      host.report(.resumed)
      if isFed { synchronizer.begin(feed, KnownFlags()) { _ in } }
    } else if !isDaemon {
      saveNow()
      synchronizer.end()
    }
    self.isOnline = isWanted
    listener?.eventsMayGo(isWanted)
    listener?.onlineChanged(isWanted)
    tellIfNothingFetches()
  }

  private func tellIfNothingFetches() {
    guard host.isOnline, !hasKey, !isServing, !isDaemon else { return }
    host.report(.stopped(.configuration, "there is no SDK key, and no rules are given"))
  }

  /// After a refusal attempts go on from here; without a service the host's file is read again.
  func refresh() {
    if isDaemon {
      shared?.refresh()
      return setOnline(host.isOnline)
    }
    guard hasBegun, host.isOnline || !isFed else { return }
    host.report(.resumed)
    hasWarned = false
    if !isFed { return serveGiven { [self] in tellIfNothingFetches() } }
    if synchronizer.isEnded || !isOnline { return setOnline(true) }
    // Events may have been refused.
    listener?.eventsMayGo(true)
    listener?.onlineChanged(true)
    synchronizer.refresh()
  }

  func stop() {
    (isRunning, hasBegun, isOnline) = (false, false, false)
    generation.advance()
    watching?.cancel()
    watching = nil
    relay = nil
    given.data?.unfollow(self)
    saveNow()
    shared?.stop()
    listener?.eventsMayGo(false)
    listener?.onlineChanged(false)
  }

  func abandonAfterFork() {
    (isRunning, hasBegun, isOnline) = (false, false, false)
    generation.advance()
    (saving, watching) = (nil, nil)
    relay = nil
    isRelayTurnPosted = false
    shared?.abandonAfterFork()
  }

  // MARK: Rules that the service has not sent now

  /// Where nothing is fetched, rules that cannot be read are the host's to mend at once.
  func checkGiven() throws(ConfigurationFailure) {
    guard !isFed, given.exists else { return }
    do throws(FetchFailure) {
      guard let rules = try given.read(host.log) else { return }
      var table = table
      let read = Result { () throws(FlagFailure) in
        try Self.read(rules) { text throws(FlagFailure) in try table.put(text, .poll, over: nil) }
      }
      switch read {
      case .success(let update): checked = (table, update)
      case .failure(let failure): throw FetchFailure(.parse, failure.reason)
      }
    } catch {
      throw ConfigurationFailure("bootstrap", "the rules of bootstrap cannot be read: \(error.message)")
    }
  }

  private func dropChecked() {
    checked?.update.snapshot?.destroy()
    checked = nil
  }

  /// What was checked, where it is the first that is served and still what the host has.
  private func takeChecked() -> ServerUpdate? {
    guard let (table, update) = checked, given.data == nil, !given.haveChanged, host.withSnapshot({ $0 == nil }) else {
      dropChecked()
      return nil
    }
    checked = nil
    self.table = table
    return update
  }

  /// - Parameter completion: when they are served, or left aside; not after a stop.
  private func serveGiven(_ completion: @escaping @Sendable () -> Void = {}) {
    followsGiven = true
    let message = "the given rules are served"
    if let update = takeChecked() {
      noteGiven(note(take(update), message))
      return completion()
    }
    do throws(FetchFailure) {
      guard let rules = try given.read(host.log) else { return completion() }
      put(rules) { [self] outcome in
        noteGiven(note(outcome, message))
        completion()
      }
    } catch {
      noteGiven(error.message)
      completion()
    }
  }

  private func noteGiven(_ problem: String?) {
    guard let problem else { return hasWarned = false }
    // A file that is being written is looked at again and again.
    if hasWarned { return }
    hasWarned = true
    host.log.warning("the given rules are left aside\(isServing ? ", and those of before stay" : ""): \(problem)")
  }

  /// Looks at the host's files, until the service has spoken.
  private func watch() {
    watching?.cancel()
    guard given.isWatched, !hasArrived else { return watching = nil }
    watching = host.scheduler.schedule(afterMilliseconds: Self.watchMilliseconds) { [weak self] in
      guard let self, watching != nil else { return }
      if !hasArrived, given.haveChanged { serveGiven() }
      watch()
    }
  }

  /// - Parameter outcome: of rules that the service has not sent now.
  /// - Returns: why they cannot be read; nil when they are served.
  private func note(_ outcome: FlagOutcome, _ message: String) -> String? {
    if case .refused(let problem) = outcome { return problem }
    if given.data == nil {
      host.report(.serving(message))
    } else {
      arrived.store(true, ordering: .releasing)
      host.report(.answered("test data is served"))
    }
    return nil
  }

  // MARK: What changes the rules

  /// A patch, or a delete.
  private func change(_ text: [UInt8], _ body: (ByteView, Snapshot) throws(FlagFailure) -> ServerUpdate) -> FlagOutcome {
    // What changes is of a set that has come before it, and not of what is stored or given.
    guard hasArrived else { return .refused("a change comes before the rules") }
    let result = host.withSnapshot { old in
      Result { () throws(FlagFailure) in
        try Self.read(text) { text throws(FlagFailure) in if let old { try body(text, old) } else { ServerUpdate() } }
      }
    }
    switch result {
    case .failure(let failure): return .refused(failure.reason)
    case .success(let update): return take(update, isWhole: false)
    }
  }

  func take(_ update: ServerUpdate, isWhole: Bool = true, isNews: Bool = false) -> FlagOutcome {
    let isOut = serve(update)
    if isWhole {
      isServing = true
      if isNews { shared?.writeAll() }
    } else if let item = update.item {
      shared?.write(item)
    }
    guard isOut else { return .refused(FlagFailure.tooLarge.reason) }
    listener?.rulesChanged(update.told)
    return .applied
  }

  /// - Returns: false when memory has run out.
  func serve(_ update: ServerUpdate) -> Bool {
    if let snapshot = update.snapshot { host.publish(snapshot, changed: update.changed) }
    let isOut = update.patch.map { host.publish($0, changed: update.changed) } ?? true
    relay(after: update)
    return isOut
  }

  static func read(
    _ text: [UInt8], _ body: (ByteView) throws(FlagFailure) -> ServerUpdate
  ) throws(FlagFailure) -> ServerUpdate {
    try text.withBytes { text in Result { () throws(FlagFailure) in try body(text) } }.get()
  }

  // MARK: The store

  private func saveSoon() {
    guard hasKey, shared == nil, saving == nil else { return }
    saving = host.scheduler.schedule(afterMilliseconds: SavePace.pauseMilliseconds(bytes: lastSize)) { [weak self] in
      guard let self, saving != nil else { return }
      saveNow()
    }
  }

  /// What a poll has brought is kept as it came: it may be what the store has.
  private func keep(_ text: [UInt8], _ entityTag: String) {
    dropSaving()
    storage.save(StoredDocument(bytes: text, entityTag: entityTag.isEmpty ? nil : entityTag))
  }

  private func dropSaving() {
    saving?.cancel()
    saving = nil
  }

  private func saveNow() {
    guard saving != nil else { return }
    dropSaving()
    guard let document = host.withSnapshot({ $0?.rulesDocument(tombstones: table.tombstones) }) else { return }
    lastSize = document.count
    storage.save(StoredDocument(bytes: document))
  }
}

extension ServedRules: SynchronizerDelegate {
  func take(
    _ message: FlagMessage, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FlagOutcome) -> Void
  ) {
    host.scheduler.assertCurrent()
    switch message {
    case .put(let text, let tag):
      put(text, tag == nil ? .put : .poll, isNews: true, isWanted: isWanted) { [self] outcome in
        completion(arrives(outcome, tag.map { (text, $0) }))
      }
    case .patch(let text): completion(arrives(change(text) { text, old throws(FlagFailure) in try table.patch(text, of: old) }))
    case .delete(let text): completion(arrives(change(text) { text, old throws(FlagFailure) in try table.delete(text, of: old) }))
    }
  }

  /// - Parameter polled: the whole set, as a poll has brought it, and its entity tag.
  private func arrives(_ outcome: FlagOutcome, _ polled: (text: [UInt8], tag: String)? = nil) -> FlagOutcome {
    if outcome == .applied {
      arrived.store(true, ordering: .releasing)
      if isOfFleet, let polled { keep(polled.text, polled.tag) } else { saveSoon() }
    }
    return outcome
  }

  func environmentTold(_ id: String) { listener?.environmentTold(id) }
  func confirmed() {}
  func unauthorized() {}
  func streamShutDown() {}

  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool) {
    listener?.triedStream(startedUnixMilliseconds: start, durationMilliseconds: durationMilliseconds, failed: failed)
  }
}

extension ServedRules: SharedFetchDelegate {
  var sharedName: String { "rules" }
  func sharedFetchIsDue() { if synchronizer.fetchIsDue() { saveSoon() } }
  func sharedFetchLeads(_ isLeading: Bool) { synchronizer.leadHasChanged() }
}
