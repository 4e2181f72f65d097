internal import HoistBase
internal import HoistCore

/// Supplies a client's flags: the host's own and those of an earlier run at once, then fetched ones (protocol D.1 to
/// D.3, D.5). On the scheduler's thread.
final class FlagSource: ClientPart, @unchecked Sendable {
  typealias Completion = FetchLoop.Completion

  /// What begins when the store has been read.
  struct Beginning {
    enum Kind: Equatable {
      case opening, start(isDelayed: Bool), context
    }
    let kind: Kind
    let completion: Completion
  }

  let host: any ProviderHost
  let options: UnleashSettings
  let loop: FetchLoop
  let shared: SharedFetch?
  let service: any FlagService
  private let publisher: FlagPublisher
  private let storage: FlagStorage
  lazy var saving = PacedWork(host: host) { [unowned self] in saveDocument() }
  private let events: UnleashEvents
  private let failures: UnleashFailure

  var isRunning = false
  private var nextStart = Beginning(kind: .start(isDelayed: false), completion: { _ in })
  private var beginnings: [Beginning] = []
  /// Of the store; `readKey` while it is being read.
  private var reading = Generation()
  private var readKey: String?
  /// Moves on with each stop and each change of the context: what was asked before counts no more.
  private var turn = Generation()
  private var isInherited = false

  /// Of the flags that are served, as the service sent it; "" for none. It names the answer's body, so it outlives a change
  /// of the context.
  private var entityTag = ""
  /// The store key of the served flags; nil while they are the host's own.
  private var servedKey: String?
  /// That of the newest change of the context.
  private var changeKey: String?
  private var hasFetched = false
  private var isBootstrapped = false
  /// The key or the address is refused.
  private var isRefused = false

  /// - Parameter context: the current one in frontend mode.
  init(
    host: any ProviderHost, options: UnleashSettings, service: any FlagService, publisher: FlagPublisher, events: UnleashEvents,
    failures: UnleashFailure, headerProvider: (any HeaderProvider)?, context: @escaping () -> FrontendContext?
  ) {
    self.host = host
    self.options = options
    self.service = service
    self.publisher = publisher
    self.events = events
    self.failures = failures
    storage = FlagStorage(store: host.store, options: options, context: context)
    var timing = FetchLoop.Options(headerProvider: headerProvider)
    timing.jitterMilliseconds = options.refreshSeconds * 10 * options.jitterPercent
    shared = options.mode == .backend ? SharedFetch.between(host, &timing, key: storage.key) : nil
    storage.shared = shared
    loop = FetchLoop(host: host, pace: shared?.pace(failures.pace) ?? failures.pace, options: timing)
    loop.delegate = self
    shared?.delegate = self
    service.connect(self)
  }

  var canFetch: Bool { host.isOnline && options.url != nil }
  private var hasSnapshot: Bool { host.withSnapshot { $0 != nil } }
  /// The store key of the flags that the newest request asks for: the host may have changed the context since.
  private var askedKey: String { storage.key(of: service.asked) }
  /// The flags of the current context are served, unless they are the host's own.
  var servesCurrentContext: Bool { servedKey == storage.key }

  // MARK: Life

  func open() {
    if hasSnapshot, !isInherited { reportServing("flags of before are served") }
    isInherited = false
    begin(Beginning(kind: .opening, completion: { _ in }))
  }

  /// What `start` does next.
  /// - Parameters:
  ///   - isDelayed: the first fetch is put off by one interval.
  ///   - completion: gets the first fetch's outcome; `.unchanged` at once where it is put off.
  func prepareStart(isDelayed: Bool, completion: @escaping Completion) {
    nextStart = Beginning(kind: .start(isDelayed: isDelayed), completion: completion)
  }

  func start() {
    let next = nextStart
    nextStart = Beginning(kind: .start(isDelayed: false), completion: { _ in })
    isRunning = true
    begin(next)
  }

  func stop() {
    isRunning = false
    let abandoned = beginnings
    forgetBeginnings()
    halt()
    for beginning in abandoned { beginning.completion(.superseded) }
  }

