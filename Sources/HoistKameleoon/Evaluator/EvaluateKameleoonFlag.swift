internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What lives as long as a snapshot.
final class SnapshotResources: @unchecked Sendable {
  // These change only before the snapshot is served.
  private var expressions: [CompiledRegex] = []
  /// The visitors of the core's evaluations; nil where there are none.
  weak var visitors: (any VisitorDirectory)?

  func add(_ expression: CompiledRegex) { expressions.append(expression) }

  deinit { for expression in expressions { expression.free(expression.code) } }
}

/// Finds what is known of a visitor. Any thread.
protocol VisitorDirectory: AnyObject, Sendable {
  /// Milliseconds of Unix time.
  var now: Int64 { get }
  /// - Parameter code: nil for the client's own visitor.
  /// - Returns: nil for one that nothing is known of.
  func facts(of code: ByteView?) -> VisitorFacts?
  /// Whether it is not known yet what the visitor has answered, where that matters; it is read then.
  func hasToRead(_ code: ByteView) -> Bool
}

/// The snapshot's evaluate function: a decision as the core's evaluation.
///
/// The flag's value is whether it is active, the variation's key, or the variables as JSON, by what is wanted.
func evaluateKameleoonFlag(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let evaluation = out.assumingMemoryBound(to: Evaluation.self)
  var recorder = NoSteps<ExplanationRecorder>()
  evaluation.pointee.decide(Snapshot(base), record, context, &recorder)
}

extension Snapshot {
  /// Sets the visitors of the core's evaluations; before the snapshot is served.
  func answer(for visitors: any VisitorDirectory) { kameleoonResources?._withUnsafeGuaranteedRef { $0.visitors = visitors } }

  fileprivate var kameleoonResources: Unmanaged<SnapshotResources>? {
    head.pointee.resources.map { Unmanaged.fromOpaque($0.toOpaque()) }
  }
}

extension Evaluation {
  /// - Parameter context: nil for the client's own visitor.
  mutating func decide<Recorder: StepRecorder<ExplanationRecorder>>(
    _ snapshot: Snapshot, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ recorder: inout Recorder
  ) {
    guard let visitors = snapshot.kameleoonResources?._withUnsafeGuaranteedRef({ $0.visitors }) else {
      return fail(.providerNotReady, "the client is closed")
    }
    let asked = context.flatMap { $0 == inherited ? nil : FrozenContext($0) }
    guard let facts = visitors.facts(for: asked, snapshot) else {
      return fail(.providerNotReady, "the visitor is not known yet")
    }
    var evaluator = KameleoonEvaluator(snapshot, facts, now: visitors.now, recorder: recorder)
    let flag = record.assumingMemoryBound(to: KameleoonFlagRecord.self)
    let choice = evaluator.decide(flag)
    recorder = evaluator.recorder
    fill(choice, flag, snapshot.base)
  }

  @inline(__always)
  private mutating func fill(_ choice: Choice, _ flag: UnsafePointer<KameleoonFlagRecord>, _ base: UnsafeRawPointer) {
    if choice.refusal == .tooCostly { return failAsTooCostly() }
    outcome.other = choice.holdoutRow.offset
    effects = choice.isSimulated ? .impression : [.impression, .record]
    reason = choice.refusal == .none ? choice.reason : .disabled
    if want == .int || want == .double { return fail(.typeMismatch, "a flag is no number; its variables may be") }
    if want == .bool { (kind, integer) = (.bool, 0) }
    guard choice.refusal == .none else { return }
    outcome.variation = choice.row.offset
    let row = base.at(choice.row)
    enabled = row.pointee.isActive
    if want == .bool { integer = enabled ? 1 : 0 }
    if !row.pointee.rule.isNone {
      outcome.rule = row.pointee.rule.offset
      let decided = base.at(row.pointee.rule)
      rule = decided.pointee.name.bytes(base)
    }
    guard !row.pointee.variation.isNone else { return }
    let record = base.at(row.pointee.variation)
    variation = record.pointee.key.bytes(base)
    variationIndex = Int32(truncatingIfNeeded: record - base.at(flag.pointee.variations))
    switch want {
    case .string: (kind, text) = (.string, variation)
    case .json, .any: (kind, text) = (.json, record.pointee.json.bytes(base))
    case .bool, .int, .double: break
    }
  }
}

/// The metadata of an evaluation of the core.
enum KameleoonMetadata {
  /// A JSON object: ids of rule, experiment and variation, null where no rule decided, and the variation's name.
  static func json(_ evaluation: borrowing Evaluation, _ base: UnsafeRawPointer) -> [UInt8] {
    guard evaluation.outcome.variation != 0 else { return Array("{}".utf8) }
    let row = base.at(Place<RowRecord>(offset: evaluation.outcome.variation))
    let rule = row.pointee.rule.isNone ? nil : base.at(row.pointee.rule)
    let variation = row.pointee.variation.isNone ? nil : base.at(row.pointee.variation)
    var writer = JSONWriter()
    writer.object { writer in
      for (name, id) in [
        ("ruleId", rule?.pointee.id), ("experimentId", rule?.pointee.experimentID),
        ("variationId", row.pointee.variationID == -1 ? nil : row.pointee.variationID),
      ] {
        writer.key(name)
        if let id { writer.int(id) } else { writer.null() }
      }
      if let variation { writer.member("variationName", variation.pointee.name.bytes(base)) }
    }
    return writer.bytes
  }
}
