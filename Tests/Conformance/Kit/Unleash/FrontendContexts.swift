import HoistCore
import HoistJSON
import HoistTestSupport
import HoistUnleash
import HoistUnleashTestSupport

/// The URL of a fetch. A context of the vectors may lack what a client always has: those pairs are not compared.
func runFrontendURL(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    let context = test["context"]
    var members = textMap(context)
    var properties = ["url": test["unleashUrl"]?.string ?? "", "key": "k", "properties": jsonText(context?["properties"])]
    if let name = members.removeValue(forKey: "appName") { properties["app_name"] = name }
    if let environment = members.removeValue(forKey: "environment") { properties["environment"] = environment }
    properties["context"] = jsonText(ofMap: members)
    let (base, pairs) = firstRequest(properties) ?? ("none", [])
    let always = ["appName", "environment", "sessionId"].filter { context?.object?.member($0) == nil }
    let compared = pairs.filter { pair in !always.contains { pair.hasPrefix($0 + "=") } }
    let expected = test["expect"]?["query"]?.array?.map { $0.string ?? "" } ?? []
    report.check(
      id, expected: "\(test["expect"]?["base"]?.string ?? "") \(expected.sorted())", actual: "\(base) \(compared)")
  }
}

private func firstRequest(_ properties: [String: String]) -> (base: String, pairs: [String])? {
  guard let rig = ClientRig(properties) else { return nil }
  _ = rig.face.start(bootstrap: nil) { _ in }
  rig.settle { !rig.transport.requests.isEmpty }
  return rig.transport.requests.first.map { queryPairs($0.url) }
}

/// The context after construction and after each update, read from the fetches it makes, and the flat map at the end.
func runFrontendContext(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    var properties = ["url": "http://unleash.test/api/frontend", "key": "k", "context": jsonText(test["initial"])]
    if let name = test["appName"]?.string { properties["app_name"] = name }
    if let environment = test["environment"]?.string { properties["environment"] = environment }
    guard let rig = ClientRig(properties) else {
      report.fail(id, expected: "a client", actual: "none")
      continue
    }
    let hasEnvironment = properties["environment"] != nil
    _ = rig.face.start(bootstrap: nil) { _ in }
    check(0, rig, test, hasEnvironment, id, report)
    for (index, update) in (test["updates"]?.array?.map { $0 } ?? []).enumerated() {
      _ = rig.face.updateContext(textMap(update["context"]), properties: textMap(update["properties"])) { _ in }
      check(index + 1, rig, test, hasEnvironment, id, report)
    }
    var map = rig.face.flattenedContext
    map["sessionId"] = nil
    if !hasEnvironment { map["environment"] = test["expect"]?["map"]?["environment"]?.string }
    report.check("\(id) map", expected: test["expect"]?["map"]?.canonicalText ?? "-", actual: canonicalText(map))
  }
}

private func check(
  _ index: Int, _ rig: ClientRig, _ test: JSONValue, _ hasEnvironment: Bool, _ id: String, _ report: Report
) {
  rig.settle { rig.transport.requests.count > index }
  guard let wanted = test["expect"]?["contexts"]?.array?.element(at: index), index < rig.transport.requests.count else {
    return report.fail("\(id) context \(index)", expected: "a request", actual: "none")
  }
  var fields: [String: String] = [:]
  var properties: [String: String] = [:]
  for pair in queryPairs(rig.transport.requests[index].url).pairs {
    let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { percentDecoded(String($0)) }
    if sides[0].hasPrefix("properties["), sides[0].hasSuffix("]") {
      properties[String(sides[0].dropFirst("properties[".count).dropLast())] = sides[1]
    } else {
      fields[sides[0]] = sides[1]
    }
  }
  if !hasEnvironment { fields["environment"] = nil }
  if wanted["sessionId"]?.string == "<generated>", let drawn = fields["sessionId"].flatMap({ Int($0) }), 0...999_999_999 ~= drawn
  {
    fields["sessionId"] = "<generated>"
  }
  let actual = canonical { writer in
    writer.object { writer in
      for (name, value) in fields { writer.member(name, value) }
      writer.key("properties")
      writer.object { writer in
        for (name, value) in properties { writer.member(name, value) }
      }
    }
  }
  report.check("\(id) context \(index)", expected: wanted.canonicalText, actual: actual)
}

func canonicalText(_ map: [String: String]) -> String {
  canonical { writer in
    writer.object { writer in
      for (name, value) in map { writer.member(name, value) }
    }
  }
}

private func jsonText(ofMap map: [String: String]) -> String { canonicalText(map) }

private func percentDecoded(_ text: String) -> String {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
      bytes.append(byte)
      continue
    }
    bytes.append(value)
    rest = rest.dropFirst(2)
  }
  return String(decoding: bytes, as: UTF8.self)
}
