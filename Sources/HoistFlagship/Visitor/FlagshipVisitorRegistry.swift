internal import HoistBase
internal import HoistCore

/// Makes the visitors of a client, and serves them: decisions, cache, reports. Knows which of them is shared (FS-31,
/// FS-32). Thread-safe, but for the calls of `ClientPart`.
final class FlagshipVisitorRegistry: ClientPart, @unchecked Sendable {
  /// How long a refusal waits until what it erases is gone.
  private static let refusalLimitMilliseconds: Int64 = 2_000

  let settings: FlagshipSettings
  let status: StatusMachine
  let automatic: AutomaticContext
  let host: any ProviderHost
  let decisions: DecisionService
  let caching: VisitorCaching
  let installation: InstallationFacts
  let reports: VisitorReports
  let shared: SharedVisitor
  let refusals: SubjectRefusals
  /// Who has agreed although the property says no.
  private let agreed = LockedValue(NotedSubjects())
  let open = OpenVisitors()
  /// The visitor that the last identify has made, and how many there were. On the scheduler's thread.
  weak var identified: FlagshipVisitor?
  var identifyCount: UInt64 = 0
  /// What follows visitors beside their own reports; set once, while the provider is made.
  var telemetry: Telemetry?
  var segments: VisitorSegments?
  weak var following: CurrentVisitor?
  /// How answers and kept campaigns are read.
  let campaignOptions: CampaignOptions

  init(
    host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, decisions: DecisionService,
    reports: VisitorReports, refusals: SubjectRefusals, automatic: AutomaticContext
  ) {
    self.host = host
    self.settings = settings
    self.status = status
    self.decisions = decisions
    self.reports = reports
    self.refusals = refusals
    self.automatic = automatic
    campaignOptions = settings.campaignOptions(host.log, automatic)
    let cache = host.plugins.vendor[FlagshipPlugins.visitorCache] as? any VisitorCache
    caching = VisitorCaching(
      cache: cache, host: host, timeoutMilliseconds: settings.visitors.lookUpTimeoutMilliseconds)
    installation = InstallationFacts(host: host, keepsIDs: settings.visitors.keepsGeneratedIDs)
    shared = SharedVisitor(
      host: host, status: status.cell, publishes: settings.mode == .decisionAPI, options: campaignOptions)
  }

  /// Whether campaigns are decided here, and not by the service (FS-06, FS-07).
  var decidesHere: Bool { settings.mode == .bucketing }
  /// Whether the account asks for reports of what visitors do; costs nothing to ask.
  @inline(__always)
  var reportsUsage: Bool { telemetry?.isAsked ?? false }
  var now: Int64 { host.clock.monotonicNanoseconds }

  // MARK: Fetching

  /// - Parameters:
  ///   - call: when it is called off, `completion` does not run.
  ///   - completion: once; at once in bucketing mode, else on the scheduler's thread.
  func decide(_ state: VisitorState, _ call: FetchCall?, completion: @escaping @Sendable (VisitorFetch) -> Void) {
    if decidesHere { return completion(decideHere(state)) }
    if status.current == .notInitialized { return completion(.notStarted) }
    let request = DecisionRequest(
      visitorID: state.identity.visitorID, anonymousID: state.identity.anonymousID, hasConsented: state.hasConsented,
      contextJSON: ContextText.json(state.context))
    let (decisions, options, log, telemetry) = (decisions, campaignOptions, host.log, telemetry)
    host.scheduler.post {
      decisions.fetch(request, call) { result in
        switch result {
        case .failure(let failure): completion(.failed(failure))
        case .success(let answer):
          if answer.isPanic { return completion(.panic) }
          do throws(CampaignFailure) {
            completion(.decided(try DecidedFlags(.answer(answer.bytes), for: state, options)))
          } catch {
            log.warning(error.message)
            telemetry?.caught(error.message, of: state)
            completion(.failed(FetchFailure(.flagshipFetchFailed, error.message)))
          }
        }
      }
    }
  }

  /// In bucketing mode.
  func decideHere(_ state: VisitorState) -> VisitorFetch {
    switch status.current {
    case .notInitialized: return .notStarted
    case .panic: return .panic
    case .initializing, .initialized: break
    }
    let fetched = host.withSnapshot { snapshot -> DecidedFlags?? in snapshot.map { DecidedFlags($0, for: state) } }
    guard let fetched else {
      let failure = FetchFailure(.flagshipNotInitialized, "flags cannot be fetched: no bucketing file has come yet")
      host.log.warning(failure.message)
      return .failed(failure)
    }
    guard let decided = fetched else {
      host.noteExcess(of: "all flags of a visitor")
      return .failed(FetchFailure(.flagshipFetchFailed, CampaignFailure.tooCostly.message))
    }
    return decided.flags.isPanic ? .panic : .decided(decided)
  }

