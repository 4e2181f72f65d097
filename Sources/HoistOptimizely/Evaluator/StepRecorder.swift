internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Writes the steps of a decision down as a JSON array, in the order of evaluation:
///
/// ```json
/// [{"audience":"germans","conditions":[
///    {"attribute":"country","match":"exact","expected":"de","actual":"de","holds":true}],"holds":true},
///  {"code":"userAssignedToBucketValue","text":"\"u1\" has bucket 9344."}]
/// ```
/// `holds` is null where a condition cannot be evaluated. What did not run is not there: conditions after the one that
/// settled an audience, rules after the one that decided.
struct StepRecorder: DecisionRecorder {
  private let base: UnsafeRawPointer
  private var writer = JSONWriter()

  static var wantsConditions: Bool { true }
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

  mutating func note(_ code: ReasonCode, _ first: ByteView, _ second: ByteView, _ third: ByteView) {
    write(code, code.sentence(Self.text(first), Self.text(second), Self.text(third)))
  }

  mutating func note(_ code: ReasonCode, _ first: ByteView, _ number: UInt32) {
    write(code, code.sentence(Self.text(first), String(number), ""))
  }

  mutating func unknown(_ code: ReasonCode, _ name: ByteView) { write(code, code.sentence(Self.text(name), "", "")) }
  mutating func expression(_ truth: Truth) {}

  mutating func beginAudience(_ audience: UnsafePointer<AudienceRecord>) {
    writer.beginObject()
    writer.member("audience", audience.pointee.name.bytes(base))
    writer.beginArray("conditions")
  }

  mutating func endAudience(_ truth: Truth) {
    writer.endArray()
    holds(truth)
    writer.endObject()
  }

  mutating func condition(
    _ condition: UnsafePointer<ConditionRecord>, _ attribute: UnsafePointer<FrozenAttribute>?, _ truth: Truth
  ) {
    writer.beginObject()
    writer.member("attribute", condition.pointee.name.bytes(base))
    writer.member("match", condition.pointee.match)
    writer.key("expected")
    writeExpected(condition)
    writer.key("actual")
    if let attribute { writeValue(of: attribute, to: &writer) } else { writer.null() }
    holds(truth)
    writer.endObject()
  }

  private mutating func writeExpected(_ condition: UnsafePointer<ConditionRecord>) {
    switch condition.pointee.test {
    case .unknown, .never, .exists: writer.null()
    case .truth: writer.bool(condition.pointee.number != 0)
    case .number, .order: writer.double(condition.pointee.number)
    case .qualified, .text, .contains, .version:
      writer.string(condition.pointee.operand.bytes(base))
    }
  }

  private mutating func holds(_ truth: Truth) {
    writer.key("holds")
    if let holds = truth.bool { writer.bool(holds) } else { writer.null() }
  }

  private mutating func write(_ code: ReasonCode, _ text: String) {
    writer.object { writer in
      writer.member("code", code.name)
      writer.member("text", text)
    }
  }

  private static func text(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension ConditionRecord {
  /// The match in the datafile's words; "" where it has none that is known.
  fileprivate var match: StaticString {
    switch test {
    case .unknown: ""
    case .never, .exists: "exists"
    case .qualified: "qualified"
    case .text, .truth, .number: "exact"
    case .contains: "substring"
    case .order:
      switch relation {
      case .greater: "gt"
      case .greaterOrEqual: "ge"
      case .less: "lt"
      case .lessOrEqual: "le"
      case .equal: "exact"
      }
    case .version:
      switch relation {
      case .greater: "semver_gt"
      case .greaterOrEqual: "semver_ge"
      case .less: "semver_lt"
      case .lessOrEqual: "semver_le"
      case .equal: "semver_eq"
      }
    }
  }
}
