internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Writes a decision down as a JSON object:
///
/// ```json
/// {"holdout":{"experimentId":9000,"variation":"not-in-holdout"},"group":{"name":"summer","hash":0.46,"chosen":true},
///  "rules":[{"id":10,"experimentId":100,"type":"EXPERIMENTATION",
///    "segments":[{"id":5,"conditions":[{"condition":{"targetingType":"DEVICE_TYPE","device":"PHONE"},
///                                       "actual":"PHONE","holds":true}],
///                 "matches":true}],
///    "hash":0.25,"exposition":0.5,"variationHash":0.91,"outcome":"assigned","variation":"on"}]}
/// ```
/// What did not run is not there: conditions after the one that settled a segment, rules after the one that decided.
/// `actual` is null for what is not known of the visitor; `holds` has the exclusion in it. `ignored` names the attributes of
/// the context that say nothing of a visitor here.
struct ExplanationRecorder: StepRecorder {
  private let base: UnsafeRawPointer
  private var writer = JSONWriter(wholeDoubles: .withFraction)
  private var rules = JSONWriter(wholeDoubles: .withFraction)
  private var conditions = JSONWriter(wholeDoubles: .withFraction)
  private var segments = JSONWriter(wholeDoubles: .withFraction)
  private var groupHash = 0.0
  var byteCount: Int { writer.bytes.count + rules.bytes.count + segments.bytes.count + conditions.bytes.count }

  init(_ base: UnsafeRawPointer) {
    self.base = base
    writer.beginObject()
    rules.beginArray()
  }

  /// Ends the text.
  /// - Parameter context: what the visitor's data was taken from; nil where it has data of its own alone.
  mutating func finish(for context: FrozenContext? = nil) -> [UInt8] {
    rules.endArray()
    writer.member("rules", raw: rules.bytes)
    writer.ignored(in: context) { [base] in !VisitorFacts.Content.knows($0.pointee, base) }
    writer.endObject()
    return writer.bytes
  }

  mutating func begin(rule: UnsafePointer<RuleRecord>) {
    rules.beginObject()
    rules.member("id", rule.pointee.id)
    rules.member("experimentId", rule.pointee.experimentID)
    rules.member("type", "\(rule.pointee.type.name)")
    rules.member("exposition", rule.pointee.exposition)
    begin()
  }

  private mutating func begin() {
    segments.removeAll()
    segments.beginArray()
    conditions.removeAll()
    conditions.beginArray()
  }

  mutating func condition(
    _ condition: UnsafePointer<ConditionRecord>, of visitor: VisitorFacts.Content, holds: Bool
  ) {
    conditions.object { writer in
      writer.key("condition")
      let source = condition.pointee.source.bytes(base)
      if source.isEmpty { writer.null() } else { writer.raw(source) }
      writer.actual(condition.pointee, of: visitor)
      writer.member("holds", holds)
    }
  }

  mutating func segment(_ segment: UnsafePointer<SegmentRecord>, matches: Bool) {
    conditions.endArray()
    segments.object { writer in
      writer.member("id", segment.pointee.id)
      writer.member("conditions", raw: conditions.bytes)
      writer.member("matches", matches)
    }
    conditions.removeAll()
    conditions.beginArray()
  }

  mutating func hash(_ name: StaticString, _ value: Double) {
    if name.withBytes({ $0.reads("groupHash") }) { return groupHash = value }
    rules.member("\(name)", value)
  }

  mutating func endRule(_ outcome: RuleOutcome, _ row: UnsafePointer<RowRecord>?) {
    segments.endArray()
    rules.member("segments", raw: segments.bytes)
    rules.member("outcome", outcome.rawValue)
    if let row { rules.member("variation", row.pointee.key.bytes(base)) }
    rules.endObject()
  }

  mutating func holdout(_ rule: UnsafePointer<RuleRecord>, _ row: UnsafePointer<RowRecord>?) {
    writer.object("holdout") { writer in
      writer.member("experimentId", rule.pointee.experimentID)
      writer.key("variation")
      if let row { writer.string(row.pointee.key.bytes(base)) } else { writer.null() }
    }
  }

  mutating func group(_ group: UnsafePointer<GroupRecord>, isChosen: Bool) {
    writer.object("group") { writer in
      writer.member("name", group.pointee.name.bytes(base))
      writer.member("hash", groupHash)
      writer.member("chosen", isChosen)
    }
  }
}

extension JSONWriter {
  /// What the condition looks at. Nothing where that is a number, or what the visitor was given.
  fileprivate mutating func actual(_ condition: ConditionRecord, of visitor: VisitorFacts.Content) {
    switch condition.kind {
    case .customDatum: texts(visitor.customData.first { $0.index == condition.integer }?.values)
    case .device: text(visitor.device?.name)
    case .operatingSystem: text(visitor.operatingSystem?.name)
    case .browser: text(visitor.browser?.kind.name)
    case .geolocation: texts(visitor.geolocation.map { [$0.country, $0.region, $0.city] })
    case .applicationVersion: texts(visitor.applicationVersion.map { [$0] })
    case .visitorCode: texts([visitor.code])
    case .pageURL, .pageTitle, .previousPage: texts(visitor.pages.map(\.url))
    case .cookie: texts(visitor.cookies.map(\.name))
    default: break
    }
  }

  private mutating func text(_ name: StaticString?) { texts(name.map { [$0.withBytes { Array($0) }] }) }

  /// A list; null for nil, and for nothing in it.
  private mutating func texts(_ texts: [[UInt8]]?) {
    key("actual")
    guard let texts, !texts.isEmpty else { return null() }
    array { writer in for text in texts { text.withBytes { writer.string($0) } } }
  }
}

/// What came of one rule (protocols/kameleoon.md 3.6).
enum RuleOutcome: String, BitwiseCopyable {
  case notTargeted, forced, blocked, scored, delivered, assigned, notExposed, notAssigned
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
