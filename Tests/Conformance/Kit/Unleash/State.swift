import HoistJSON
import HoistUnleash

/// Batches of events on top of each other.
func runDelta(_ root: JSONValue, _ report: Report) { runSteps(root, report, comparesStatus: false) }

/// Which documents are taken, and with which status.
func runState(_ root: JSONValue, _ report: Report) { runSteps(root, report, comparesStatus: true) }

private func runSteps(_ root: JSONValue, _ report: Report, comparesStatus: Bool) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    var state = UnleashFeatureState()
    var engine: Engine?
    for (index, step) in (test["steps"]?.array?.map { $0 } ?? []).enumerated() {
      let place = "\(id) step \(index + 1)"
      let status = take(step["apply"], &state, &engine)
      if comparesStatus {
        report.check("\(place) status", expected: step["status"]?.string ?? "-", actual: status)
      }
      check(step, state, engine, place, report)
    }
  }
}

/// - Returns: what the vendor's engine calls it: ok, warning or error.
private func take(_ document: JSONValue?, _ state: inout UnleashFeatureState, _ engine: inout Engine?) -> String {
  do {
    try state.take(document?.source ?? [])
    let made = try Engine(state)
    engine = made
    return made.hasWarnings ? "warning" : "ok"
  } catch {
    return "error"
  }
}

private func check(
  _ step: JSONValue, _ state: UnleashFeatureState, _ engine: Engine?, _ place: String, _ report: Report
) {
  if let known = step["knownFlags"]?.array {
    // A flag given twice is listed twice by the vendor's engine; here a name has one flag.
    let names = Set(known.map { $0.string ?? "" }).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    report.check("\(place) knownFlags", expected: "\(names)", actual: "\(engine?.flagNames ?? [])")
  }
  if let ids = step["segmentIds"] {
    report.check(
      "\(place) segmentIds", expected: ids.canonicalText,
      actual: canonical { writer in
        writer.array { writer in
          for id in state.segmentIDs { writer.int(id) }
        }
      })
  }
  for check in step["checks"]?.array?.map({ $0 }) ?? [] {
    let toggle = check["toggle"]?.string ?? ""
    let wanted = "enabled \(check["enabled"]?.bool ?? false), found \(check["found"]?.bool ?? false)"
    guard let context = try? context(check["context"]) else {
      report.fail("\(place) \(toggle)", expected: wanted, actual: "a context that is not read")
      continue
    }
    let answer = engine?.answer(toggle, context) ?? Engine.Answer()
    report.check("\(place) \(toggle)", expected: wanted, actual: "enabled \(answer.enabled), found \(answer.found)")
  }
}
