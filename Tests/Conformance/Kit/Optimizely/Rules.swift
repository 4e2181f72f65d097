import HoistBase
import HoistJSON
import HoistOptimizely
import HoistTestSupport

/// Hash and bucket of an id under a parent.
func runBucketing(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let hash = Murmur3State(test["bucketingId"]?.string ?? "", seed: 1).finish(appending: test["entityId"]?.string ?? "")
    report.check(
      id, expected: "\(test["hash"]?.canonicalText ?? "-") → \(test["bucketValue"]?.canonicalText ?? "-")",
      actual: "\(hash) → \(BucketValue.of(hash))")
  }
}

/// One condition against attributes.
func runAudienceLeaf(_ root: JSONValue, _ report: Report) {
  var refused = 0
  forEachCase(root) { id, test in
    let visitor = Visitor("user", test["attributes"])
    if visitor.hasRefusedAttributes, test["condition"]?["match"]?.string == "exists" {
      refused += 1
      return
    }
    var content = SubjectContent()
    content.segments = test["qualifiedSegments"]?.array?.map { bytes($0) }
    report.check(
      id, expected: test["result"]?.canonicalText ?? "-",
      actual: truth(test["condition"]?.source ?? [], visitor, content))
  }
  if refused > 0 { report.skip(refused, reason: "a context refuses numbers that are not finite, so that none exists") }
}

/// Operators over known leaves.
func runConditionTree(_ root: JSONValue, _ report: Report) {
  let attributes = try? JSONDocument(parsing: #"{"there":1}"#)
  attributes?.withRoot { attributes in
    let visitor = Visitor("user", attributes)
    forEachCase(root) { id, test in
      var writer = JSONWriter()
      if let tree = test["tree"] { write(tree: tree, to: &writer) }
      report.check(
        id, expected: test["result"]?.canonicalText ?? "-", actual: truth(writer.bytes, visitor, SubjectContent()))
    }
  }
}

private func write(tree: JSONValue, to writer: inout JSONWriter) {
  if let list = tree.array {
    writer.array { writer in for node in list { write(tree: node, to: &writer) } }
    return
  }
  switch tree.string {
  case "T": writer.raw(Array(#"{"type":"custom_attribute","name":"there","match":"exists"}"#.utf8))
  case "F": writer.raw(Array(#"{"type":"custom_attribute","name":"missing","match":"exists"}"#.utf8))
  case "N": writer.raw(Array(#"{"type":"custom_attribute","name":"missing","match":"gt","value":1}"#.utf8))
  default: writer.string(tree.string ?? "")
  }
}

/// Versions under each operator.
func runTargetVersions(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    var writer = JSONWriter()
    writer.object { $0.member("v", test["user"]?.string ?? "") }
    let attributes = try? JSONDocument(parsing: writer.bytes)
    let visitor = attributes?.withRoot { Visitor("user", $0) }
    for match in ["semver_eq", "semver_lt", "semver_le", "semver_gt", "semver_ge"] {
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("type", "custom_attribute")
        writer.member("name", "v")
        writer.member("match", match)
        writer.member("value", test["target"]?.string ?? "")
      }
      let expected = members(test).first { $0.key.string == match }?.value.canonicalText ?? "-"
      report.check("\(id) \(match)", expected: expected, actual: visitor.map { truth(writer.bytes, $0, SubjectContent()) } ?? "-")
    }
  }
}

/// What an audience of these conditions says of a visitor.
private func truth(_ conditions: [UInt8], _ visitor: Visitor, _ content: SubjectContent) -> String {
  let datafile = smallDatafile("typedAudiences") { writer in
    writer.member("id", "1")
    writer.member("name", "one")
    writer.key("conditions")
    writer.raw(conditions)
  }
  guard let project = try? Project(datafile) else { return "a datafile that is refused" }
  let subject = OptimizelySubject(content)
  let answer = OptimizelyFlags.isInAudience("1", of: project.snapshot, context: visitor.frozen, subject: subject)
  return answer.map { "\($0)" } ?? "null"
}