  private func forgetBeginnings() {
    beginnings = []
    readKey = nil
    reading.advance()
  }

  /// What is under way counts no more.
  private func halt() {
    saving.finish()
    turn.advance()
    service.end()
    loop.stop()
    shared?.stop()
  }

  var statistics: [(group: String, name: String, value: Int64)] { shared?.statistics ?? [] }

  func abandonAfterFork() {
    isRunning = false
    isInherited = true
    forgetBeginnings()
    turn.advance()
    saving.abandonAfterFork()
    service.abandonAfterFork()
    loop.abandonAfterFork()
    shared?.abandonAfterFork()
    publisher.release()
  }

  func setOnline(_ isOnline: Bool) {
    guard isRunning else { return }
    if !isOnline {
      halt()
      warnOffline()
    } else if readKey == nil, canFetch {
      shared?.start()
      service.begin(after: 0) { _ in }
    }
  }

  /// A fetch in flight will do, unless it fails: what it met may be over.
  func refresh() {
    let isInFlight = loop.isFetching
    fetch { [weak self] outcome in
      if isInFlight, outcome.mayBeTriedAgain { self?.fetch { _ in } }
    }
  }

  /// One fetch now; joins the one in flight.
  func fetch(_ completion: @escaping Completion) {
    guard options.url != nil else { return completion(.failed(failures.make(.unleashURL, "there is no url", .slow))) }
    guard host.isOnline else { return completion(.superseded) }
    loop.fetch(completion)
  }

  /// Something has changed that may make the service accept a key that it has refused (D.2).
  func retryRefused(_ completion: @escaping Completion) {
    if isRefused, loop.isRunning, canFetch { loop.start(completion: completion) } else { completion(.unchanged) }
  }

  // MARK: Beginnings

  /// The current context is another one: its stored flags are served at once, and its flags are fetched. The former flags
  /// serve until then.
  /// - Parameter joins: where that context's flags are being fetched already, because of an equal change, that is awaited.
  func contextChanged(to context: FrontendContext, joins: Bool, completion: @escaping Completion) {
    let key = storage.key(of: context)
    if joins, changeKey == key, askedKey == key, loop.join(completion) { return }
    changeKey = key
    halt()
    if options.dropsBootstrapOnUpdate, isBootstrapped { dropBootstrap() }
    if servesCurrentContext { host.report(.contextServed) }
    begin(Beginning(kind: .context, completion: completion))
  }

  private func begin(_ beginning: Beginning) {
    beginnings.append(beginning)
    let key = storage.key
    guard readKey != key else { return }
    readKey = key
    let mine = reading.advance()
    storage.load(key) { [weak self] stored in
      guard let self, reading.isCurrent(mine) else { return }
      guard let stored, wants(storedAs: key) else { return proceed(nil, key) }
      if servedKey == key { return proceed(StoredFlags(document: stored, read: nil), key) }
      let reader = service.reader(isFetched: true)
      host.compiler.compile(bytes: stored.bytes.count) {
        StoredFlags(document: stored, read: reader(stored.bytes))
      } completion: { [weak self] flags in
        if let self, reading.isCurrent(mine) { proceed(flags, key) } else { flags.read?.discard() }
      }
    }
  }

  private struct StoredFlags: Sendable {
    let document: StoredDocument
    /// nil where they are served.
    let read: Result<Snapshot, UnreadableFlags>?
  }

  private func proceed(_ stored: StoredFlags?, _ key: String) {
    readKey = nil
    let begun = beginnings
    beginnings = []
    let isFresh = adopt(stored, key, isContext: begun.contains { $0.kind == .context })
    host.report(.initialized)
    guard isRunning, canFetch else {
      if isRunning { warnOffline() }
      for beginning in begun { beginning.completion(.unchanged) }
      return
    }
    let isSpared = isFresh || isBootstrapped && options.bootstrapDelaysFetch
    let prompt = begun.filter { beginning in
      switch beginning.kind {
      case .opening: false
      case .start(let isDelayed): !isDelayed && !isSpared
      case .context: true
      }
    }
    // A start joins the fetch of a context that was given meanwhile.
    for beginning in begun where !prompt.contains(where: { $0.kind == beginning.kind }) { beginning.completion(.unchanged) }
    shared?.start()
    service.begin(after: prompt.isEmpty ? nil : 0) { outcome in
      for beginning in prompt { beginning.completion(outcome) }
    }
  }

