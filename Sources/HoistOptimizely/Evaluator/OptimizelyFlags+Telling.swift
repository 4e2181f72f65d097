internal import HoistBase
public import HoistCore
internal import HoistJSON

/// What is told of flags beside their values.
extension OptimizelyFlags {
  /// Names of the flags that are new, gone, or may be decided differently (their rules and audiences included).
  public static func changedFlags(from old: Snapshot?, to new: Snapshot) -> [String] {
    new.changedNames(since: old) { $0.assumingMemoryBound(to: FlagRecord.self).pointee.fingerprint }
  }

  /// `{"ruleKey","ruleId","variationId","source","variables"}` of a decision, as a JSON object.
  public static func metadata(_ decision: OptimizelyDecision) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("ruleKey", decision.ruleKey)
      writer.member("ruleId", decision.ruleID)
      writer.member("variationId", decision.variationID)
      writer.key("source")
      writer.string(decision.source.text.description)
      writer.key("variables")
      writer.raw(decision.variables)
    }
    return writer.bytes
  }

  /// Decides with every step written down: `{"flag","enabled","variation","rule","source","steps":[…]}`; see `StepRecorder`.
  public static func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    evaluateDecision(snapshot.base, record, context?.base, &evaluation)
    guard let context = context ?? evaluation.inherited.map({ FrozenContext($0) }), context.targetingKey != nil else {
      return Array("null".utf8)
    }
    let flag = record.assumingMemoryBound(to: FlagRecord.self)
    let options = DecideOptions(rawValue: evaluation.options)
    var evaluator = Evaluator(
      base: snapshot.base, context: context.base, subject: evaluation.subject, options: options,
      recorder: StepRecorder(snapshot.base))
    let decision = OptimizelyDecision(
      base: snapshot.base, flag: flag, verdict: evaluator.decide(flag), options: options, subject: evaluator.subject)
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("flag", decision.flagKey)
      writer.key("enabled")
      writer.bool(decision.enabled)
      writer.member("variation", decision.variationKey)
      writer.member("rule", decision.ruleKey)
      writer.key("source")
      writer.string(decision.source.text.description)
      writer.key("steps")
      writer.raw(evaluator.recorder.finish())
    }
    return writer.bytes
  }
}
