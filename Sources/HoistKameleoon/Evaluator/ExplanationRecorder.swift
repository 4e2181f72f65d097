internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Writes a decision down as a JSON object:
///
/// ```json
/// {"holdout":{"experimentId":9000,"variation":"not-in-holdout"},"group":{"name":"summer","hash":0.46,"chosen":true},
///  "rules":[{"id":10,"experimentId":100,"type":"EXPERIMENTATION",
///    "segments":[{"id":5,"conditions":[{"condition":{"targetingType":"DEVICE_TYPE","device":"PHONE"},"holds":true}],
///                 "matches":true}],
///    "hash":0.25,"exposition":0.5,"variationHash":0.91,"outcome":"assigned","variation":"on"}]}
/// ```
/// What did not run is not there: conditions after the one that settled a segment, rules after the one that decided.
/// `holds` has the exclusion in it.
struct ExplanationRecorder: EvaluationRecorder {
  private let base: UnsafeRawPointer
  private var writer = JSONWriter(wholeDoubles: .withFraction)
  private var rules = JSONWriter(wholeDoubles: .withFraction)
  private var conditions = JSONWriter(wholeDoubles: .withFraction)
  private var segments = JSONWriter(wholeDoubles: .withFraction)
  private var groupHash = 0.0

  init(_ base: UnsafeRawPointer) {
    self.base = base
    writer.beginObject()
    rules.beginArray()
  }

  /// Ends the text.
  mutating func finish() -> [UInt8] {
    rules.endArray()
    writer.key("rules")
    writer.raw(rules.bytes)
    writer.endObject()
    return writer.bytes
  }

  mutating func begin(rule: UnsafePointer<RuleRecord>) {
    rules.beginObject()
    rules.member("id", rule.pointee.id)
    rules.member("experimentId", rule.pointee.experimentID)
    rules.key("type")
    rules.string("\(rule.pointee.type.name)")
    rules.key("exposition")
    rules.double(rule.pointee.exposition)
    begin()
  }

  private mutating func begin() {
    segments.removeAll()
    segments.beginArray()
    conditions.removeAll()
    conditions.beginArray()
  }

  mutating func condition(_ condition: UnsafePointer<ConditionRecord>, holds: Bool) {
    conditions.object { writer in
      writer.key("condition")
      let source = condition.pointee.source.bytes(base)
      if source.isEmpty { writer.null() } else { writer.raw(source) }
      writer.key("holds")
      writer.bool(holds)
    }
  }

  mutating func segment(_ segment: UnsafePointer<SegmentRecord>, matches: Bool) {
    conditions.endArray()
    segments.object { writer in
      writer.member("id", segment.pointee.id)
      writer.key("conditions")
      writer.raw(conditions.bytes)
      writer.key("matches")
      writer.bool(matches)
    }
    conditions.removeAll()
    conditions.beginArray()
  }

  mutating func hash(_ name: StaticString, _ value: Double) {
    if name.withBytes({ $0.reads("groupHash") }) { return groupHash = value }
    rules.key("\(name)")
    rules.double(value)
  }

  mutating func endRule(_ outcome: RuleOutcome, _ row: UnsafePointer<RowRecord>?) {
    segments.endArray()
    rules.key("segments")
    rules.raw(segments.bytes)
    rules.key("outcome")
    rules.string(outcome.rawValue)
    if let row { rules.member("variation", row.pointee.key.bytes(base)) }
    rules.endObject()
  }

  mutating func holdout(_ rule: UnsafePointer<RuleRecord>, _ row: UnsafePointer<RowRecord>?) {
    writer.key("holdout")
    writer.object { writer in
      writer.member("experimentId", rule.pointee.experimentID)
      writer.key("variation")
      if let row { writer.string(utf8: row.pointee.key.bytes(base).bindMemory(to: UInt8.self)) } else { writer.null() }
    }
  }

  mutating func group(_ group: UnsafePointer<GroupRecord>, isChosen: Bool) {
    writer.key("group")
    writer.object { writer in
      writer.member("name", group.pointee.name.bytes(base))
      writer.key("hash")
      writer.double(groupHash)
      writer.key("chosen")
      writer.bool(isChosen)
    }
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ text: ByteView) {
    key(name)
    string(utf8: text.bindMemory(to: UInt8.self))
  }

  mutating func member(_ name: String, _ number: Int64) {
    key(name)
    int(number)
  }
}

extension RuleType {
  /// In the configuration's words.
  var name: StaticString {
    switch self {
    case .unknown: "UNKNOWN"
    case .experimentation: "EXPERIMENTATION"
    case .targetedDelivery: "TARGETED_DELIVERY"
    }
  }
}
