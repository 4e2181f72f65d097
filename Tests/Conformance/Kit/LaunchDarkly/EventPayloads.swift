import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly
import HoistTestSupport

/// Payloads of events (4.4): one list of events per flush, none where there was no request.
func runEventPayloads(_ root: JSONValue, _ report: Report) {
  guard let cases = root["cases"]?.array else { return }
  for index in cases.indices {
    let vector = cases[index]
    let name = "\(index) \(vector["name"]?.string ?? "")"
    guard let session = EventSession(vector) else {
      report.fail(name, expected: "a context that can be read", actual: "refused")
      continue
    }
    var payloads: [String] = []
    for step in vector["steps"]?.array.map({ Array($0) }) ?? [] {
      if let payload = session.run(step) { payloads.append(payload) }
    }
    let expected = vector["payloads"]?.array.map { $0.map { NormalEvents.normal($0) } } ?? []
    report.check(name, expected: expected.joined(separator: "\n"), actual: payloads.joined(separator: "\n"))
  }
}

private final class EventSession {
  private let host = TestHost()
  private let replay: EventReplay

  init?(_ vector: JSONValue) {
    guard let context = Self.context(vector["context"]) else { return nil }
    let config = vector["config"]
    let redaction = Redaction(
      allAttributesPrivate: config?["all_attributes_private"]?.bool ?? false,
      globalPrivate: (config?["global_private"]?.array.map { $0.compactMap(\.string) } ?? []).map { AttributeReference($0) })
    host.network.setResponder { _ in .success(HTTPResponse(status: 202)) }
    replay = EventReplay(
      host: host, capacity: Int(config?["capacity"]?.int64 ?? 100), redaction: redaction, context: context)
    replay.serve(Self.text(vector["flags"]))
    host.time.run()
  }

  private static func context(_ value: JSONValue?) -> LDContext? {
    text(value).withBytes { try? LDContext.read(json: $0) }
  }

  private static func text(_ value: JSONValue?) -> [UInt8] { value.flatMap { try? $0.text() } ?? Array("{}".utf8) }

  /// - Returns: what a flush has sent; nil for other steps.
  func run(_ step: JSONValue) -> String? {
    switch step["do"]?.string {
    case "evaluate":
      replay.evaluate(
        step["flagKey"]?.string ?? "", Self.want(step["type"]?.string), fallback: Self.text(step["default"]),
        isDetailed: step["detail"]?.bool ?? false)
    case "track":
      replay.track(step["key"]?.string ?? "", data: step["data"].map { Self.text($0) }, metric: step["metricValue"]?.double)
    case "identify":
      if let context = Self.context(step["context"]) {
        replay.identify(context)
        if let flags = step["flags"] { replay.serve(Self.text(flags)) }
      }
    default:
      let before = host.network.requests.count
      replay.flush()
      host.time.run()
      let sent = host.network.requests.dropFirst(before)
      guard let body = sent.first?.body, sent.count == 1 else { return sent.isEmpty ? "[]" : "\(sent.count) requests" }
      return (try? JSONDocument(parsing: body))?.withRoot { NormalEvents.normal($0) } ?? "(no JSON)"
    }
    return nil
  }

  private static func want(_ type: String?) -> WantedType {
    switch type {
    case "bool": .bool
    case "int": .int
    case "double": .double
    case "string": .string
    default: .json
    }
  }
}