  private func warnOffline() {
    if !hasSnapshot { host.log.warning("offline without bootstrap or stored flags: fallbacks are served") }
  }

  // MARK: Flags to begin with

  /// Serves the host's own flags. An empty list in frontend mode is none (D.3).
  /// - Returns: whether they are served; throws why they cannot be read.
  func adoptBootstrap(_ document: [UInt8], origin: String) throws(UnreadableFlags) -> Bool {
    if options.mode == .frontend, UnleashToggles.isEmptyList(document) { return false }
    switch service.read(document, isFetched: false) {
    case .success(let snapshot): publisher.serve(snapshot)
    case .failure(let problem): throw options.mode.misread(document) ?? problem
    }
    (isBootstrapped, servedKey, entityTag) = (true, nil, "")
    reportServing("flags from \(origin) are served")
    return true
  }

  /// What the service has said was about other flags.
  private func reportServing(_ message: String) {
    host.report(.serving(message))
    host.report(.unconfirmed(message))
  }

  /// Nothing is served until the next flags arrive.
  private func dropBootstrap() {
    guard case .success(let empty) = service.read(Array("{\"toggles\":[]}".utf8), isFetched: false) else { return }
    isBootstrapped = false
    publisher.serve(empty)
    publisher.clear()
    host.report(.emptied("bootstrapped flags are dropped with their context"))
  }

  /// Whether stored flags count, beside those that are served.
  private func wants(storedAs key: String) -> Bool {
    if hasFetched, servedKey == key { return false }
    return !isBootstrapped || !options.bootstrapOverrides || beginnings.contains { $0.kind == .context }
  }

  /// - Parameter isContext: they are another context's than those that are served.
  /// - Returns: whether the stored flags are young enough to spare the first fetch.
  private func adopt(_ stored: StoredFlags?, _ key: String, isContext: Bool) -> Bool {
    guard let stored else { return false }
    // A fetch may have been faster.
    if servedKey == key {
      stored.read?.discard()
      if hasFetched { return false }
    } else {
      switch stored.read {
      case .failure(let problem)?:
        host.log.warning("stored flags are not used: \(problem.message)")
        return false
      case .success(let snapshot)?:
        service.adopts(stored.document.bytes)
        publisher.serve(snapshot)
        storage.adopted(stored.document, key)
        (servedKey, entityTag, hasFetched) = (key, stored.document.entityTag ?? "", false)
        if isContext { isBootstrapped = false }
      case nil: return false
      }
    }
    let age = freshSeconds(stored.document)
    if let age, !isContext {
      events.confirmed(.ready("flags stored \(age) s ago are served"))
    } else {
      reportServing("flags from the store are served")
    }
    host.report(.contextServed)
    return age != nil && !isContext
  }

  /// nil when they are too old. The time comes from a file: it may be any number.
  private func freshSeconds(_ stored: StoredDocument) -> Int64? {
    let (age, overflow) = host.clock.unixMilliseconds.subtractingReportingOverflow(stored.savedUnixMilliseconds ?? .min)
    // Where a header provider brings the key, they may be another key's.
    guard !overflow, age >= 0, age < options.storageSeconds * 1000, !options.credential.isEmpty else { return nil }
    return age / 1000
  }
}

/// What fetches and the stream bring, in the vendor's order: flags, then the event, then the completion (D.1).
extension FlagSource: FetchDelegate {
  var hasFlags: Bool { hasSnapshot }

  func fetchRequest(of loop: FetchLoop) -> HTTPRequest? { service.request(entityTag: entityTag) }

