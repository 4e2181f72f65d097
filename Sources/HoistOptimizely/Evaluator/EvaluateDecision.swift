internal import HoistBase
internal import HoistCore

/// The snapshot's evaluate function: a decision as the core's evaluation.
///
/// The flag's value is whether it is on, the variation's key, or the variables as JSON, by what is wanted.
func evaluateDecision(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let evaluation = out.assumingMemoryBound(to: Evaluation.self)
  guard let context = context ?? evaluation.pointee.inherited, FrozenContext(context).head.pointee.hasKey else {
    evaluation.pointee.fail(.targetingKeyMissing, "a user id is needed: the context has no targeting key")
    return
  }
  let flag = record.assumingMemoryBound(to: OptimizelyFlagRecord.self)
  let decision = evaluation.pointee.decide(flag, base, FrozenContext(context)) { NoOpDecisionRecorder() }.decision
  fill(&evaluation.pointee, from: decision)
}

extension Evaluation {
  /// Decides by what is known of the context's user.
  @inline(__always)
  mutating func decide<Recorder: DecisionRecorder>(
    _ flag: UnsafePointer<OptimizelyFlagRecord>, _ base: UnsafeRawPointer, _ context: FrozenContext, _ recorder: () -> Recorder
  ) -> (decision: OptimizelyDecision, recorder: Recorder) {
    let records = Snapshot(base).userRecords
    if let records { self.options |= records._withUnsafeGuaranteedRef { $0.options.rawValue } }
    let options = DecideOptions(rawValue: self.options)
    func decide(_ state: UnsafeRawPointer?) -> (OptimizelyDecision, Recorder) {
      var evaluator = Evaluator(base: base, context: context.base, subject: state, options: options, recorder: recorder())
      let verdict = evaluator.decide(flag)
      return (
        OptimizelyDecision(base: base, flag: flag, verdict: verdict, options: options, subject: evaluator.subject),
        evaluator.recorder
      )
    }
    guard let records, flag.pointee.experimentCount > 0 else { return decide(subject) }
    return records._withUnsafeGuaranteedRef { $0.with(context, options, knowing: subject, decide) }
  }
}

extension Snapshot {
  /// nil for one that no client serves.
  fileprivate var userRecords: Unmanaged<UserRecords>? {
    head.pointee.resources.map { Unmanaged.fromOpaque($0.toOpaque()) }
  }
}

/// Writes a decision down in the core's terms.
@inline(__always)
func fill(_ evaluation: inout Evaluation, from decision: OptimizelyDecision) {
  evaluation.outcome = decision.outcome
  if decision.isTooCostly { return evaluation.failAsTooCostly() }
  if decision.isError {
    evaluation.fail(.general, "the prediction server could not be asked")
    return
  }
  let base = decision.base
  evaluation.reason = decision.verdict.reason
  if let rule = decision.rule { evaluation.rule = rule.pointee.key.bytes(base) }
  if let variation = decision.variation {
    evaluation.variation = variation.pointee.key.bytes(base)
    evaluation.enabled = variation.pointee.isEnabled
    evaluation.variationIndex = decision.variationIndex
  }
  let isRemembered = decision.verdict.isNew && !decision.options.contains(.ignoreUserProfileService)
  evaluation.effects =
    decision.sendsImpression || decision.sendsHoldoutImpression || isRemembered ? [.impression, .record] : .impression
  switch evaluation.want {
  case .bool:
    evaluation.kind = .bool
    evaluation.integer = evaluation.enabled ? 1 : 0
  case .string:
    evaluation.kind = evaluation.variation.baseAddress == nil ? .none : .string
    evaluation.text = evaluation.variation
  case .json, .any:
    evaluation.kind = .json
    evaluation.text = decision.variables
  case .int, .double: evaluation.fail(.typeMismatch, "a flag is no number; its variables may be")
  }
}

extension OptimizelyDecision {
  /// The variation's place among those of the flag; -1 for one of a holdout.
  var variationIndex: Int32 {
    let variations = base.at(flag.pointee.variations)
    for index in 0..<Int(flag.pointee.variationCount) where variations[index].variation == verdict.variation {
      return Int32(truncatingIfNeeded: index)
    }
    return -1
  }
}
