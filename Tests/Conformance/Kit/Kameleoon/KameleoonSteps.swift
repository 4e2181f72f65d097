import HoistBase
import HoistJSON

/// Cases that are steps of one client, each with what comes of it.
func runKameleoonSteps(_ root: JSONValue, _ report: Report) {
  let clock = root["clockStartMs"]?.int64 ?? 0
  var texts: [String: [UInt8]] = [:]
  for (name, configuration) in members(root["configurations"]) { texts[name.string] = configuration.source }
  forEachCase(root) { index, test in
    let id = "\(index) \"\(test["name"]?.string ?? "")\""
    let steps = test["steps"]?.array.map { Array($0) } ?? []
    if let unknown = steps.lazy.compactMap({ $0["op"]?.string }).first(where: { KameleoonCase.operations[$0] == nil }) {
      return report.skip(1, reason: "step \(unknown) is not played")
    }
    var codes: [String] = []
    for code in steps.compactMap({ $0["visitorCode"]?.string }) where !codes.contains(code) { codes.append(code) }
    var properties: [String: String] = [:]
    if let environment = test["environment"]?.string { properties["environment"] = environment }
    if let domain = test["networkDomain"]?.string { properties["network_domain"] = domain }
    let fetches = steps.contains { $0["op"]?.string == "fetchConfiguration" }
    let play = KameleoonCase(
      site: KameleoonCase.site(of: test, in: root),
      configuration: fetches ? nil : texts[test["configuration"]?.string ?? ""] ?? [], clock: clock,
      isStrict: test["quirk"] != nil || steps.contains { KameleoonCase.departs($0) },
      codes: codes, properties: properties)
    guard let play else { return report.fail(id, expected: "a client", actual: "(none)") }
    for (number, step) in steps.enumerated() {
      guard let difference = play.difference(step) else { continue }
      return report.check(
        "\(id) step \(number) \(step["op"]?.string ?? "")", expected: difference.expected, actual: difference.actual)
    }
    report.check(id, expected: "", actual: "")
  }
}

extension KameleoonCase {
  /// Plays a step.
  /// - Returns: what was to come of it, and what came, where they are not the same.
  fileprivate func difference(_ step: JSONValue) -> (expected: String, actual: String)? {
    guard let operation = Self.operations[step["op"]?.string ?? ""] else { return ("a known step", "-") }
    let outcome = operation(self, step)
    let expected = step["expect"]
    let error = expected?["error"]?.string
    if error != nil || outcome.error != nil {
      return outcome.error == error ? nil : (error ?? "no error", outcome.error ?? "no error")
    }
    for (key, value) in members(expected) {
      let name = key.string
      let (wanted, got): (String, String)
      if name == "requests" {
        wanted = value.array?.map { expectedRequest($0) }.joined(separator: " ; ") ?? ""
        got = arranged(outcome.requests ?? [], like: value)
      } else if name == "trackingUrl" {
        wanted = Self.comparable(url: value.string ?? "")
        got = Self.comparable(url: face.trackingAddress)
      } else {
        wanted = value.canonicalText
        let document = outcome.members[name].flatMap { try? JSONDocument(parsing: $0) }
        got = document?.withRoot { $0.canonicalText } ?? "(none)"
      }
      if wanted != got { return ("\(name) \(wanted)", "\(name) \(got)") }
    }
    return nil
  }
}
