public import HoistCore
internal import HoistBase
internal import HoistJSON

/// Writes an evaluation down as JSON while it runs.
///
/// ```json
/// {"flag":"checkout","switchedOn":true,
///  "dependencies":[{"feature":"parent","wanted":true,"strategies":[…],"enabled":true,"satisfied":true}],
///  "strategies":[{"name":"flexibleRollout",
///    "constraints":[{"field":"plan","operator":"IN","expected":["pro"],"actual":"pro","inverted":false,"holds":true}],
///    "segments":[{"id":3,"constraints":[…],"holds":true}],
///    "rollout":{"group":"checkout","stickiness":"userId","value":"user-42","hash":42,"percentage":50},
///    "holds":true}],
///  "variant":{"name":"blue","group":"checkout","stickiness":"userId","value":"user-42","hash":838,"totalWeight":1000},
///  "enabled":true,"reason":"SPLIT"}
/// ```
/// What did not run is not there: constraints after the first that fails, strategies after the first that holds. `ignored`
/// names the attributes of the context that have no form here: lists and objects. Of a flag of frontend mode it is
/// `{"flag":"checkout","decidedBy":"service","enabled":true,"reason":"TARGETING_MATCH"}`.
struct Explanation: StepRecorder {
  var writer = JSONWriter()
  private var strategiesAreOpen = false
  private var isInDependency = false
  private let flagName: ByteView
  var byteCount: Int { writer.bytes.count }

  init(_ flag: UnsafePointer<UnleashFlagRecord>, _ base: UnsafeRawPointer) {
    flagName = flag.pointee.head.name.bytes(base)
    writer.beginObject()
    writer.member("flag", flagName)
    writer.member("switchedOn", flag.pointee.traits.contains(.enabled))
    if flag.pointee.traits.contains(.broken) {
      let details = base.at(flag.pointee.details)
      writer.member("broken", details.pointee.warning.bytes(base))
    }
  }

  /// Ends the text.
  mutating func finish(_ evaluation: borrowing Evaluation, for context: FrozenContext? = nil) -> [UInt8] {
    closeStrategies()
    writer.ignored(in: context) { [.json, .strings].contains($0.pointee.kind) }
    writer.member("enabled", evaluation.enabled)
    writer.member("reason", evaluation.reason.text)
    writer.endObject()
    return writer.bytes
  }

  mutating func beginDependencies() { writer.beginArray("dependencies") }

  mutating func beginDependency(_ dependency: UnsafePointer<DependencyRecord>, _ base: UnsafeRawPointer) {
    isInDependency = true
    writer.beginObject()
    writer.member("feature", dependency.pointee.name.bytes(base))
    writer.member("known", !dependency.pointee.parent.isNone)
    if dependency.pointee.parentDepends { writer.member("dependsItself", true) }
    writer.member("wanted", dependency.pointee.wantsEnabled)
    if dependency.pointee.variantCount > 0 {
      texts("variants", base.at(dependency.pointee.variants), dependency.pointee.variantCount, base)
    }
  }

  mutating func parent(_ isOn: Bool) {
    closeStrategies()
    writer.member("enabled", isOn)
  }

  mutating func endDependency(_ isSatisfied: Bool) {
    closeStrategies()
    writer.member("satisfied", isSatisfied)
    writer.endObject()
    isInDependency = false
  }

  mutating func endDependencies() { writer.endArray() }

  mutating func beginStrategy(_ strategy: UnsafePointer<StrategyRecord>, _ base: UnsafeRawPointer) {
    if !strategiesAreOpen {
      writer.beginArray("strategies")
      strategiesAreOpen = true
    }
    writer.beginObject()
    writer.member("name", strategy.pointee.name.bytes(base))
  }

  mutating func beginConstraints() { writer.beginArray("constraints") }

  mutating func condition(
    _ condition: UnsafePointer<ConditionRecord>, _ field: UnsafePointer<FieldRecord>, _ value: FieldValue?,
    _ outcome: Bool, _ base: UnsafeRawPointer
  ) {
    writer.beginObject()
    writer.member("field", field.pointee.name.bytes(base))
    writer.member("operator", condition.pointee.constraintOperator.rawValue)
    switch condition.pointee.constraintOperator {
    case .isIn, .isNotIn, .startsWith, .endsWith, .contains, .isInCIDR:
      texts("expected", base.at(condition.pointee.operands), condition.pointee.operandCount, base)
    default:
      writer.member(
        "expected", TextReference(offset: condition.pointee.operand, count: condition.pointee.operandCount).bytes(base))
    }
    writer.member("actual", orNull: value?.bytes)
    writer.member("inverted", condition.pointee.saysInverted)
    if condition.pointee.foldsCase { writer.member("caseInsensitive", true) }
    writer.member("holds", outcome)
    writer.endObject()
  }

