internal import HoistBase
public import HoistCore

/// One asynchronous decide call (`OPT-60`, protocols/optimizely.md 4.15): decides, asks the prediction server for what is
/// missing, and decides again.
///
/// User, profile and datafile are those of the moment the call began. It ends once: with all answers, or when `finish`
/// takes the answers so far.
final class PredictedDecisions: @unchecked Sendable {
  /// A flag may have several rules that ask; each round asks for one of each flag.
  private static let maximumRounds = 64

  private let user: OptimizelyUser
  private let services: VisitorServices
  private let predictor: any Predictor
  /// Nil for all flags.
  private let keys: [[UInt8]]?
  private let options: DecideOptions
  private let snapshot: Snapshot
  private let context: ContextReference
  private let notes: VisitorNotes
  private let profile: StoredProfile?
  private let forced: ForcedVariations.Entry?
  private let completion: @Sendable (OwnedDecisions) -> Void

  private let lock = InlineLock()
  // Guarded by `lock`.
  private var predictions: [SubjectContent.Prediction] = []
  private var waiting = 0
  private var rounds = 0
  private var isFinished = false

  /// - Parameters:
  ///   - snapshot: pinned; unpinned at the end.
  ///   - completion: once, on any thread.
  init(
    _ owner: OwnedDecision.Owner, services: VisitorServices, predictor: any Predictor, keys: [[UInt8]]?,
    options: DecideOptions, snapshot: Snapshot, profile: StoredProfile?,
    completion: @escaping @Sendable (OwnedDecisions) -> Void
  ) {
    user = owner.user.takeUnretainedValue()
    context = ContextReference(sharing: owner.context)
    notes = owner.notes.takeUnretainedValue()
    self.services = services
    self.predictor = predictor
    self.keys = keys
    self.options = options.union(.predictions)
    self.snapshot = snapshot
    self.profile = profile
    forced = services.forcedVariations.entry(
      of: owner.context.targetingKey ?? .noBytes, hash: owner.context.head.pointee.keyHash)
    self.completion = completion
  }

  deinit { snapshot.unpin() }

  func advance() {
    let needs = missing(lock.withLock { predictions })
    let isOver = lock.withLock {
      rounds += 1
      waiting = needs.count
      return isFinished || needs.isEmpty || rounds > Self.maximumRounds
    }
    if isOver { return finish() }
    for request in needs {
      predictor.predict(request, options: options) { [self] prediction in receive(prediction) }
    }
  }

  private func receive(_ prediction: SubjectContent.Prediction) {
    let isLast = lock.withLock {
      guard !isFinished else { return false }
      predictions.append(prediction)
      waiting -= 1
      return waiting == 0
    }
    if isLast { advance() }
  }

  /// Ends the call now: predictions without an answer count as unavailable.
  func finish() {
    let known: [SubjectContent.Prediction]? = lock.withLock {
      if isFinished { return nil }
      isFinished = true
      return predictions
    }
    guard var predictions = known else { return }
    for _ in 0..<Self.maximumRounds {
      let needs = missing(predictions)
      if needs.isEmpty { break }
      predictions += needs.map {
        SubjectContent.Prediction(experimentID: $0.experimentID, uuid: Array($0.uuid.utf8), variationID: nil)
      }
    }
    let (decisions, effects) = withCall(predictions) { call in
      (keys.map { call.decide(keys: $0) } ?? call.decideAll(), call.effects)
    }
    apply(effects)
    completion(OwnedDecisions(decisions))
  }

  /// The host's profile service must not be called on the scheduler's thread, where answers arrive.
  private func apply(_ effects: DecideEffects) {
    let id = Array(context.frozen.targetingKey ?? .noBytes)
    guard services.profiles.isHosts else { return services.apply(effects, user: { id }, lookedUp: profile) }
    services.apply(effects.withoutAssignments, user: { id }, lookedUp: profile)
    let (profiles, profile) = (services.profiles, profile)
    services.onPluginLane { profiles.save(effects.assignments, of: id, lookedUp: profile) }
  }

