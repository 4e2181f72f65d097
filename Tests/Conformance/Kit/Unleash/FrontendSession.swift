import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import HoistUnleash
import HoistUnleashTestSupport

/// Scripted sessions: completions, events, requests and reads, step by step. Stored tags show in the requests.
func runFrontendSession(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] { FrontendSession(test, report)?.run() }
}

private final class FrontendSession {
  private let test: JSONValue
  private let report: Report
  private let rig: ClientRig
  private let id: String
  private var seen = 0

  init?(_ test: JSONValue, _ report: Report) {
    self.test = test
    self.report = report
    id = test["id"]?.idText ?? "-"
    var properties = [
      "url": "http://unleash.test/api/frontend", "key": "frontend-key", "app_name": "hoist-test",
      "context": jsonText(test["context"]), "custom_headers": jsonText(test["customHeaders"]),
    ]
    if let bootstrap = test["bootstrap"]?.unlessNull { properties["bootstrap"] = "{\"toggles\":\(jsonText(bootstrap))}" }
    guard let rig = ClientRig(properties, providerHeaders: textMap(test["providerHeaders"])) else {
      report.fail(id, expected: "a client", actual: "none")
      return nil
    }
    self.rig = rig
    for response in test["responses"]?.array?.map({ $0 }) ?? [] { rig.transport.enqueue(Self.answer(response)) }
  }

  func run() {
    let wanted = test["expect"]?.array
    for (index, step) in (test["steps"]?.array?.map { $0 } ?? []).enumerated() {
      guard let expected = wanted?.element(at: index) else { continue }
      let place = "\(id) step \(index + 1) \(step["do"]?.string ?? "")"
      perform(step, expected, place)
      report.check(
        "\(place) events", expected: texts(expected["events"]),
        actual: "\(rig.takeEvents().filter { $0 != "fetch_error" && $0 != "recovered" })")
      report.check("\(place) ready", expected: "\(expected["ready"]?.bool ?? false)", actual: "\(rig.face.isReady)")
      checkRequests(expected, place)
    }
  }

  private func perform(_ step: JSONValue, _ expected: JSONValue, _ place: String) {
    let outcome = Outcome()
    let name = step["name"]?.string ?? ""
    switch step["do"]?.string {
    case "start":
      let bootstrap = step["bootstrap"]?.unlessNull.map { Array("{\"toggles\":\(jsonText($0))}".utf8) }
      _ = rig.face.start(bootstrap: bootstrap) { outcome.set($0) }
    case "poll": _ = rig.face.fetch { outcome.set($0) }
    case "updateContext":
      _ = rig.face.updateContext(textMap(step["context"]), properties: textMap(step["properties"])) { outcome.set($0) }
    case "isEnabled":
      let isOn = name.withBytes {
        rig.client.evaluate($0, nil, .bool, .counted) { evaluation, _ in evaluation.kind == .bool && evaluation.integer != 0 }
      }
      return report.check("\(place) result", expected: expected["result"]?.canonicalText ?? "-", actual: "\(isOn)")
    default:
      let variant = name.withBytes { rig.face.variant($0, nil, .counted) }
      return report.check("\(place) result", expected: expected["result"]?.canonicalText ?? "-", actual: text(of: variant))
    }
    rig.settle { outcome.value != nil }
    report.check(
      "\(place) completion", expected: expected["completion"]?.string ?? "not-called", actual: Self.name(outcome.value))
  }

  private func checkRequests(_ expected: JSONValue, _ place: String) {
    let made = rig.transport.requests.dropFirst(seen)
    seen = rig.transport.requests.count
    let wanted = expected["requests"]?.array?.map { $0 } ?? []
    report.check("\(place) requests", expected: "\(wanted.count)", actual: "\(made.count)")
    for (request, wanted) in zip(made, wanted) {
      let (base, pairs) = queryPairs(request.url)
      let query = wanted["query"]?.array?.map { $0.string ?? "" }.sorted() ?? []
      report.check(
        "\(place) request", expected: "\(wanted["method"]?.string ?? "") \(wanted["base"]?.string ?? "") \(query)",
        actual: "\(request.method) \(base) \(pairs)")
      report.check(
        "\(place) headers", expected: SentHeaders.expected(wanted["headers"]), actual: SentHeaders.actual(request.headers))
    }
  }

  private static func answer(_ response: JSONValue) -> ScriptedTransport.Answer {
    if response["none"]?.bool == true { return .failure(TransportFailure(.unreachable, "no answer")) }
    let headers = textMap(response["headers"]).map { HTTPHeader($0.key, $0.value) }
    var answer = HTTPResponse(
      status: Int(response["status"]?.int64 ?? 0), headers: headers, body: Array((response["body"]?.string ?? "").utf8))
    answer.hasNoBody = response["body"]?.string == nil
    return .success(answer)
  }

  private static func name(_ status: Status?) -> String {
    switch status {
    case nil: "not-called"
    case .ok?: "nil"
    case .unleashURL?: "url"
    case .unleashNetwork?: "network"
    case .unleashNoResponse?: "noResponse"
    case .unleashUnhandledStatus?: "unhandledStatusCode"
    case .unleashDecoding?: "decoding"
    case let other?: "status \(other.rawValue)"
    }
  }

  private func text(of variant: OwnedVariant) -> String {
    canonical { writer in
      writer.object { writer in
        writer.member("name", variant.name.string)
        writer.member("enabled", variant.isEnabled)
        if let sent = variant.featureEnabled { writer.member("featureEnabled", sent) }
        writer.payload(variant.payloadType.map { ($0.string, variant.payloadValue?.string ?? "") })
      }
    }
  }
}

private func texts(_ value: JSONValue?) -> String { "\(value?.array?.map { $0.string ?? "" } ?? [])" }

/// Headers as vectors compare them: lower-cased names; the vendor's own name of its library, its connection id and
/// two slips of its are left out.
enum SentHeaders {
  private static let left: Set<String> = ["unleash-sdk", "unleash-connection-id", "cache"]

  static func expected(_ value: JSONValue?) -> String {
    var map = textMap(value)
    // An empty tag may be left out.
    if map["if-none-match"] == "" { map["if-none-match"] = nil }
    return canonicalText(map.filter { !left.contains($0.key) })
  }

  static func actual(_ headers: [HTTPHeader]) -> String {
    var map: [String: String] = [:]
    for header in headers { map[header.name.lowercased()] = header.value }
    return canonicalText(map.filter { !left.contains($0.key) })
  }
}
