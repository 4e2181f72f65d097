import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// A visitor of a vector: the campaigns it is decided on, its context and its history.
struct FlagshipCase {
  let flags: VisitorFlags
  let history: AssignmentHistory

  /// - Returns: nil where the campaigns cannot be read.
  init?(bucketing text: [UInt8], visitor: String, context: JSONValue?, history: JSONValue? = nil) {
    guard let served = try? BucketingReader.read(text) else { return nil }
    let context = typedContext(context, visitor: visitor)
    let known = AssignmentHistory.of(history)
    (flags, self.history) = withExtendedLifetime(context) {
      visitor.withBytes {
        VisitorFlags.decide(owning: served.snapshot, context: context?.frozen, visitor: $0, history: known) ?? (.none, known)
      }
    }
  }
}

extension AssignmentHistory {
  fileprivate static func of(_ object: JSONValue?) -> AssignmentHistory {
    object?.object?.reduce(AssignmentHistory.empty) { history, member in
      (member.value.string ?? "").withBytes { history.adding([Assignment(group: ByteView(member.key.utf8), variation: $0)]) }
    } ?? .empty
  }

  fileprivate var canonicalText: String {
    canonical { writer in
      writer.object { writer in
        for assignment in assignments { writer.member(text(assignment.group), text(assignment.variation)) }
      }
    }
  }
}

/// A context of typed values.
func typedContext(_ values: JSONValue?, visitor: String) -> ContextReference? {
  let context = EvaluationContext(targetingKey: visitor)
  for (name, value) in values?.object.map({ Array($0) }) ?? [JSONObject.Element]() {
    guard let typed = typedValue(value) else { continue }
    _ = try? context.set(Array(name.utf8), typed)
  }
  return context.reference()
}

/// `{"t": type, "v": value}`.
private func typedValue(_ value: JSONValue) -> AttributeValue? {
  switch value["t"]?.string {
  case "string": .string(Array((value["v"]?.string ?? "").utf8))
  case "bool": value["v"]?.bool.map { .bool($0) }
  case "int": value["v"]?.int64.map { .int($0) }
  case "double": value["v"]?.double.map { .double($0) }
  default: nil
  }
}

/// Hash and bucket of a visitor in a group.
func runFlagshipHash(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let hash = Murmur3State(test["variationGroupId"]?.string ?? "").finish(appending: test["visitorId"]?.string ?? "")
    report.check(
      id, expected: test["expected"]?.canonicalText ?? "-",
      actual: canonical { writer in
        writer.object { writer in
          writer.key("bucket")
          writer.int(hash % 100)
          writer.key("hash")
          writer.int(hash)
        }
      })
  }
}

/// One condition against a context.
func runTargeting(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let text = oneGroup { writer in
      writer.array { writer in
        writer.object { writer in
          writer.key("targetings")
          writer.array { writer in
            writer.object { writer in
              writer.member("operator", test["operator"]?.string ?? "")
              writer.member("key", test["key"]?.string ?? "")
              writer.key("value")
              writer.raw(test["target"]?.source ?? Array("null".utf8))
            }
          }
        }
      }
    }
    checkMatch(id, test, text, report)
  }
}

/// Lists of conditions against a context.
func runTargetingGroups(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    checkMatch(id, test, oneGroup { $0.raw(test["targetingGroups"]?.source ?? []) }, report)
  }
}

private func checkMatch(_ id: String, _ test: JSONValue, _ text: [UInt8], _ report: Report) {
  let visitor = FlagshipCase(bucketing: text, visitor: test["visitorId"]?.string ?? "visitor", context: test["context"])
  report.check(
    id, expected: test["expected"]?.canonicalText ?? "-", actual: visitor.map { "\($0.flags.count == 1)" } ?? "(unread)")
}

/// The variation of one group that everybody matches.
func runAllocation(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let file = oneGroup(test["variationGroupId"]?.string ?? "", variations: test["variations"]?.array ?? nil) { writer in
      writer.raw(Array(#"[{"targetings":[]}]"#.utf8))
    }
    let visitor = FlagshipCase(
      bucketing: file, visitor: test["visitorId"]?.string ?? "", context: nil, history: test["history"])
    let chosen = visitor?.flags.value(at: 0).map { text($0.variationID) }
    report.check(id, expected: test["expected"]?.canonicalText ?? "-", actual: chosen.map { "\"\($0)\"" } ?? "null")
  }
}

/// Whole files.
func runCampaigns(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let file = root["bucketingFiles"]?.object?.member(test["bucketing"]?.string ?? "")?.source ?? []
    let visitor = FlagshipCase(
      bucketing: file, visitor: test["visitorId"]?.string ?? "", context: test["context"], history: test["history"])
    let actual = visitor.map { #"{"flags":\#(flagsText($0.flags)),"history":\#($0.history.canonicalText)}"# }
    report.check(id, expected: test["expected"]?.canonicalText ?? "-", actual: actual ?? "(unread)")
  }
}

/// Flags as vectors write them, by key.
func flagsText(_ flags: VisitorFlags) -> String {
  canonical { writer in
    writer.object { writer in
      for flag in (0..<flags.count).compactMap({ flags.value(at: $0) }) {
        writer.key(text(flag.key))
        writer.object { writer in
          let metadata = flag.metadata
          writer.key("value")
          writer.raw(flag.json)
          writer.member("campaignId", text(metadata.campaignID))
          writer.member("variationGroupId", text(metadata.variationGroupID))
          writer.member("variationId", text(metadata.variationID))
          writer.member("isReference", metadata.isReference)
          writer.member("campaignType", text(metadata.campaignType))
          writer.member("slug", text(metadata.slug))
        }
      }
    }
  }
}

/// A bucketing file of one group.
private func oneGroup(
  _ id: String = "group", variations: JSONArray? = nil, targetingGroups: (inout JSONWriter) -> Void
) -> [UInt8] {
  var writer = JSONWriter(wholeDoubles: .withFraction)
  writer.verbatim(#"{"campaigns":[{"id":"campaign","variationGroups":[{"targeting":{"targetingGroups":"#)
  targetingGroups(&writer)
  writer.verbatim(#"},"variations":["#)
  let all = variations.map { $0.map { ($0["id"]?.string ?? "", $0["allocation"]?.int64 ?? 0) } } ?? [("variation", 100)]
  for (id, allocation) in all {
    writer.object { writer in
      writer.member("id", id)
      writer.key("allocation")
      writer.int(allocation)
      writer.key("modifications")
      writer.raw(Array(#"{"value":{"flag":1}}"#.utf8))
    }
  }
  writer.verbatim(#"],"id":"#)
  writer.string(id)
  writer.verbatim("}]}]}")
  return writer.bytes
}