  mutating func endConstraints() { writer.endArray() }

  mutating func beginSegments() { writer.beginArray("segments") }

  mutating func beginSegment(_ segment: UnsafePointer<SegmentRange>) {
    writer.beginObject()
    writer.member("id", segment.pointee.id)
    writer.beginArray("constraints")
  }

  mutating func endSegment(_ holds: Bool) {
    writer.endArray()
    writer.member("holds", holds)
    writer.endObject()
  }

  mutating func endSegments() { writer.endArray() }

  mutating func operand(_ value: FieldValue?) { writer.member("actual", orNull: value?.bytes) }

  mutating func rollout(
    _ strategy: UnsafePointer<StrategyRecord>, _ identity: ByteView, _ bucket: UInt32, _ base: UnsafeRawPointer
  ) {
    writer.beginObject("rollout")
    let isBorrowed = isInDependency && strategy.pointee.borrowsGroup
    writer.member("group", isBorrowed ? flagName : strategy.pointee.groupName.bytes(base))
    switch strategy.pointee.stickiness {
    case .byDefault: writer.member("stickiness", "default")
    case .random: writer.member("stickiness", "random")
    case .field: stickiness(strategy.pointee.field, base)
    }
    writer.member("value", identity)
    writer.member("hash", bucket)
    writer.member("percentage", strategy.pointee.percentage)
    writer.endObject()
  }

  mutating func draw(_ number: UInt32, _ strategy: UnsafePointer<StrategyRecord>) {
    writer.beginObject("draw")
    writer.member("number", number)
    writer.member("percentage", strategy.pointee.percentage)
    writer.endObject()
  }

  mutating func custom(_ answer: Bool) { writer.member("answer", answer) }

  mutating func endStrategy(_ holds: Bool) {
    writer.member("holds", holds)
    writer.endObject()
  }

  mutating func override(_ flag: UnsafePointer<UnleashFlagRecord>, _ variant: UInt32, _ base: UnsafeRawPointer) {
    closeStrategies()
    let variants = base.at(flag.pointee.variants)
    writer.beginObject("variant")
    writer.member("name", variants[Int(variant)].name.bytes(base))
    writer.member("override", true)
    writer.endObject()
  }

  mutating func variant(
    _ set: UnsafePointer<VariantSet>, _ variant: UnsafePointer<VariantRecord>, _ identity: FieldValue?,
    _ target: UInt64, _ base: UnsafeRawPointer
  ) {
    closeStrategies()
    writer.beginObject("variant")
    writer.member("name", variant.pointee.name.bytes(base))
    writer.member("group", set.pointee.groupName.bytes(base))
    stickiness(set.pointee.field, base)
    writer.member("value", orNull: identity?.bytes)
    writer.member(identity == nil ? "draw" : "hash", target)
    writer.member("weight", variant.pointee.weight)
    writer.member("totalWeight", set.pointee.total)
    writer.endObject()
  }
}

extension Explanation {
  private mutating func closeStrategies() {
    if strategiesAreOpen { writer.endArray() }
    strategiesAreOpen = false
  }

  private mutating func stickiness(_ field: Place<FieldRecord>, _ base: UnsafeRawPointer) {
    if field.isNone { return writer.member("stickiness", "default") }
    writer.member("stickiness", base.at(field).pointee.name.bytes(base))
  }

  private mutating func texts(
    _ name: String, _ list: UnsafePointer<TextReference>, _ count: UInt32, _ base: UnsafeRawPointer
  ) {
    writer.beginArray(name)
    for index in 0..<Int(count) { writer.string(list[index].bytes(base)) }
    writer.endArray()
  }
}

extension UnleashFlags {
  /// Evaluates with every step written down, as a JSON object; counts nothing. Fills `evaluation` as an
  /// ordinary evaluation would.
  public static func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    let flag = record.assumingMemoryBound(to: UnleashFlagRecord.self)
    let root: UnsafePointer<SnapshotRoot> = snapshot.root()
    if root.pointee.isFrontend {
      evaluateToggle(snapshot.base, record, context?.base, &evaluation)
      return decided(flag.pointee.head.name.bytes(snapshot.base), evaluation)
    }
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, inherited: evaluation.inherited, ambient: evaluation.ambient,
      recorder: Explanation(flag, snapshot.base))
    evaluator.answer(flag, &evaluation)
    return evaluator.recorder.finish(evaluation, for: context)
  }

  /// Of what the service has evaluated there is nothing more to say.
  private static func decided(_ name: ByteView, _ evaluation: borrowing Evaluation) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("flag", name)
    writer.member("decidedBy", "service")
    writer.member("enabled", evaluation.enabled)
    writer.member("reason", evaluation.reason.text)
    writer.endObject()
    return writer.bytes
  }
}
