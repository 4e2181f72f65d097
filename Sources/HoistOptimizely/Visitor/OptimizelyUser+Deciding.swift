internal import CShims
public import HoistBase
internal import HoistCore

/// Decisions (`OPT-47`, `OPT-60`). No lock is held meanwhile, and only the host's profile service may block.
extension OptimizelyUser {
  public func decide(_ key: ByteView, _ options: DecideOptions) -> OwnedDecision {
    call(options, needsProfile: { $0.find(key).map { OptimizelyFlags.hasExperiments($0) } ?? false }) { $0.decide(key) }
      ?? OwnedDecision(notReady: key)
  }

  /// The decisions of some flags, each once; none from a client that is not ready.
  public func decide(keys: [[UInt8]], _ options: DecideOptions) -> OwnedDecisions {
    OwnedDecisions(call(options, needsProfile: { _ in true }) { $0.decide(keys: keys) } ?? notReady("decideForKeys"))
  }

  /// The decisions of all flags in the order of the datafile; none from a client that is not ready.
  public func decideAll(_ options: DecideOptions) -> OwnedDecisions {
    OwnedDecisions(call(options, needsProfile: { _ in true }) { $0.decideAll() } ?? notReady("decideAll"))
  }

  /// How the user comes to a flag, as a JSON object; nil from a client that is not ready, and for an unknown flag.
  public func explanation(_ key: ByteView) -> [UInt8]? {
    call([], needsProfile: { $0.find(key).map { OptimizelyFlags.hasExperiments($0) } ?? false }) { $0.explain(key) } ?? nil
  }

  private func notReady(_ call: StaticString) -> [OwnedDecision] {
    _ = withClient { $1.log.warning("\(call): \(DecisionReason.sdkNotReady.text)") }
    return []
  }

  /// - Parameter needsProfile: whether a profile can matter; the host's service is asked in any case (4.6).
  @inline(__always)
  private func call<Result>(
    _ options: DecideOptions, needsProfile: (Snapshot) -> Bool, _ body: (inout DecideCall) -> Result
  ) -> Result? {
    withClient { client, services in
      let options = options.union(services.defaultOptions)
      let usesProfile = !options.contains(.ignoreUserProfileService)
      // Before the reading section: it is host code.
      var profile = usesProfile && services.profiles.isHosts ? lookUpProfile(services) : nil
      let usesCache = usesProfile && !services.profiles.isHosts
      let outcome = withSnapshot(of: client) { snapshot, owner -> (Result, DecideEffects)? in
        let user = owner.context.targetingKey ?? .noBytes
        if usesCache, needsProfile(snapshot) {
          profile = services.profiles.lookUp(user, hash: owner.context.head.pointee.keyHash)
        }
        let forced = services.forcedVariations.entry(of: user, hash: owner.context.head.pointee.keyHash)
        let notes = owner.notes._withUnsafeGuaranteedRef { $0.state }
        return SubjectState.with(notes, forced, profile) { state in
          var call = DecideCall(
            snapshot: snapshot, context: owner.context, state: state, options: options, origin: services.originPort,
            wanted: services.notifications.wanted, owner: owner)
          let result = body(&call)
          return (result, call.effects)
        }
      }
      guard let (result, effects) = outcome ?? nil else { return nil }
      services.apply(effects, user: { id }, lookedUp: profile)
      return result
    } ?? nil
  }

  func lookUpProfile(_ services: VisitorServices) -> StoredProfile? {
    let id = id
    return id.withBytes { services.profiles.lookUp($0, hash: Hash64.hash($0)) }
  }

  /// Runs `body` in a reading section with what is served and the user as it is now.
  /// - Returns: nil when nothing is served.
  @inline(__always)
  func withSnapshot<Result>(of client: Client, _ body: (Snapshot, OwnedDecision.Owner) -> Result) -> Result? {
    let slot = shim_enter()
    defer { shim_leave(slot) }
    guard let base = shim_load_pointer(&client.hot.pointee.snapshot), let notes = notes.current,
      let context = shim_load_pointer(&attributes.subject.pointee.frozen).map({ UnsafeRawPointer($0) }) ?? attributes.freeze()
    else { return nil }
    let owner = OwnedDecision.Owner(
      user: Unmanaged.passUnretained(self), context: FrozenContext(context), notes: notes)
    return body(Snapshot(UnsafeRawPointer(base)), owner)
  }
}

extension SubjectState {
  /// Merges the user's profile, notes and predictions for the length of `body`.
  /// - Parameter notes: the state of the user's notes.
  @inline(__always)
  static func with<Result>(
    _ notes: UnsafeRawPointer?, _ forced: ForcedVariations.Entry?, _ profile: StoredProfile?,
    predictions: OptimizelySubject? = nil, _ body: (UnsafeRawPointer?) -> Result
  ) -> Result {
    if forced == nil, predictions == nil {
      // Data from one source is read in place.
      guard let profile else { return body(notes) }
      if notes == nil { return withExtendedLifetime(profile) { body(profile.block?.state) } }
    }
    var state = notes?.load(as: SubjectState.self) ?? SubjectState()
    if let forced = forced?.block { state.forcedVariations = forced.tables.forcedVariations }
    if let profile = profile?.block { state.assignments = profile.tables.assignments }
    if let predictions { state.predictions = predictions.tables.predictions }
    return withExtendedLifetime((forced, profile, predictions)) {
      withUnsafePointer(to: &state) { body(UnsafeRawPointer($0)) }
    }
  }
}