  /// What has to be asked, each experiment once.
  private func missing(_ predictions: [SubjectContent.Prediction]) -> [PredictionRequest] {
    withCall(predictions) { call in
      var asked: Set<[UInt8]> = []
      return call.needs(keys: keys).compactMap { need in
        guard asked.insert(Array(need.experimentID)).inserted else { return nil }
        return PredictionRequest(need, context: context.frozen, uuid: uuid())
      }
    }
  }

  private func uuid() -> String {
    func make(_ entropy: some Entropy) -> String { UUIDv4(from: entropy).text }
    return make(services.entropy)
  }

  private func withCall<Result>(
    _ predictions: [SubjectContent.Prediction], _ body: (inout DecideCall) -> Result
  ) -> Result {
    var content = SubjectContent()
    content.predictions = predictions
    let answers = predictions.isEmpty ? nil : OptimizelySubject(content)
    return SubjectState.with(notes.state, forced, profile, predictions: answers) { state in
      var call = DecideCall(
        snapshot: snapshot, context: context.frozen, state: state, options: options, origin: services.originPort,
        wanted: services.notifications.wanted,
        owner: OwnedDecision.Owner(
          user: Unmanaged.passUnretained(user), context: context.frozen, notes: Unmanaged.passUnretained(notes)))
      return body(&call)
    }
  }
}

/// Decisions that ask the prediction server.
extension OptimizelyUser {
  /// - Parameters:
  ///   - keys: nil for all flags.
  ///   - completion: once, on any thread; not when this returns nil.
  /// - Returns: the call, to be ended early; nil where there is nothing to ask or to wait for, and `completion` was called.
  func decidePredicted(
    keys: [[UInt8]]?, _ options: DecideOptions, completion: @escaping @Sendable (OwnedDecisions) -> Void
  ) -> PredictedDecisions? {
    let session =
      withClient { client, services -> PredictedDecisions? in
        guard let predictor = services.predictor else { return nil }
        let options = options.union(services.defaultOptions)
        let profile = options.contains(.ignoreUserProfileService) ? nil : lookUpProfile(services)
        return withSnapshot(of: client) { snapshot, owner in
          snapshot.pin()
          return PredictedDecisions(
            owner, services: services, predictor: predictor, keys: keys, options: options, snapshot: snapshot,
            profile: profile, completion: completion)
        }
      } ?? nil
    guard let session else {
      completion(keys.map { decide(keys: $0, options) } ?? decideAll(options))
      return nil
    }
    session.advance()
    return session
  }

  /// Waits for the answers; late ones count as unavailable. Does not wait on the library's own threads.
  public func decideAndWait(keys: [[UInt8]]?, _ options: DecideOptions, timeoutMilliseconds: Int64) -> OwnedDecisions {
    let answer = Completion<OwnedDecisions>()
    let session = decidePredicted(keys: keys, options) { answer.give($0) }
    let limit = Thread.isOwn ? 0 : timeoutMilliseconds
    if let decisions = answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: limit)) { return decisions }
    session?.finish()
    return answer.wait(untilNanoseconds: .max) ?? OwnedDecisions([])
  }

  /// - Parameter completion: once if the result is `.ok`, on the delivery lane or in the call that closes the client, with
  ///   no decisions then; never otherwise.
  public func decideAsync(
    keys: [[UInt8]]?, _ options: DecideOptions, completion: @escaping @Sendable (Status, OwnedDecisions?) -> Void
  ) -> Status {
    guard let client else { return .optimizelySDKNotReady }
    if client.isClosed { return .state }
    let kept = LockedValue<OwnedDecisions?>(nil)
    return client.promise({ status in completion(status, kept.withLock { $0 }) }) { tell in
      _ = decidePredicted(keys: keys, options) { decisions in
        kept.withLock { $0 = decisions }
        tell(.ok)
      }
      return .ok
    }
  }
}
