public import HoistBase
public import HoistCore
internal import HoistJSON

/// What can be asked of a datafile's snapshot.
public enum OptimizelyFlags {
  /// Decides a flag of the snapshot. Pure: no lock, no I/O, no allocation.
  /// - Parameters:
  ///   - record: the flag's, from `Snapshot.find` or `flag(at:)`.
  ///   - context: its targeting key is the user id.
  ///   - options: those of the call and the defaults together.
  public static func decide(
    _ record: UnsafeRawPointer, in snapshot: Snapshot, context: FrozenContext?, subject: OptimizelySubject?,
    options: DecideOptions
  ) -> OptimizelyDecision {
    decide(record, in: snapshot, context: context, state: subject?.state, options: options)
  }

  /// - Parameter state: a `SubjectState`, or nil.
  @inline(__always)
  static func decide(
    _ record: UnsafeRawPointer, in snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?,
    options: DecideOptions
  ) -> OptimizelyDecision {
    let flag = record.assumingMemoryBound(to: OptimizelyFlagRecord.self)
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: state, options: options, recorder: NoOpDecisionRecorder())
    return OptimizelyDecision(
      base: snapshot.base, flag: flag, verdict: evaluator.decide(flag), options: options, subject: evaluator.subject)
  }

  /// Decides with the reasons of every step: errors first, then, with `includeReasons`, the rest, each in the order
  /// of the evaluation.
  public static func explain(
    _ record: UnsafeRawPointer, in snapshot: Snapshot, context: FrozenContext?, subject: OptimizelySubject?,
    options: DecideOptions
  ) -> (decision: OptimizelyDecision, reasons: [DecisionReason]) {
    let (decision, reasons) = note(record, in: snapshot, context: context, state: subject?.state, options: options)
    return (decision, reasons.map(\.reason))
  }

  /// The same with reasons whose texts are lent.
  private static func note(
    _ record: UnsafeRawPointer, in snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?,
    options: DecideOptions
  ) -> (decision: OptimizelyDecision, reasons: [NotedReason]) {
    let flag = record.assumingMemoryBound(to: OptimizelyFlagRecord.self)
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: state, options: options, recorder: ReasonRecorder())
    let verdict = evaluator.decide(flag)
    let decision = OptimizelyDecision(
      base: snapshot.base, flag: flag, verdict: verdict, options: options, subject: evaluator.subject)
    if decision.isTooCostly { return (decision, [NotedReason(code: .rulesTooCostly, first: decision.flagKey)]) }
    let infos = options.contains(.includeReasons) ? evaluator.recorder.infos : []
    let errors = evaluator.recorder.errors + decision.invalidVariables
    return (decision, errors.isEmpty ? infos : errors + infos)
  }

  /// Decides with the reasons that the options ask for; without reasons, no steps are recorded.
  @inline(__always)
  static func tell(
    _ record: UnsafeRawPointer, in snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?,
    options: DecideOptions
  ) -> (decision: OptimizelyDecision, reasons: [NotedReason]) {
    if !options.contains(.includeReasons) {
      let decision = decide(record, in: snapshot, context: context, state: state, options: options)
      if decision.isTooCostly { return (decision, [NotedReason(code: .rulesTooCostly, first: decision.flagKey)]) }
      if !decision.isError, decision.values.invalidCount == 0 || options.contains(.excludeVariables) {
        return (decision, [])
      }
    }
    return note(record, in: snapshot, context: context, state: state, options: options)
  }

  /// Whether a stored profile, a forced variation or a prediction can matter for the flag.
  static func hasExperiments(_ record: UnsafeRawPointer) -> Bool {
    record.assumingMemoryBound(to: OptimizelyFlagRecord.self).pointee.experimentCount > 0
  }

  /// How many flags there are; `flag(at:)` hands them out in the order of the datafile.
  public static func flagCount(of snapshot: Snapshot) -> Int { Int(root(snapshot).pointee.flagCount) }

  /// - Parameter index: below `flagCount`.
  public static func flag(at index: Int, of snapshot: Snapshot) -> UnsafeRawPointer {
    UnsafeRawPointer(snapshot.base.at(snapshot.base.at(root(snapshot).pointee.flags)[index]))
  }

  /// Equal for datafiles of the same content.
  public static func revision(of snapshot: Snapshot) -> ByteView { root(snapshot).pointee.revision.bytes(snapshot.base) }

  /// Whether a visitor is in an audience; nil where that is unknown, or there is no such audience.
  public static func isInAudience(
    _ id: some ByteSource, of snapshot: Snapshot, context: FrozenContext?, subject: OptimizelySubject?
  ) -> Bool? {
    let record = id.withBytes { root(snapshot).pointee.audiences.find($0, in: snapshot.base) }
    guard let record else { return nil }
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: subject?.state, options: [], recorder: NoOpDecisionRecorder())
    let program = record.assumingMemoryBound(to: AudienceRecord.self).pointee.program
    return evaluator.evaluate(program, isInAudience: true).bool
  }

  static func root(_ snapshot: Snapshot) -> UnsafePointer<SnapshotRoot> {
    snapshot.root()
  }
}

