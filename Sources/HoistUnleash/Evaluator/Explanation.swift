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
/// What did not run is not there: constraints after the first that fails, strategies after the first that holds.
struct Explanation: StepRecorder {
  var writer = JSONWriter()
  private var strategiesAreOpen = false
  private var isInDependency = false
  private let flagName: ByteView

  init(_ flag: UnsafePointer<FlagRecord>, _ base: UnsafeRawPointer) {
    flagName = flag.pointee.head.name.bytes(base)
    writer.beginObject()
    text("flag", flagName)
    bool("switchedOn", flag.pointee.traits.contains(.enabled))
    if flag.pointee.traits.contains(.broken) {
      let details: UnsafePointer<FlagDetails> = base.at(flag.pointee.details)
      text("broken", details.pointee.warning.bytes(base))
    }
  }

  /// Ends the text.
  mutating func finish(_ evaluation: borrowing Evaluation) -> [UInt8] {
    closeStrategies()
    bool("enabled", evaluation.enabled)
    writer.key("reason")
    writer.string(evaluation.reason.text.description)
    writer.endObject()
    return writer.bytes
  }

  mutating func beginDependencies() {
    writer.key("dependencies")
    writer.beginArray()
  }

  mutating func beginDependency(_ dependency: UnsafePointer<DependencyRecord>, _ base: UnsafeRawPointer) {
    isInDependency = true
    writer.beginObject()
    text("feature", dependency.pointee.name.bytes(base))
    bool("known", dependency.pointee.parent != 0)
    if dependency.pointee.parentDepends { bool("dependsItself", true) }
    bool("wanted", dependency.pointee.wantsEnabled)
    if dependency.pointee.variantCount > 0 {
      texts("variants", base.at(dependency.pointee.variants), dependency.pointee.variantCount, base)
    }
  }

  mutating func parent(_ isOn: Bool) {
    closeStrategies()
    bool("enabled", isOn)
  }

  mutating func endDependency(_ isSatisfied: Bool) {
    closeStrategies()
    bool("satisfied", isSatisfied)
    writer.endObject()
    isInDependency = false
  }

  mutating func endDependencies() { writer.endArray() }

  mutating func beginStrategy(_ strategy: UnsafePointer<StrategyRecord>, _ base: UnsafeRawPointer) {
    if !strategiesAreOpen {
      writer.key("strategies")
      writer.beginArray()
      strategiesAreOpen = true
    }
    writer.beginObject()
    text("name", strategy.pointee.name.bytes(base))
  }

  mutating func beginConstraints() {
    writer.key("constraints")
    writer.beginArray()
  }

  mutating func condition(
    _ condition: UnsafePointer<ConditionRecord>, _ field: UnsafePointer<FieldRecord>, _ value: FieldValue?,
    _ outcome: Bool, _ base: UnsafeRawPointer
  ) {
    writer.beginObject()
    text("field", field.pointee.name.bytes(base))
    writer.key("operator")
    writer.string(condition.pointee.constraintOperator.text.description)
    switch condition.pointee.constraintOperator {
    case .isIn, .isNotIn, .startsWith, .endsWith, .contains, .isInCIDR:
      texts("expected", base.at(condition.pointee.operand), condition.pointee.operandCount, base)
    default:
      text(
        "expected", TextReference(offset: condition.pointee.operand, count: condition.pointee.operandCount).bytes(base))
    }
    actual(value)
    bool("inverted", condition.pointee.saysInverted)
    if condition.pointee.foldsCase { bool("caseInsensitive", true) }
    bool("holds", outcome)
    writer.endObject()
  }

  mutating func endConstraints() { writer.endArray() }

  mutating func beginSegments() {
    writer.key("segments")
    writer.beginArray()
  }

  mutating func beginSegment(_ segment: UnsafePointer<SegmentRange>) {
    writer.beginObject()
    writer.key("id")
    writer.int(segment.pointee.id)
    writer.key("constraints")
    writer.beginArray()
  }

  mutating func endSegment(_ holds: Bool) {
    writer.endArray()
    bool("holds", holds)
    writer.endObject()
  }

  mutating func endSegments() { writer.endArray() }

  mutating func operand(_ value: FieldValue?) { actual(value) }

