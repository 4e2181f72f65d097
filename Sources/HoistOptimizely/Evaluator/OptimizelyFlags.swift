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
    let flag = record.assumingMemoryBound(to: FlagRecord.self)
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: state, options: options, recorder: Silence())
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
    let flag = record.assumingMemoryBound(to: FlagRecord.self)
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: state, options: options, recorder: ReasonRecorder())
    let verdict = evaluator.decide(flag)
    let decision = OptimizelyDecision(
      base: snapshot.base, flag: flag, verdict: verdict, options: options, subject: evaluator.subject)
    let infos = options.contains(.includeReasons) ? evaluator.recorder.infos : []
    let errors = evaluator.recorder.errors + decision.invalidVariables
    return (decision, errors.isEmpty ? infos : errors + infos)
  }

  /// Decides with the reasons that the options ask for; without reasons to tell, nothing is written down on the way.
  @inline(__always)
  static func tell(
    _ record: UnsafeRawPointer, in snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?,
    options: DecideOptions
  ) -> (decision: OptimizelyDecision, reasons: [NotedReason]) {
    if !options.contains(.includeReasons) {
      let decision = decide(record, in: snapshot, context: context, state: state, options: options)
      if !decision.isError, decision.values.invalidCount == 0 || options.contains(.excludeVariables) {
        return (decision, [])
      }
    }
    return note(record, in: snapshot, context: context, state: state, options: options)
  }

  /// Whether a stored profile, a forced variation or a prediction can matter for the flag.
  static func hasExperiments(_ record: UnsafeRawPointer) -> Bool {
    record.assumingMemoryBound(to: FlagRecord.self).pointee.experimentCount > 0
  }

  /// How many flags there are; `flag(at:)` hands them out in the order of the datafile.
  public static func flagCount(of snapshot: Snapshot) -> Int { Int(root(snapshot).pointee.flagCount) }

  /// - Parameter index: below `flagCount`.
  public static func flag(at index: Int, of snapshot: Snapshot) -> UnsafeRawPointer {
    let flags: UnsafePointer<UInt32> = snapshot.base.at(root(snapshot).pointee.flags)
    return snapshot.base + Int(flags[index])
  }

  /// Equal for datafiles of the same content: tells whether one is new.
  public static func revision(of snapshot: Snapshot) -> ByteView { root(snapshot).pointee.revision.bytes(snapshot.base) }

  /// Whether a visitor is in an audience; nil where that is unknown, or there is no such audience.
  public static func isInAudience(
    _ id: some ByteSource, of snapshot: Snapshot, context: FrozenContext?, subject: OptimizelySubject?
  ) -> Bool? {
    let record = id.withBytes { root(snapshot).pointee.audiences.find($0, in: snapshot.base) }
    guard let record else { return nil }
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: subject?.state, options: [], recorder: Silence())
    let program = record.assumingMemoryBound(to: AudienceRecord.self).pointee.program
    return evaluator.evaluate(program, isInAudience: true).bool
  }

  static func root(_ snapshot: Snapshot) -> UnsafePointer<SnapshotRoot> {
    snapshot.base.at(snapshot.head.pointee.rootOffset)
  }
}

extension OptimizelyDecision {
  /// An error for each variable whose value cannot be converted.
  var invalidVariables: [NotedReason] {
    let values = values
    guard values.invalidCount > 0, !isError, !options.contains(.excludeVariables) else { return [] }
    let list: UnsafePointer<VariableValue> = base.at(values.values)
    let variables: UnsafePointer<VariableRecord> = base.at(flag.pointee.variables)
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
      writer.key("enabled")
      writer.bool(enabled)
      writer.key("variables")
      writer.raw(variables)
      writer.member("ruleKey", ruleKey)
      writer.member("flagKey", flagKey)
      writer.key("reasons")
      writer.array { writer in for reason in reasons { writer.string(reason.text) } }
    }
    return writer.bytes
  }
}

extension JSONWriter {
  /// A text, or null.
  mutating func member(_ name: String, _ value: ByteView?) {
    key(name)
    if let value { string(utf8: value.bindMemory(to: UInt8.self)) } else { null() }
  }
}