  func fetchAdds(_ headers: [HTTPHeader], to request: inout HTTPRequest) { RequestHeaders.add(headers, to: &request) }

  /// The table of protocol B.5, in its order.
  func fetchAnswered(_ answer: FetchAnswer, of loop: FetchLoop, conclude: @escaping @Sendable (FetchVerdict) -> Void) {
    switch answer.result {
    case .failure(let failure): conclude(.ended(.failed(failures.transport(failure))))
    case .success(let response) where response.status == 304: conclude(.ended(.unchanged))
    case .success(let response):
      if let verdict = service.verdict(on: response) { return conclude(verdict) }
      if response.status != 200 { return conclude(.ended(.failed(failures.status(response)))) }
      let fetch = loop.token
      service.read(response) {
        loop.isUnderWay(fetch)
      } completion: { [self] read in
        switch read {
        case .failure(let problem): conclude(.ended(.failed(failures.decoding(problem.message))))
        case .success(let read?): serve(read) { conclude(.ended(.updated)) }
        case .success: conclude(.ended(.unchanged))
        }
      }
    }
  }

  func fetchEnded(_ outcome: FetchOutcome, of loop: FetchLoop) {
    switch outcome {
    case .updated: service.fetchSucceeded()
    case .unchanged:
      confirmed()
      service.fetchSucceeded()
    case .empty: passedOver()
    case .failed(let failure): failed(failure)
    case .superseded: break
    }
  }

  /// - Parameter then: when the host's own storage has them; never when other flags have replaced them.
  func serve(_ read: ReadFlags, then: @escaping @Sendable () -> Void = {}) {
    let mine = turn.current
    publisher.serve(read.snapshot) { [weak self] in
      self?.turn.isCurrent(mine) ?? false
    } then: { [weak self] hasChanges in
      self?.arrived(read.document, read.entityTag, hasChanges)
      then()
    }
  }

  /// Changes some of the flags that are served.
  /// - Returns: false when memory has run out.
  func serve(_ made: UnleashPatch) -> Bool {
    guard host.publish(made.patch, changed: made.changed) else { return false }
    arrived(nil, "", !made.changed.isEmpty)
    return true
  }

  private func arrived(_ document: [UInt8]?, _ tag: String?, _ hasChanges: Bool) {
    if let tag { entityTag = tag }
    if let document {
      saving.drop()
      save(document)
    } else {
      saving.ask()
    }
    (servedKey, hasFetched, isBootstrapped) = (askedKey, true, false)
    succeeded()
    events.fetched(
      .answered("flags have come from the \(isFollowing ? "store" : "service")"), isNews: hasChanges || options.notifiesUnchanged)
  }

  private func save(_ document: [UInt8]) {
    storage.save(document, under: askedKey, entityTag: entityTag, at: host.clock.unixMilliseconds)
  }

  /// - Returns: the pause until the next, in milliseconds.
  private func saveDocument() -> Int64 {
    guard let document = service.document else { return 0 }
    save(document)
    return SavePace.pauseMilliseconds(bytes: document.count)
  }

  private func succeeded() {
    isRefused = false
    events.lastFailure = .ok
  }

  /// The service confirms the flags of the request's entity tag for the current context.
  private func confirmed() {
    succeeded()
    guard hasFetched || !entityTag.isEmpty else { return host.report(.heard) }
    if options.mode == .frontend { storage.confirm(askedKey, at: host.clock.unixMilliseconds) }
    servedKey = askedKey
    events.confirmed(.answered("flags are up to date"))
  }

  /// An answer that the vendor ignores: no failure, and no confirmation of the flags of another context.
  private func passedOver() {
    succeeded()
    host.report(.heard)
    if hasSnapshot, !servesCurrentContext {
      host.report(.unconfirmed("the service has not answered with the flags of the current context"))
    }
  }

  func failed(_ failure: FetchFailure) {
    isRefused = failure.next == .slow
    events.lastFailure = failure.status
    host.report(failure.report)
  }
}