  /// What follows each fetch, also one that failed (5.3), before its completion.
  func fetchEnded(_ visitor: FlagshipVisitor, _ state: VisitorState, _ outcome: VisitorFetch) {
    switch outcome {
    case .decided(let decided): shared.flagsChanged(of: visitor, decided.flags, decided.source)
    case .panic: shared.flagsChanged(of: visitor, .none, nil)
    case .failed: break
    case .notStarted: return
    }
    if status.current != .panic { telemetry?.fetched(state) }
    keep(state, of: visitor)
    // Its observer may close the client at once.
    if shared.current === visitor { following?.fetchEnded(outcome) }
  }

  /// Also while the client closes, which the status follows when nothing more is under way.
  private func keep(_ state: VisitorState, of visitor: FlagshipVisitor) {
    guard state.hasConsented, status.current != .panic, status.current != .notInitialized else { return }
    if caching.isOn { caching.save(state.identity.visitorID) { visitor.recordToKeep(state) } }
    // Without consent, and in panic, nothing is reported to the service (FS-65), and nothing twice (FS-206).
    guard decidesHere, visitor.claimReport(of: state.context) else { return }
    let status = reports.hits.segment(state.context, of: state.identity, hasConsented: visitor.hasConsented)
    if !status.isTaken { visitor.forgetReport() }
  }

  // MARK: What visitors say of themselves

  /// Of a visitor of whom the host may have said nothing: never another visitor's answer (contract 3).
  func consent(of id: [UInt8]) -> Bool {
    !refusals.contains(id) && (settings.visitors.hasConsented || agreed.withLock { $0.contains(id) })
  }

  /// Of whom another client or process has stored a refusal.
  func adoptRefusals(of ids: [[UInt8]]) {
    for visitor in open.all where ids.contains(visitor.id) { visitor.adoptRefusal() }
  }

  private func note(_ hasConsented: Bool, of identity: VisitorIdentity) {
    for id in identity.allIDs { refusals.note(id, isRefusal: !hasConsented) }
    if settings.visitors.hasConsented { return }
    agreed.withLock { agreed in
      if hasConsented { return agreed.insert(identity.visitorID) }
      for id in identity.allIDs { agreed.remove(id) }
    }
  }

  /// Consent given or refused, also by a new visitor (5.6). May wait for what a refusal erases, where hits are stored
  /// at once.
  /// - Parameters:
  ///   - isForgiven: whether the look-up of a new visitor has forgiven a refusal that is stored under its id.
  ///   - isReported: whether it is reported to the service (5.1).
  func consentGiven(_ hasConsented: Bool, _ identity: VisitorIdentity, isForgiven: Bool = false, isReported: Bool) {
    if hasConsented {
      // Under every id, as a refusal is stored: any client or process may have stored it.
      for id in identity.allIDs.dropLast(isForgiven ? 1 : 0) { caching.forgetRefusal(of: id) }
    }
    note(hasConsented, of: identity)
    if hasConsented {
      if isReported { reports.consent(true, identity) }
      return
    }
    let deadline = Deadline.nanoseconds(afterMilliseconds: Self.refusalLimitMilliseconds)
    for id in identity.allIDs { caching.flush(id) }
    if reports.hits.waitsForStore, !Thread.isOwn { caching.settle(withinMilliseconds: Self.refusalLimitMilliseconds) }
    // The consent hit comes after everything else has gone: once it is in the store, so is that, and neither a crash nor a
    // kill brings it back (FS-66, FS-67).
    refusals.purge(identity.allIDs, waitsForStoreUntil: deadline, waitsForLast: !isReported)
    if isReported { reports.consent(false, identity, waitsForStoreUntil: deadline) }
  }

  // MARK: Life

  func start() {
    installation.start()
    caching.start()
    refusals.start()
  }

  func stop() {
    shared.forget()
    caching.stop()
  }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) { caching.flush(completion) }

  func abandonAfterFork() {
    caching.abandonAfterFork()
    installation.abandonAfterFork()
  }

  var statistics: [(group: String, name: String, value: Int64)] { caching.statistics }
}

extension FlagshipVisitorRegistry: StatusFollower {
  func statusChanged(from before: SDKStatus, to now: SDKStatus) {
    shared.statusChanged()
    guard before == .panic || now == .panic else { return }
    reports.activates.setPanic(now == .panic)
    reports.hits.setPanic(now == .panic)
    if before == .panic { following?.panicEnded() }
  }
}