extension OptimizelyDecision {
  /// An error for each variable whose value cannot be converted.
  var invalidVariables: [NotedReason] {
    let values = values
    guard values.invalidCount > 0, !isError, !options.contains(.excludeVariables) else { return [] }
    let list = base.at(values.values)
    let variables = base.at(flag.pointee.variables)
    return (0..<Int(flag.pointee.variableCount)).filter { !list[$0].isValid }.map { index in
      NotedReason(code: .variableValueInvalid, first: variables[index].key.bytes(base))
    }
  }

  /// The decision as hosts of other languages get it: `variationKey`, `enabled`, `variables`, `ruleKey`, `flagKey`,
  /// `reasons`.
  public func json(reasons: [DecisionReason]) -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.object { writer in
      writer.member("variationKey", variationKey)
      writer.member("enabled", enabled)
      writer.member("variables", raw: variables)
      writer.member("ruleKey", ruleKey)
      writer.member("flagKey", flagKey)
      writer.array("reasons") { writer in for reason in reasons { writer.string(reason.text) } }
    }
    return writer.bytes
  }
}

extension JSONWriter {
  /// A text, or null.
  mutating func member(_ name: String, _ value: ByteView?) {
    key(name)
    if let value { string(value) } else { null() }
  }
}

/// The metadata and explanations of flags.
extension OptimizelyFlags {
  /// Names of the flags that are new, gone, or may be decided differently (their rules and audiences included).
  public static func changedFlags(from old: Snapshot?, to new: Snapshot) -> [String] {
    new.changedNames(since: old) { $0.assumingMemoryBound(to: OptimizelyFlagRecord.self).pointee.fingerprint }
  }

  /// `{"ruleKey","ruleId","variationId","source","variables"}` of a decision, as a JSON object.
  public static func metadata(_ decision: OptimizelyDecision) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("ruleKey", decision.ruleKey)
      writer.member("ruleId", decision.ruleID)
      writer.member("variationId", decision.variationID)
      writer.member("source", decision.source.text)
      writer.member("variables", raw: decision.variables)
    }
    return writer.bytes
  }

  /// Decides with every step written down: `{"flag","enabled","variation","rule","source","steps":[…]}`; see `StepRecorder`.
  /// `ignored` names the attributes that the project does not know.
  public static func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    evaluateDecision(snapshot.base, record, context?.base, &evaluation)
    guard let context = context ?? evaluation.inherited.map({ FrozenContext($0) }), context.targetingKey != nil else {
      return Array("null".utf8)
    }
    return steps(
      record, in: snapshot, context: context, state: evaluation.subject, options: DecideOptions(rawValue: evaluation.options))
  }

  /// - Parameter state: a `SubjectState`, or nil.
  static func steps(
    _ record: UnsafeRawPointer, in snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?, options: DecideOptions
  ) -> [UInt8] {
    let flag = record.assumingMemoryBound(to: OptimizelyFlagRecord.self)
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: state, options: options, recorder: StepRecorder(snapshot.base))
    let decision = OptimizelyDecision(
      base: snapshot.base, flag: flag, verdict: evaluator.decide(flag), options: options, subject: evaluator.subject)
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("flag", decision.flagKey)
      writer.member("enabled", decision.enabled)
      writer.member("variation", decision.variationKey)
      writer.member("rule", decision.ruleKey)
      writer.member("source", decision.source.text)
      writer.member("steps", raw: evaluator.recorder.finish())
      writer.ignored(in: context) { attribute in
        let name = attribute.pointee.nameBytes
        return !"$opt_".withBytes { name.hasPrefix($0) } && root(snapshot).pointee.attributes.find(name, in: snapshot.base) == nil
      }
    }
    return writer.bytes
  }
}
