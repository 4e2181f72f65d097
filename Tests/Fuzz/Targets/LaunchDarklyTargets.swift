import HoistBase
import HoistCore
import HoistLaunchDarkly

/// Messages about flags, one a line, each after the letter of its kind: what is refused changes nothing, and what the
/// store would keep reads back the same.
func checkFlags(_ bytes: ByteView) -> String? {
  let replay = FlagReplay()
  for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 64) {
    guard let event = events[line.first ?? 0] else { continue }
    let before = replay.cacheDocument
    let data = ByteView(rebasing: line.dropFirst())
    guard case .applied(let changes) = replay.apply(event, data) else {
      guard replay.cacheDocument == before else { return "a refused message has changed something" }
      continue
    }
    if let problem = checkChanges(changes, event) { return problem }
  }
  return checkKept(replay)
}

private let events: [UInt8: String] = [
  UInt8(ascii: "p"): "put", UInt8(ascii: "u"): "patch", UInt8(ascii: "d"): "delete", UInt8(ascii: "c"): "cache",
]

private func checkChanges(_ changes: [FlagChange], _ event: String) -> String? {
  if changes.contains(where: { $0.oldValue == nil && $0.newValue == nil }) { return "a change of nothing to nothing" }
  if event != "put", event != "cache", changes.count > 1 { return "one flag's message has changed several" }
  return nil
}

private func checkKept(_ replay: FlagReplay) -> String? {
  let other = FlagReplay()
  let kept = replay.cacheDocument
  guard case .applied = kept.withBytes({ other.apply("cache", $0) }) else { return "what is kept is refused" }
  guard other.tombstones == replay.tombstones else { return "tombstones read back otherwise" }
  guard case .applied(let changes) = other.cacheDocument.withBytes({ replay.apply("cache", $0) }), changes.isEmpty else {
    return "what is kept reads back otherwise"
  }
  guard let snapshot = replay.snapshot else { return "no snapshot" }
  for index in 0..<snapshot.flagCount {
    let key = snapshot.name(of: snapshot.record(at: index))
    for want in [WantedType.bool, .int, .double, .string, .json, .any] {
      guard
        replay.evaluate(key, want, { $0.kind == .none || want == .any || $0.kind.rawValue == want.rawValue && !$1.isEmpty })
          == true
      else { return "an answer of another type" }
    }
  }
  return nil
}

/// A context that is written, frozen or redacted stays the same one; a reference finds what its spelling says.
func checkLaunchDarklyContext(_ bytes: ByteView) -> String? {
  if UTF8Text.isValid(bytes), let problem = checkReference(String(decoding: bytes, as: UTF8.self)) { return problem }
  guard let context = try? LDContext.read(json: bytes) else { return nil }
  let redacted = RedactedContext(context, Redaction())
  for (form, text) in [("redacted", redacted.json), ("redacted for features", redacted.featureJSON)] {
    guard let value = text.withBytes({ try? LDValue(json: $0) }) else { return "\(form), it is no JSON" }
    guard context.isMulti || value.object?["key"] == context.key.map({ .string($0) }) else {
      return "\(form), it has another key"
    }
  }
  for reference in context.parts.flatMap(\.privateAttributes) where !context.isMulti && reference.isValid {
    let name = reference.components.first ?? ""
    if ["kind", "key", "anonymous"].contains(where: { $0.utf8.elementsEqual(name.utf8) }) { continue }
    let value = redacted.json.withBytes { try? LDValue(json: $0) }
    if find(reference.components, in: value) != nil { return "what is private is there" }
  }
  // A user of old may have an empty key, which nobody else may.
  if context.key?.isEmpty ?? false { return nil }
  guard let again = context.requestJSON.withBytes({ try? LDContext.read(json: $0) }) else { return "it cannot be read again" }
  guard again == context, again.fingerprint == context.fingerprint, again.requestJSON == context.requestJSON else {
    return "read again, it differs"
  }
  guard let frozen = context.reference else { return nil }
  guard let thawed = try? LDContext.read(frozen) else { return "frozen, it cannot be read" }
  return thawed == context ? nil : "frozen, it differs"
}

private func checkReference(_ text: String) -> String? {
  let literal = AttributeReference(literal: text)
  guard AttributeReference(literal.raw) == literal else { return "a literal reference is spelled otherwise" }
  let reference = AttributeReference(text)
  guard reference.isValid == !reference.components.isEmpty else { return "a reference is valid and leads nowhere" }
  return reference.components.contains("") ? "a reference has an empty name" : nil
}

private func find(_ names: [String], in value: LDValue?) -> LDValue? {
  var value = value
  for name in names { value = value?.object?[name] }
  return value
}
