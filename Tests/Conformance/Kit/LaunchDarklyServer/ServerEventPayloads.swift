import HoistBase
import HoistCore
import HoistJSON

@testable import HoistLaunchDarkly

/// Payloads of a server's events (7): one list of events per flush, none where there was no request.
func runServerEvents(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let session = ServerEventSession(test["config"])
    guard let replay = ServerReplay(test["data"]?.source ?? []) else {
      return report.fail(id, expected: "flags that can be read", actual: "refused")
    }
    let contexts = test["contexts"]?.array
    var actual: [String] = []
    for step in test["steps"]?.array.map(Array.init) ?? [] {
      session.with(step["context"]?.int64.flatMap { contexts?.element(at: Int($0)) }) { session.run(step, replay, $0) }
      switch step["do"]?.string {
      case "forget_contexts": session.events.seen.forget()
      case "server_time": session.events.outlet.serverTime.set(step["ms"]?.int64 ?? 0)
      case "flush": actual.append(text(session.flush()))
      default: break
      }
    }
    let expected = test["payloads"]?.array.map { $0.map { text(LDValue($0).array ?? []) } } ?? []
    report.check(id, expected: expected.joined(separator: "\n"), actual: actual.joined(separator: "\n"))
    let counts = [session.events.seen.reused, session.events.outlet.capacity.dropped]
    report.check(
      "\(id) stats", expected: "\(["deduplicated", "dropped"].map { Int(test["stats"]?.object?.member($0)?.int64 ?? -1) })",
      actual: "\(counts)")
  }
}

/// Without times and defaults of null, sets in order.
private func text(_ events: [LDValue]) -> String {
  events.map { event in
    guard case .object(var object) = NormalEvents.normal(event: event) else { return "no event" }
    if object["default"]?.isNull ?? false { object.set("default", nil) }
    if let features = object["features"]?.object {
      object.set("features", .object(LDObject(features.map { LDObject.Member(name: $0.name, value: withoutNull($0.value)) })))
    }
    return String(decoding: LDValue.object(object).json, as: UTF8.self)
  }.joined(separator: "\n")
}

private func withoutNull(_ feature: LDValue) -> LDValue {
  guard case .object(var object) = feature, object["default"]?.isNull ?? false else { return feature }
  object.set("default", nil)
  return .object(object)
}

extension ServerEventSession {
  fileprivate func run(_ step: JSONValue, _ replay: ServerReplay, _ context: FrozenContext) {
    switch step["do"]?.string {
    case "evaluate":
      let fallback = step["default"]?.source ?? Array("null".utf8)
      (step["flagKey"]?.string ?? "").withBytes { key in
        fallback.withBytes { text in
          withUnsafePointer(to: EvaluationFallback(.json, text)) {
            evaluate(key, replay, context, $0, isDetailed: step["detail"]?.bool ?? false)
          }
        }
      }
    case "track":
      track(
        step["eventKey"]?.string ?? "", data: step["data"].map { $0.source }, metric: step["metricValue"]?.double, of: context)
    case "identify": _ = events.identify(context)
    default: break
    }
  }

  private func evaluate(
    _ key: ByteView, _ replay: ServerReplay, _ context: FrozenContext, _ fallback: UnsafePointer<EvaluationFallback>,
    isDetailed: Bool
  ) {
    guard let snapshot = replay.snapshot, let record = snapshot.find(key) else {
      return events.unknown(key, fallback.pointee, of: context)
    }
    var evaluation = Evaluation(want: .json, isDetailed: isDetailed)
    evaluation.fallback = fallback
    snapshot.head.pointee.evaluate(snapshot.base, record, context.base, &evaluation)
    let flag = snapshot.serverFlag(record)
    if evaluation.firstCell != .max {
      let identity = snapshot.serverIdentity(record, evaluation.firstCell &- flag.pointee.head.firstCell)
      counted.change { $0.append((Array(key), identity)) }
    }
    if evaluation.effects.contains(.record) { events.record(evaluation, snapshot: snapshot, record: record, context: context) }
  }
}
