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
    let expected = vector["payloads"]?.array.map { $0.map { EventSession.normal($0) } } ?? []
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
      return (try? JSONDocument(parsing: body))?.withRoot { Self.normal($0) } ?? "(no JSON)"
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

  /// A payload as the vectors show it: without times and keys of identify events, sets in order.
  static func normal(_ payload: JSONValue) -> String {
    let events = LDValue(payload).array ?? []
    return "[" + events.map { String(decoding: normal(event: $0).json, as: UTF8.self) }.joined(separator: ",") + "]"
  }

  private static func normal(event: LDValue) -> LDValue {
    guard let object = event.object else { return event }
    let isIdentify = object["kind"]?.string == "identify"
    return .object(
      LDObject(
        object.compactMap { member -> LDObject.Member? in
          switch member.name {
          case "creationDate", "startDate", "endDate": nil
          case "key" where isIdentify: nil
          case "context": LDObject.Member(name: member.name, value: normal(context: member.value))
          case "features": LDObject.Member(name: member.name, value: mapped(member.value) { normal(feature: $0) })
          default: member
          }
        }))
  }

  private static func mapped(_ value: LDValue, _ change: (LDValue) -> LDValue) -> LDValue {
    guard let object = value.object else { return value }
    return .object(LDObject(object.map { LDObject.Member(name: $0.name, value: change($0.value)) }))
  }

  private static func normal(feature: LDValue) -> LDValue {
    guard let object = feature.object else { return feature }
    return .object(
      LDObject(
        object.map { member in
          member.name == "contextKinds" || member.name == "counters"
            ? LDObject.Member(name: member.name, value: sorted(member.value)) : member
        }))
  }

  private static func sorted(_ list: LDValue) -> LDValue {
    guard let elements = list.array else { return list }
    return .array(elements.map { ($0, String(decoding: $0.json, as: UTF8.self)) }.sorted { $0.1 < $1.1 }.map(\.0))
  }

  /// Redacted attributes by components, in order; also of each part of several contexts in one.
  private static func normal(context: LDValue) -> LDValue {
    guard let object = context.object else { return context }
    return .object(
      LDObject(
        object.map { member in
          guard member.name == "_meta" else {
            let isPart = object["kind"]?.string == "multi" && member.value.object != nil
            return isPart ? LDObject.Member(name: member.name, value: normal(context: member.value)) : member
          }
          return LDObject.Member(name: member.name, value: mapped(member.value) { sorted(components($0)) })
        }))
  }

  private static func components(_ list: LDValue) -> LDValue {
    .array(
      (list.array ?? []).map { reference in
        reference.string.map { .array(AttributeReference($0).components.map { .string($0) }) } ?? reference
      })
  }
}
