import HoistBase
import HoistCore
import HoistJSON

@testable import HoistLaunchDarkly

/// Which events are the first of their contexts (server 7.2, 7.7).
func runServerIndexes(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let session = ServerEventSession(test)
    let contexts = test["contexts"]?.array
    var actual: [String] = []
    for step in test["sequence"]?.array.map(Array.init) ?? [] {
      let (what, place) = (step.array?.element(at: 0)?.string, step.array?.element(at: 1)?.int64)
      session.with(place.flatMap { contexts?.element(at: Int($0)) }) { context in
        switch what {
        case "identify": _ = session.events.identify(context)
        case "track": session.track("e", data: nil, metric: nil, of: context)
        default: "nosuch".withBytes { session.events.unknown($0, nil, of: context) }
        }
      }
      if what == "forget_contexts" { session.events.seen.forget() }
      let index = session.flush().first { $0.object?["kind"]?.string == "index" }?.object?["context"]
      actual.append(index.map { String(decoding: NormalEvents.normal(context: $0).json, as: UTF8.self) } ?? "null")
    }
    let expected = test["index_contexts"]?.array.map(Array.init) ?? []
    report.check(
      id, expected: "\(expected.map { String(decoding: NormalEvents.normal(context: LDValue($0)).json, as: UTF8.self) })",
      actual: "\(actual)")
    report.check("\(id) reused", expected: "\(test["deduplicated"]?.int64 ?? -1)", actual: "\(session.events.seen.reused)")
  }
}
