import HoistBase
import HoistJSON
import HoistLaunchDarkly
import HoistTestSupport

/// JSON to a context and back; or refused.
func runContextParse(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let context = (test["input"]?.string ?? "").withBytes { try? LDContext.read(json: $0) }
    let isValid = test["valid"]?.bool ?? false
    report.check("\(id) valid", expected: "\(isValid)", actual: "\(context != nil)")
    guard isValid, let context else { return }
    report.check("\(id) output", expected: contextText(test["output"]), actual: contextText(context.requestJSON))
    report.check(
      "\(id) key", expected: test["fully_qualified_key"]?.canonicalText ?? "-",
      actual: canonical { $0.string(context.fullyQualifiedKey) })
    report.check(
      "\(id) keys", expected: test["context_keys"]?.canonicalText ?? "-", actual: canonical(text: context.keys.json))
  }
}

/// The texts that identify a context.
func runContextHash(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    guard let context = context(of: test["context"]) else {
      return report.fail(id, expected: "a context", actual: "none")
    }
    let actual = [context.fullyQualifiedKey, context.hashedKey, context.fingerprint]
    let expected = ["fully_qualified_key", "hashed_key", "fingerprint"].map { test.object?.member($0)?.string ?? "-" }
    report.check(id, expected: "\(expected)", actual: "\(actual)")
  }
}

/// A reference's names.
func runAttributeReferences(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let text = test["text"]?.string ?? ""
    let reference =
      test["literal"]?.bool ?? false ? AttributeReference(literal: text) : AttributeReference(text)
    report.check("\(id) valid", expected: "\(test["valid"]?.bool ?? false)", actual: "\(reference.isValid)")
    report.check(
      id, expected: test["components"]?.canonicalText ?? "-",
      actual: canonical { writer in writer.array { writer in for name in reference.components { writer.string(name) } } })
  }
}

/// A context as events hold it.
func runRedaction(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    guard let context = context(of: test["context"]) else {
      return report.fail(id, expected: "a context", actual: "none")
    }
    let redaction = Redaction(
      allAttributesPrivate: test["all_attributes_private"]?.bool ?? false,
      globalPrivate: test["global_private"]?.array?.compactMap { $0.string.map { AttributeReference($0) } } ?? [])
    let isFeature = test["redact_anonymous"]?.bool ?? false
    let redacted = RedactedContext(context, redaction)
    let text = isFeature ? redacted.featureJSON : redacted.json
    report.check(id, expected: contextText(test["output"]), actual: contextText(text))
  }
}

/// A context as it stands in URLs.
func runRequestContext(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let segment = context(of: test["context"])?.pathSegment
    let decoded = segment.flatMap { Base64.decode($0, alphabet: .urlSafe) }
    report.check(
      id, expected: contextText(test["json_in_url"]), actual: decoded.map { contextText($0) } ?? "no base64")
    let example = (test["example_path_segment"]?.string ?? "").withBytes {
      Base64.decode($0, alphabet: .urlSafe)
    }
    report.check("\(id) example", expected: contextText(test["json_in_url"]), actual: example.map { contextText($0) } ?? "-")
  }
}

/// The header of the application's own names.
func runApplicationTags(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let tags = ApplicationTags(
      ApplicationInfo(
        id: test["id"]?.string, name: test["name"]?.string, version: test["version"]?.string,
        versionName: test["versionName"]?.string))
    report.check(id, expected: test["header"]?.string ?? "(none)", actual: tags.header ?? "(none)")
  }
}

func context(of value: JSONValue?) -> LDContext? {
  (value?.source ?? []).withBytes { try? LDContext.read(json: $0) }
}

private func contextText(_ value: JSONValue?) -> String { value.map { contextText($0.source) } ?? "-" }

/// Canonical text in which references stand as lists of names: their spelling and order are free, and those that are not
/// valid, or name the same twice, may be left out.
private func contextText(_ text: [UInt8]) -> String {
  guard case .object(var context)? = text.withBytes({ try? LDValue(json: $0) }) else { return "(not an object)" }
  if context["kind"]?.string == "multi" {
    for part in context {
      if case .object(let object) = part.value { context.set(part.name, .object(withNames(object))) }
    }
  }
  return canonical(text: LDValue.object(withNames(context)).json)
}

private func withNames(_ part: LDObject) -> LDObject {
  guard case .object(var meta)? = part["_meta"] else { return part }
  for list in ["privateAttributes", "redactedAttributes"] {
    guard let references = meta[list]?.array else { continue }
    var names = references.map { reference in
      reference.string.map { LDValue.array(AttributeReference($0).components.map { .string($0) }) } ?? reference
    }
    names.sort { $0.json.lexicographicallyPrecedes($1.json) }
    if list == "privateAttributes" {
      names = names.enumerated().filter { $1 != [] && ($0 == 0 || names[$0 - 1] != $1) }.map(\.element)
    }
    meta.set(list, names.isEmpty && list == "privateAttributes" ? nil : .array(names))
  }
  var part = part
  part.set("_meta", meta.isEmpty ? nil : .object(meta))
  return part
}
