public import HoistBase
public import HoistCore

/// One call of decide, decideForKeys or decideAll over one snapshot (`OPT-60`): what it answers, and what it leaves to be
/// done. Pure.
public struct DecideCall {
  private let snapshot: Snapshot
  private let context: FrozenContext?
  /// A `SubjectState`, or nil; valid as long as the call.
  private let state: UnsafeRawPointer?
  private let options: DecideOptions
  private let origin: Unmanaged<EventOrigin>
  /// Nil where the caller holds it.
  private let heldOrigin: EventOrigin?
  private let wanted: NotificationKinds
  private let owner: OwnedDecision.Owner?
  public private(set) var effects = DecideEffects()

  /// - Parameters:
  ///   - options: those of the call and the defaults together.
  ///   - wanted: the effects that are observed.
  public init(
    snapshot: Snapshot, context: FrozenContext?, subject: OptimizelySubject?, options: DecideOptions, origin: EventOrigin,
    wanted: NotificationKinds
  ) {
    self.init(
      snapshot: snapshot, context: context, state: subject?.state, options: options,
      origin: Unmanaged.passUnretained(origin), wanted: wanted, owner: nil, holding: origin)
  }

  /// - Parameter origin: outlives the call, or is `holding`.
  @inline(__always)
  init(
    snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?, options: DecideOptions,
    origin: Unmanaged<EventOrigin>, wanted: NotificationKinds, owner: OwnedDecision.Owner?, holding heldOrigin: EventOrigin? = nil
  ) {
    self.snapshot = snapshot
    self.context = context
    self.state = state
    self.options = options
    self.origin = origin
    self.heldOrigin = heldOrigin
    self.wanted = wanted
    self.owner = owner
  }

  /// One flag; an unknown one gets an error decision (4.9).
  @inline(__always)
  public mutating func decide(_ key: ByteView) -> OwnedDecision {
    guard let record = snapshot.find(key) else { return OwnedDecision(failed: .unknownFlag, key: key, owner: owner) }
    return decide(record)
  }

  @inline(__always)
  mutating func decide(_ record: UnsafeRawPointer) -> OwnedDecision {
    let (decision, reasons) = OptimizelyFlags.tell(record, in: snapshot, context: context, state: state, options: options)
    origin._withUnsafeGuaranteedRef {
      effects.add(decision, reasons: reasons, context: context, origin: $0, wanted: wanted)
    }
    return OwnedDecision(decision, reasons: reasons, owner: owner)
  }

  /// Every step to one flag's decision, which is neither kept nor sent; nil for an unknown flag.
  func explain(_ key: ByteView) -> [UInt8]? {
    snapshot.find(key).map { OptimizelyFlags.steps($0, in: snapshot, context: context, state: state, options: options) }
  }

  /// Some flags: of a key that is listed twice, the first decision stays, and the events of both. Decisions of flags
  /// that are off are left out with `enabledFlagsOnly`; those of unknown flags stay.
  public mutating func decide(keys: [[UInt8]]) -> [OwnedDecision] {
    var seen: Set<[UInt8]> = []
    var answers: [OwnedDecision] = []
    for key in keys {
      let decision = key.withBytes { decide($0) }
      if seen.insert(key).inserted, isAnswered(decision) { answers.append(decision) }
    }
    return answers
  }

  /// All flags, in the order of the datafile.
  public mutating func decideAll() -> [OwnedDecision] {
    let count = OptimizelyFlags.flagCount(of: snapshot)
    var answers: [OwnedDecision] = []
    answers.reserveCapacity(count)
    for index in 0..<count {
      let decision = decide(OptimizelyFlags.flag(at: index, of: snapshot))
      if isAnswered(decision) { answers.append(decision) }
    }
    return answers
  }

  private func isAnswered(_ decision: OwnedDecision) -> Bool {
    decision.enabled || !options.contains(.enabledFlagsOnly) || decision.isUnknown
  }

  /// What the prediction server has to be asked before these flags can be decided; nil for all flags.
  func needs(keys: [[UInt8]]?) -> [NeededPrediction] {
    if let keys { return keys.compactMap { key in key.withBytes { snapshot.find($0) }.flatMap { need(of: $0) } } }
    return (0..<OptimizelyFlags.flagCount(of: snapshot)).compactMap { need(of: OptimizelyFlags.flag(at: $0, of: snapshot)) }
  }

  private func need(of record: UnsafeRawPointer) -> NeededPrediction? {
    OptimizelyFlags.decide(record, in: snapshot, context: context, state: state, options: options).neededPrediction
  }
}
