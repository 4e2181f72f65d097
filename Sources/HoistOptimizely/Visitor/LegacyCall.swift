public import HoistBase
public import HoistCore
internal import HoistJSON

/// One of the calls that came before decide (`OPT-77`, protocols/optimizely.md 4.14), over one snapshot. Pure.
///
/// None of them knows forced decisions; those that name experiments know no holdouts either.
public struct LegacyCall {
  /// Why there is no answer.
  public enum Failure: Error, Sendable, Equatable {
    case experimentKeyInvalid, variationUnknown, featureKeyInvalid, variableKeyInvalid, variableValueInvalid
  }

  private let snapshot: Snapshot
  private let context: FrozenContext?
  /// A `SubjectState`, or nil; valid as long as the call.
  private let state: UnsafeRawPointer?
  private let options: DecideOptions
  private let origin: EventOrigin
  private let wanted: NotificationKinds
  public private(set) var effects = DecideEffects()

  public init(
    snapshot: Snapshot, context: FrozenContext?, subject: OptimizelySubject?, origin: EventOrigin, wanted: NotificationKinds
  ) {
    self.init(
      snapshot: snapshot, context: context, state: subject?.state, usesProfile: true, origin: origin, wanted: wanted)
  }

  init(
    snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?, usesProfile: Bool, origin: EventOrigin,
    wanted: NotificationKinds
  ) {
    self.snapshot = snapshot
    self.context = context
    self.state = state
    options = usesProfile ? .withoutForcedDecisions : [.withoutForcedDecisions, .ignoreUserProfileService]
    self.origin = origin
    self.wanted = wanted
  }

  /// `getVariationKey`, and with an impression `activate`.
  public mutating func variation(ofExperiment key: ByteView, activates: Bool) throws(Failure) -> ByteView {
    guard let decision = OptimizelyFlags.variation(ofExperiment: key, in: snapshot, context: context, state: state) else {
      throw .experimentKeyInvalid
    }
    tell(decision.notificationType) { DecisionNotice.experiment(decision) }
    if !options.contains(.ignoreUserProfileService), let assignment = decision.newAssignment { effects.add(assignment) }
    if activates, let impression = OptimizelyImpressions.of(activating: decision) { add(impression) }
    guard let variation = decision.variationKey else { throw .variationUnknown }
    return variation
  }

  /// `isFeatureEnabled`; an unknown flag is off.
  public mutating func isEnabled(_ key: ByteView) -> Bool {
    guard let record = snapshot.find(key) else { return false }
    let decision = decide(record)
    if let impression = OptimizelyImpressions.of(legacy: decision) { add(impression) }
    tell("feature") { DecisionNotice.feature(decision) }
    return decision.enabled
  }

  /// `getEnabledFeatures`, in the order of the datafile.
  public mutating func enabledFeatures() -> [ByteView] {
    var keys: [ByteView] = []
    for index in 0..<OptimizelyFlags.flagCount(of: snapshot) {
      let key = snapshot.name(of: OptimizelyFlags.flag(at: index, of: snapshot))
      if isEnabled(key) { keys.append(key) }
    }
    return keys
  }

  /// `getFeatureVariable` and its like; texts live as long as the snapshot.
  /// - Parameter type: what it must be; nil takes any.
  public mutating func variable(
    _ key: ByteView, of flag: ByteView, as type: OptimizelyVariableType?
  ) throws(Failure) -> OptimizelyValue {
    guard let record = snapshot.find(flag) else { throw .featureKeyInvalid }
    let decision = decide(record)
    guard let actual = decision.typeOfVariable(key) else { throw .variableKeyInvalid }
    guard let value = try? decision.variable(key, as: type) else { throw .variableValueInvalid }
    tell("feature-variable") { DecisionNotice.variable(decision, key: key, type: actual, value: value) }
    return value
  }

  /// `getAllFeatureVariables`: a JSON object that lives as long as the snapshot.
  public mutating func variables(of flag: ByteView) throws(Failure) -> ByteView {
    guard let record = snapshot.find(flag) else { throw .featureKeyInvalid }
    let decision = decide(record)
    tell("all-feature-variables") { DecisionNotice.allVariables(decision) }
    return decision.variables
  }

  private mutating func decide(_ record: UnsafeRawPointer) -> OptimizelyDecision {
    let decision = OptimizelyFlags.decide(record, in: snapshot, context: context, state: state, options: options)
    if let assignment = decision.newAssignment { effects.add(assignment) }
    if decision.isTooCostly { effects.add(costlyFlag: Array(decision.flagKey)) }
    return decision
  }

  private mutating func add(_ impression: Impression) {
    effects.add(impression, snapshot: snapshot, context: context, origin: origin, wanted: wanted)
  }

  private mutating func tell(_ type: StaticString, _ info: () -> [UInt8]) {
    guard wanted.contains(.decision) else { return }
    effects.add(OptimizelyNotices.decision(type: type, context: context, info: info()))
  }
}