  mutating func rollout(
    _ strategy: UnsafePointer<StrategyRecord>, _ identity: ByteView, _ bucket: UInt32, _ base: UnsafeRawPointer
  ) {
    writer.key("rollout")
    writer.beginObject()
    let isBorrowed = isInDependency && strategy.pointee.borrowsGroup
    text("group", isBorrowed ? flagName : strategy.pointee.groupName.bytes(base))
    writer.key("stickiness")
    switch strategy.pointee.stickiness {
    case .byDefault: writer.string("default")
    case .random: writer.string("random")
    case .field:
      let field: UnsafePointer<FieldRecord> = base.at(strategy.pointee.field)
      writer.string(utf8: field.pointee.name.bytes(base).bindMemory(to: UInt8.self))
    }
    text("value", identity)
    integer("hash", bucket)
    integer("percentage", strategy.pointee.percentage)
    writer.endObject()
  }

  mutating func draw(_ number: UInt32, _ strategy: UnsafePointer<StrategyRecord>) {
    writer.key("draw")
    writer.beginObject()
    integer("number", number)
    integer("percentage", strategy.pointee.percentage)
    writer.endObject()
  }

  mutating func custom(_ answer: Bool) { bool("answer", answer) }

  mutating func endStrategy(_ holds: Bool) {
    bool("holds", holds)
    writer.endObject()
  }

  mutating func override(_ flag: UnsafePointer<FlagRecord>, _ variant: UInt32, _ base: UnsafeRawPointer) {
    closeStrategies()
    let variants: UnsafePointer<VariantRecord> = base.at(flag.pointee.variants)
    writer.key("variant")
    writer.beginObject()
    text("name", variants[Int(variant)].name.bytes(base))
    bool("override", true)
    writer.endObject()
  }

  mutating func variant(
    _ set: UnsafePointer<VariantSet>, _ variant: UnsafePointer<VariantRecord>, _ identity: FieldValue?,
    _ target: UInt64, _ base: UnsafeRawPointer
  ) {
    closeStrategies()
    writer.key("variant")
    writer.beginObject()
    text("name", variant.pointee.name.bytes(base))
    text("group", set.pointee.groupName.bytes(base))
    writer.key("stickiness")
    if set.pointee.field == 0 {
      writer.string("default")
    } else {
      let field: UnsafePointer<FieldRecord> = base.at(set.pointee.field)
      writer.string(utf8: field.pointee.name.bytes(base).bindMemory(to: UInt8.self))
    }
    writer.key("value")
    if let identity { writer.string(utf8: identity.bytes.bindMemory(to: UInt8.self)) } else { writer.null() }
    integer(identity == nil ? "draw" : "hash", target)
    integer("weight", variant.pointee.weight)
    integer("totalWeight", set.pointee.total)
    writer.endObject()
  }
}

extension Explanation {
  private mutating func closeStrategies() {
    if strategiesAreOpen { writer.endArray() }
    strategiesAreOpen = false
  }

  private mutating func text(_ name: String, _ value: ByteView) {
    writer.key(name)
    writer.string(utf8: value.bindMemory(to: UInt8.self))
  }

  private mutating func bool(_ name: String, _ value: Bool) {
    writer.key(name)
    writer.bool(value)
  }

  private mutating func integer(_ name: String, _ value: some BinaryInteger) {
    writer.key(name)
    writer.int(value)
  }

  private mutating func actual(_ value: FieldValue?) {
    writer.key("actual")
    if let value { writer.string(utf8: value.bytes.bindMemory(to: UInt8.self)) } else { writer.null() }
  }

  private mutating func texts(
    _ name: String, _ list: UnsafePointer<TextReference>, _ count: UInt32, _ base: UnsafeRawPointer
  ) {
    writer.key(name)
    writer.beginArray()
    for index in 0..<Int(count) { writer.string(utf8: list[index].bytes(base).bindMemory(to: UInt8.self)) }
    writer.endArray()
  }
}

extension UnleashFlags {
  /// Evaluates with every step written down, as a JSON object; counts nothing. Fills `evaluation` as an
  /// ordinary evaluation would.
  public static func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    let flag = record.assumingMemoryBound(to: FlagRecord.self)
    let root: UnsafePointer<SnapshotRoot> = snapshot.base.at(snapshot.head.pointee.rootOffset)
    if root.pointee.isFrontend {
      evaluateToggle(snapshot.base, record, context?.base, &evaluation)
      var explanation = Explanation(flag, snapshot.base)
      return explanation.finish(evaluation)
    }
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, inherited: evaluation.inherited, ambient: evaluation.ambient,
      recorder: Explanation(flag, snapshot.base))
    evaluator.answer(flag, &evaluation)
    return evaluator.recorder.finish(evaluation)
  }
}
