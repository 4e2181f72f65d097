public import HoistBase
public import HoistCore

/// What became of one flag for one visitor. Plain memory; its texts live as long as the snapshot, those of the
/// prediction as long as the subject.
public struct OptimizelyDecision {
  let base: UnsafeRawPointer
  let flag: UnsafePointer<OptimizelyFlagRecord>
  let verdict: Verdict
  let options: DecideOptions
  let subject: UnsafePointer<SubjectState>?

  /// The decision of an evaluation that is given.
  public init(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer) {
    let bits = evaluation.outcome.bits
    self.init(
      base: snapshot.base, flag: record.assumingMemoryBound(to: OptimizelyFlagRecord.self),
      verdict: Verdict(
        rule: Place(offset: evaluation.outcome.rule), variation: Place(offset: evaluation.outcome.variation),
        source: DecisionSource(rawValue: UInt8(truncatingIfNeeded: bits & 3)) ?? .rollout,
        failure: DecisionFailure(rawValue: UInt8(truncatingIfNeeded: bits &>> 2 & 3)) ?? .none,
        isNew: bits & 16 != 0, holdoutVariation: Place(offset: evaluation.outcome.other),
        reason: evaluation.reason),
      options: DecideOptions(rawValue: evaluation.options),
      subject: evaluation.subject?.assumingMemoryBound(to: SubjectState.self))
  }

  init(
    base: UnsafeRawPointer, flag: UnsafePointer<OptimizelyFlagRecord>, verdict: Verdict, options: DecideOptions,
    subject: UnsafePointer<SubjectState>?
  ) {
    self.base = base
    self.flag = flag
    self.verdict = verdict
    self.options = options
    self.subject = subject
  }

  var outcome: EvaluationOutcome {
    var outcome = EvaluationOutcome()
    outcome.rule = verdict.rule.offset
    outcome.variation = verdict.variation.offset
    outcome.other = verdict.holdoutVariation.offset
    outcome.bits =
      UInt32(verdict.source.rawValue) | UInt32(verdict.failure.rawValue) &<< 2 | (verdict.isNew ? 16 : 0)
    return outcome
  }

  var rule: UnsafePointer<RuleRecord>? { verdict.rule.isNone ? nil : base.at(verdict.rule) }
  var variation: UnsafePointer<VariationRecord>? { verdict.variation.isNone ? nil : base.at(verdict.variation) }
  var root: UnsafePointer<SnapshotRoot> { Snapshot(base).root() }

  /// The values of the flag's variables: of the variation where the flag is on, else the defaults.
  var values: VariableSet {
    guard let variation, variation.pointee.isEnabled else { return flag.pointee.defaults }
    let variations = base.at(flag.pointee.variations)
    for index in 0..<Int(flag.pointee.variationCount) where variations[index].variation == verdict.variation {
      return variations[index].values
    }
    return flag.pointee.defaults
  }
}

/// What hosts ask of a decision.
extension OptimizelyDecision {
  public var flagKey: ByteView { flag.pointee.head.name.bytes(base) }
  /// Nil where no rule decided, as for a forced decision of the whole flag.
  public var ruleKey: ByteView? { isError ? nil : rule?.pointee.key.bytes(base) }
  public var variationKey: ByteView? { variation?.pointee.key.bytes(base) }
  public var ruleID: ByteView? { rule?.pointee.id.bytes(base) }
  public var variationID: ByteView? { variation?.pointee.id.bytes(base) }
  public var enabled: Bool { variation?.pointee.isEnabled ?? false }
  public var source: DecisionSource { verdict.source }
  /// The prediction server could not be asked, or the rules cost too much: no variation, no event, no notification (4.15).
  public var isError: Bool { verdict.failure == .predictionFailed || isTooCostly }
  /// The rules cost more than an evaluation may.
  public var isTooCostly: Bool { verdict.failure == .tooCostly }

  /// The variables as a JSON object; NUL-terminated.
  public var variables: ByteView {
    if isError || options.contains(.excludeVariables) { return Self.emptyObject }
    return values.json.bytes(base)
  }

  /// The experiment whose contextual bandit has to be asked before the flag can be decided: ask, add the answer
  /// to the subject's predictions, and decide again.
  public var neededPrediction: NeededPrediction? {
    guard verdict.failure == .needsPrediction, let rule else { return nil }
    return NeededPrediction(base: base, rule: rule)
  }

  /// An assignment that belongs into the visitor's stored profile (4.6).
  public var newAssignment: SubjectContent.Assignment? {
    guard verdict.isNew, !options.contains(.ignoreUserProfileService), let ruleID, let variationID else { return nil }
    return SubjectContent.Assignment(experimentID: Array(ruleID), variationID: Array(variationID))
  }

  /// The UUID of the request that chose the variation; nil unless a prediction did.
  public var predictionUUID: ByteView? {
    guard let rule, !verdict.variation.isNone, rule.pointee.predictionRange >= 0, verdict.reason == .split else { return nil }
    return subject?.pointee.predictions.find(rule.pointee.id.bytes(base), hash: rule.pointee.idHash)?.pointee.second
  }

  /// Whether the decision is reported to the service (3.3).
  public var sendsImpression: Bool {
    if verdict.failure != .none || options.contains(.disableDecisionEvent) { return false }
    return verdict.source != .rollout || root.pointee.sendsFlagDecisions
  }

  /// A holdout that caught the visitor, but let targeted deliveries go on, is reported too, and first (4.8a).
  public var sendsHoldoutImpression: Bool {
    verdict.failure == .none && !verdict.holdoutVariation.isNone && !options.contains(.disableDecisionEvent)
  }

  private static var emptyObject: ByteView {
    let text: StaticString = "{}"
    return ByteView(start: text.utf8Start, count: 2)
  }
}

/// What a decision waits for.
public struct NeededPrediction {
  let base: UnsafeRawPointer
  let rule: UnsafePointer<RuleRecord>

  public var experimentID: ByteView { rule.pointee.id.bytes(base) }
}
