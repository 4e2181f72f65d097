import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON

/// A file of campaigns decides every visitor, the same way twice, and also who has been assigned before; each flag is
/// explained.
func checkCampaigns(_ bytes: ByteView) -> String? {
  check { () throws(CampaignFailure) in try BucketingReader.read(bytes) }
}

/// So does the Decision API's answer.
func checkDecisions(_ bytes: ByteView) -> String? {
  check { () throws(CampaignFailure) in try DecisionReader.read(bytes) }
}

private func check(_ read: () throws(CampaignFailure) -> ServedCampaigns) -> String? {
  for context in contexts {
    guard let hold = context.reference() else { return nil }
    guard let first = try? read() else { return nil }
    if let account = first.account, (try? JSONDocument(parsing: account)) == nil { return "the account is no JSON" }
    let (flags, history) = decide(first, hold, .empty)
    guard let second = try? read() else { return "what was read is refused" }
    if texts(flags) != texts(decide(second, hold, .empty).flags) { return "decided twice, the flags differ" }
    if let problem = check(flags, hold, .empty) { return problem }
    guard let third = try? read() else { return "what was read is refused" }
    let (later, known) = decide(third, hold, history)
    if known.count < history.count { return "an assignment is lost" }
    if let problem = check(later, hold, history) { return problem }
  }
  return nil
}

private func decide(
  _ served: ServedCampaigns, _ hold: ContextReference, _ history: AssignmentHistory
) -> (flags: VisitorFlags, history: AssignmentHistory) {
  visitor.withUnsafeBytes {
    VisitorFlags.decide(owning: served.snapshot, context: hold.frozen, visitor: $0, history: history) ?? (.none, history)
  }
}

private func texts(_ flags: VisitorFlags) -> [[UInt8]] {
  (0..<flags.count).compactMap { flags.value(at: $0) }.map { Array($0.key) + Array($0.json) }
}

private func check(_ flags: VisitorFlags, _ hold: ContextReference, _ history: AssignmentHistory) -> String? {
  if flags.isPanic { return flags.count == 0 ? nil : "flags in panic" }
  for index in 0..<min(flags.count, 64) {
    guard let value = flags.value(at: index) else { return "a flag that is counted is none" }
    guard UTF8Text.isValid(value.key), let found = flags.find(value.key) else { return "a flag is not found by its key" }
    if Array(found.json) != Array(value.json) { return "a flag is found with another value" }
    if (try? JSONNode.parse(value.json, { _ in })) == nil { return "a value is no JSON" }
    if (try? JSONDocument(parsing: value.metadata.json)) == nil { return "metadata is no JSON" }
    guard let snapshot = flags.snapshot else { return "flags without campaigns" }
    let steps = visitor.withUnsafeBytes {
      CampaignFlags.explain(value.key, in: snapshot, context: hold.frozen, visitor: $0, history: history)
    }
    if (try? JSONDocument(parsing: steps)) == nil { return "an explanation is no JSON" }
  }
  return nil
}

private let visitor = Array("visitor-7".utf8)

/// Somebody of whom nothing is known, and some with a value for whatever a campaign may ask.
private let contexts: [EvaluationContext] = [
  EvaluationContext(targetingKey: visitor),
  EvaluationContext(
    targetingKey: visitor,
    attributes: [
      Attribute(name: Array("plan".utf8), value: .string(Array("premium".utf8))),
      Attribute(name: Array("age".utf8), value: .int(30)), Attribute(name: Array("isVIP".utf8), value: .bool(true)),
      Attribute(name: Array("version".utf8), value: .string(Array("1.2.3".utf8))),
      Attribute(name: Array("basket".utf8), value: .double(19.5)),
    ]),
]
