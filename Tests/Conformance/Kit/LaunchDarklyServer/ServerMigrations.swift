import HoistBase
import HoistCore
import HoistJSON

@testable import HoistLaunchDarkly

/// What was recorded of a migration's operation, and its event (server 9).
func runServerMigrations(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let session = ServerEventSession(nil)
    let (flag, calls) = (test["flag"], test["calls"])
    var evaluation = MigrationTracker.Evaluation(
      key: test["key"]?.string ?? "",
      flag: flag?["version"]?.int64.map { .init(version: $0, samplingRatio: flag?["samplingRatio"]?.int64 ?? 1) },
      fallback: stage(test["defaultStage"]), stage: stage(test["detail"]?["value"]),
      variation: test["detail"]?["variationIndex"]?.int64, reason: test["detail"]?["reason"]?.source ?? [])
    evaluation.checkRatio = flag?["migration"]?["checkRatio"]?.int64 ?? 1
    let tracker = MigrationTracker(evaluation, entropy: session.host.entropy)
    if let kind = calls?["operation"]?.string.flatMap({ MigrationKind(rawValue: $0) }) { tracker.begin(kind) }
    for origin in origins(calls?["invoked"]) { tracker.invoked(origin) }
    for origin in origins(calls?["errors"]) { tracker.failed(origin) }
    for member in calls?["latency_ms"]?.object.map(Array.init) ?? [] {
      if let origin = MigrationOrigin(rawValue: member.key.string) {
        tracker.took(origin, milliseconds: member.value.double ?? 0)
      }
    }
    if let isConsistent = calls?["consistent"]?.bool { tracker.check { isConsistent } }
    var actual = LDValue.null
    session.with(test["context"]) { context in
      guard let operation = try? tracker.operation(), let own = session.events.seen.description(of: context, Redaction())
      else { return }
      let event = operation.event(own.anonymousJSON, at: 1)
      actual = event.withBytes { try? LDValue(json: $0) } ?? .string("no JSON")
    }
    report.check(id, expected: text(test["expect"].map { LDValue($0) } ?? .null), actual: text(actual))
  }
}

private func stage(_ value: JSONValue?) -> MigrationStage { value?.string.flatMap { MigrationStage(rawValue: $0) } ?? .off }

private func origins(_ list: JSONValue?) -> [MigrationOrigin] {
  list?.array?.compactMap { $0.string.flatMap { MigrationOrigin(rawValue: $0) } } ?? []
}

/// Without times; measurements in the order of their keys.
private func text(_ event: LDValue) -> String {
  guard case .object(var object) = NormalEvents.normal(event: event) else { return String(decoding: event.json, as: UTF8.self) }
  let measurements = (object["measurements"]?.array ?? []).sorted {
    ($0.object?["key"]?.string ?? "") < ($1.object?["key"]?.string ?? "")
  }
  object.set("measurements", .array(measurements))
  return String(decoding: LDValue.object(object).json, as: UTF8.self)
}
