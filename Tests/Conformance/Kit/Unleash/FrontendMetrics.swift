import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import HoistUnleash
import HoistUnleashTestSupport

/// Usage metrics of a frontend client: bodies, headers and events of its sendings.
func runFrontendMetrics(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    let properties = [
      "url": test["base"]?.string ?? "http://unleash.test/api/frontend", "key": "frontend-key",
      "app_name": "hoist-test", "custom_headers": jsonText(test["customHeaders"]),
      "disable_metrics": test["disabled"]?.bool == true ? "true" : "false",
    ]
    guard let rig = ClientRig(properties) else {
      report.fail(id, expected: "a client", actual: "none")
      continue
    }
    rig.transport.enqueue(.success(HTTPResponse(status: 200, body: Array((test["body"]?.string ?? "").utf8))))
    let started = Outcome()
    _ = rig.face.start(bootstrap: nil) { started.set($0) }
    rig.settle { started.value != nil }
    _ = rig.takeEvents()
    for call in test["calls"]?.array?.map({ $0 }) ?? [] { perform(call, rig, test) }
    check(rig, test, id, report)
  }
}

private func perform(_ call: JSONValue, _ rig: ClientRig, _ test: JSONValue) {
  if let name = call["isEnabled"]?.string {
    _ = name.withBytes { rig.client.evaluate($0, nil, .bool, .counted) { _, _ in 0 } }
  } else if let name = call["getVariant"]?.string {
    _ = name.withBytes { rig.face.variant($0, nil, .counted) }
  } else if let seconds = call["advance"]?.double {
    rig.scheduler.advance(milliseconds: Int64((seconds * 1000).rounded()))
  } else {
    let sent = Outcome()
    rig.transport.enqueue(
      test["fail"]?.bool == true
        ? .failure(TransportFailure(.unreachable, "no answer"))
        : .success(HTTPResponse(status: Int(test["status"]?.int64 ?? 202))))
    rig.client.onScheduler { $0.provider?.flush { sent.set($0.status) } }
    rig.settle { sent.value != nil }
  }
}

private func check(_ rig: ClientRig, _ test: JSONValue, _ id: String, _ report: Report) {
  let wanted = test["expect"]?["posted"]?.array?.map { $0 } ?? []
  let posted = rig.transport.requests.filter { $0.method == "POST" }
  report.check("\(id) posted", expected: "\(wanted.count)", actual: "\(posted.count)")
  report.check(
    "\(id) events", expected: "\(test["expect"]?["events"]?.array?.map { $0.string ?? "" } ?? [])",
    actual: "\(rig.takeEvents())")
  for (request, wanted) in zip(posted, wanted) {
    report.check("\(id) url", expected: wanted["url"]?.string ?? "", actual: request.url)
    report.check(
      "\(id) headers", expected: SentHeaders.expected(wanted["headers"]), actual: SentHeaders.actual(request.headers))
    report.check("\(id) body", expected: common(wanted["body"]), actual: common(request.body ?? []))
  }
}

/// Application and bucket: what both send.
private func common(_ body: JSONValue?) -> String { "\(body?["appName"]?.string ?? "") \(body?["bucket"]?.canonicalText ?? "")" }

private func common(_ body: [UInt8]) -> String {
  guard let document = try? JSONDocument(parsing: body) else { return "(not JSON)" }
  return document.withRoot { common($0) }
}
