internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Writes an evaluation down as a JSON array of the campaigns that were asked, the last of the document first:
///
/// ```json
/// [{"campaign":"camp1","name":"Checkout","groups":[
///    {"group":"vg1","name":"VIP","targetingGroups":[
///       {"targetings":[{"key":"vip","operator":"EQUALS","expected":true,"actual":false,"holds":false}],"holds":false}],
///     "outcome":"notTargeted"},
///    {"group":"vg2","name":"All","targetingGroups":[…],"outcome":"allocated","bucket":42,"variation":"va2"}],
///   "variation":"va2"}]
/// ```
/// `actual` is null for what the visitor does not have. Every targeting of a group is there; groups and campaigns after
/// the one that decided are not.
struct ExplanationRecorder: StepRecorder {
  private let base: UnsafeRawPointer
  private var writer = JSONWriter(wholeDoubles: .withFraction)
  var byteCount: Int { writer.bytes.count }

  init(_ base: UnsafeRawPointer) {
    self.base = base
    writer.beginArray()
  }

  /// Ends the text.
  mutating func finish() -> [UInt8] {
    writer.endArray()
    return writer.bytes
  }

  mutating func begin(campaign: UnsafePointer<CampaignRecord>) {
    writer.beginObject()
    text("campaign", campaign.pointee.id)
    text("name", campaign.pointee.name)
    writer.beginArray("groups")
  }

  mutating func endCampaign(variation: UnsafePointer<VariationRecord>?) {
    writer.endArray()
    end(variation)
  }

  mutating func begin(group: UnsafePointer<GroupRecord>) {
    writer.beginObject()
    text("group", group.pointee.id)
    text("name", group.pointee.name)
    writer.beginArray("targetingGroups")
  }

  mutating func endGroup(_ verdict: GroupVerdict, bucket: UInt32?, variation: UnsafePointer<VariationRecord>?) {
    writer.endArray()
    writer.member("outcome", verdict.rawValue)
    if let bucket { writer.member("bucket", bucket) }
    end(variation)
  }

  mutating func beginTargetings() {
    writer.beginObject()
    writer.beginArray("targetings")
  }

  mutating func endTargetings(_ match: Bool) {
    writer.endArray()
    writer.member("holds", match)
    writer.endObject()
  }

  mutating func targeting(_ targeting: UnsafePointer<TargetingRecord>, actual: Comparand?, holds: Bool) {
    writer.beginObject()
    text("key", targeting.pointee.key)
    text("operator", targeting.pointee.name)
    writer.member("expected", raw: targeting.pointee.json.bytes(base))
    writer.key("actual")
    actual.write(to: &writer)
    writer.member("holds", holds)
    writer.endObject()
  }

  private mutating func end(_ variation: UnsafePointer<VariationRecord>?) {
    if let variation { text("variation", variation.pointee.id) }
    writer.endObject()
  }

  private mutating func text(_ name: String, _ text: TextReference) { writer.member(name, text.bytes(base)) }
}

/// How a group came to its variation.
enum GroupVerdict: String {
  /// The targeting does not match.
  case notTargeted
  /// No variation's share has the visitor's bucket.
  case untracked
  case allocated
  /// Assigned by an earlier fetch.
  case remembered
  /// Assigned by an earlier fetch, and not there any more: the campaign gives nothing.
  case deleted
  /// The service decided.
  case decided
}

extension Comparand? {
  fileprivate func write(to writer: inout JSONWriter) {
    guard let self else { return writer.null() }
    switch self.plain.kind {
    case .other: writer.null()
    case .bool: writer.bool(self.plain.integer != 0)
    case .int: writer.int(self.plain.integer)
    case .double: writer.double(self.plain.number)
    case .string: writer.string(self.text)
    }
  }
}
