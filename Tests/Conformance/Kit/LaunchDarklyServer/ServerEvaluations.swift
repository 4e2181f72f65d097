import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly

/// Sets of flags and calls of the json type, with the prerequisites that make events; also with big segments, and sets that
/// are refused (4, 4.8, 4.9).
func runServerEvaluation(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let store = test["store"]?.unlessNull.map { BigSegmentStore($0) }
    var query: ServerReplay.BigSegmentQuery?
    if let store { query = { store.answer($0) } }
    let replay = ServerReplay(test["data"]?.source ?? [], bigSegments: query)
    if let accepted = test["accepted"]?.bool {
      report.check("\(id) accepted", expected: "\(accepted)", actual: "\(replay != nil)")
    }
    guard let replay else {
      if test["accepted"]?.bool != false { report.fail(id, expected: "a set that can be read", actual: "refused") }
      return
    }
    for (index, call) in list(test["evaluations"]).enumerated() {
      run(call, "\(id) call \(index)", replay, store, report)
    }
  }
}

private func run(_ call: JSONValue, _ id: String, _ replay: ServerReplay, _ store: BigSegmentStore?, _ report: Report) {
  let (key, context, expect) = (call["flagKey"]?.string ?? "", contextReference(call["context"]), call["expect"])
  store?.forgetQueries()
  report.check(
    id, expected: expectedDetail(expect),
    actual: replay.answer(key, context, .json, fallback: call["default"]?.canonicalText ?? "null"))
  if let queries = expect?["queries"] ?? call["queries"] {
    report.check(
      "\(id) queries", expected: queries.canonicalText,
      actual: canonical { writer in
        writer.array { writer in for query in store?.queries ?? [] { writer.string(query) } }
      })
  }
  guard expect?["queries"] == nil || expect?["prerequisiteEvents"] != nil else { return }
  let events = replay.prerequisites(of: key, context)
  report.check(
    "\(id) prerequisites", expected: (expect?["prerequisiteEvents"]?.canonicalText ?? "[]"),
    actual: canonical { writer in
      writer.array { writer in
        for event in events {
          writer.array { writer in
            writer.string(event.key)
            writer.string(event.of)
            if event.variation < 0 { writer.null() } else { writer.int(Int64(event.variation)) }
          }
        }
      }
    })
}

/// What a store of big segments would know. Answers are kept for ever, but for failures.
private final class BigSegmentStore: @unchecked Sendable {
  private var memberships: [String: [String: Bool]] = [:]
  private var failing: Set<String> = []
  private var known: [String: [String: Bool]] = [:]
  private let status: String
  private(set) var queries: [String] = []

  init(_ store: JSONValue) {
    status = store["status"]?.string ?? ""
    failing = Set(store["failing"]?.array?.compactMap(\.string) ?? [])
    guard let known = store["memberships"]?.object else { return }
    for (hash, membership) in known {
      var references: [String: Bool] = [:]
      if let members = membership.object { for (reference, truth) in members { references[reference.string] = truth.bool } }
      memberships[hash.string] = references
    }
  }

  func forgetQueries() { queries = [] }

  func answer(_ hash: String) -> (membership: [String: Bool]?, status: String) {
    if let known = known[hash] { return (known, status) }
    queries.append(hash)
    if failing.contains(hash) { return (nil, "STORE_ERROR") }
    known[hash] = memberships[hash] ?? [:]
    return (known[hash], status)
  }
}

/// Calls of a type (5.2).
func runTypedCalls(_ root: JSONValue, _ report: Report) {
  let user = Array(#"{"kind":"user","key":"k"}"#.utf8).withBytes { try? LDContext.read(json: $0) }?.reference
  forEachCase(root) { id, test in
    guard let replay = ServerReplay(flag: test["flag"]?.source ?? []) else {
      return report.fail(id, expected: "a flag that can be read", actual: "refused")
    }
    let want: WantedType =
      switch test["type"]?.string {
      case "bool": .bool
      case "int": .int
      case "double": .double
      case "string": .string
      default: .json
      }
    report.check(
      id, expected: expectedDetail(test["expect"]),
      actual: replay.answer("f", user, want, fallback: test["default"]?.canonicalText ?? "null"))
  }
}

/// States of all flags (6).
func runFlagsStates(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    guard let replay = ServerReplay(test["data"]?.source ?? []) else {
      return report.fail(id, expected: "a set that can be read", actual: "refused")
    }
    var options: FlagsStateOptions = []
    if test["options"]?["clientSideOnly"]?.bool == true { options.insert(.clientSideOnly) }
    if test["options"]?["withReasons"]?.bool == true { options.insert(.withReasons) }
    if test["options"]?["detailsOnlyForTrackedFlags"]?.bool == true { options.insert(.detailsOnlyForTrackedFlags) }
    let state = replay.allFlags(contextReference(test["context"]), options, now: 1_760_000_000_000)
    report.check(id, expected: test["expect"]?.canonicalText ?? "-", actual: canonical(text: state))
  }
}
