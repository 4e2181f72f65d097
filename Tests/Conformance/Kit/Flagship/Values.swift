import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON

/// A value against the type of a default (4.5).
func runFlagValues(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.verbatim(
      #"{"campaigns":[{"variationGroupId":"g","variation":{"id":"v","modifications":{"value":{"#)
    if test["flagType"]?.string ?? "missing" != "missing" {
      writer.key("flag")
      writer.raw(typed(test["flagValue"], test["flagType"]?.string))
    }
    writer.verbatim("}}}}]}")
    guard let flags = decided(writer.bytes) else { return report.fail(id, expected: "flags", actual: "(unread)") }
    let flag = "flag".withBytes { flags.find($0) }
    let reading = flag?.answer(for: kind(test["defaultType"]?.string)) ?? .unknown
    let fallback = typed(test["default"], test["defaultType"]?.string)
    let value = reading == .value ? flag.map { Array($0.json) } ?? [] : fallback
    let isSent = reading != .unknown && test["visitorExposed"]?.bool ?? true
    let expected = test["expected"]
    report.check(
      id, expected: expected?.canonicalText ?? "-",
      actual: canonical { writer in
        writer.object { writer in
          writer.member("activateSent", isSent)
          guard expected?["value"] != nil else { return }
          writer.key("value")
          writer.raw(value)
        }
      })
  }
}

private func kind(_ type: String?) -> FlagKind? {
  switch type {
  case "bool": .bool
  case "int": .int
  case "double": .double
  case "string": .string
  case "array", "list": .array
  case "object": .object
  default: nil
  }
}

/// JSON text of the type that the vector says.
private func typed(_ value: JSONValue?, _ type: String?) -> [UInt8] {
  guard let value else { return Array("null".utf8) }
  var writer = JSONWriter(wholeDoubles: .withFraction)
  if type == "double", let number = value.double { writer.double(number) } else { writer.raw(value.source) }
  return writer.bytes
}

/// The flags of an answer; nil where it cannot be read.
private func decided(_ text: [UInt8]) -> VisitorFlags? {
  guard let served = try? DecisionReader.read(text) else { return nil }
  return "visitor".withBytes {
    VisitorFlags.decide(owning: served.snapshot, context: nil, visitor: $0, history: .empty)?.flags
  }
}

/// Answers of the Decision API.
func runDecisionResponse(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    guard let flags = decided(test["response"]?.source ?? []) else {
      return report.fail(id, expected: "flags", actual: "(unread)")
    }
    report.check(
      id, expected: test["expected"]?.canonicalText ?? "-",
      actual: #"{"flags":\#(flagsText(flags)),"status":"\#(flags.isPanic ? "SDK_PANIC" : "SDK_INITIALIZED")"}"#)
  }
}
