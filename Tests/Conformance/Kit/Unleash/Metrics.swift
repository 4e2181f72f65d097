import HoistBase
import HoistJSON
import HoistUnleash

/// Usage buckets: what is collected after a series of counts, and what is left for a second collection.
func runMetrics(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    var bucket = MetricsBucket(startUnixMilliseconds: 0)
    for operation in test["ops"]?.array?.map({ $0 }) ?? [] {
      if let toggle = operation["countToggle"]?.string {
        bucket.count(toggle, enabled: operation["enabled"]?.bool ?? false)
      } else if let toggle = operation["countVariant"]?.string {
        bucket.count(toggle, variant: operation["variant"]?.string ?? "")
      }
    }
    for collect in ["firstCollect", "secondCollect"] {
      let expected = test["expect"]?.object?.member(collect)
      let actual = bucket.isEmpty ? "null" : canonical { bucket.writeToggles(to: &$0) }
      report.check("\(id) \(collect)", expected: expected?.canonicalText ?? "null", actual: actual)
      bucket = MetricsBucket(startUnixMilliseconds: 0)
    }
  }
}

/// Impact metrics: definitions, operations, collections, and a collection brought back after a failed sending.
func runImpactMetrics(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    let registry = ImpactMetrics()
    for operation in test["ops"]?.array?.map({ $0 }) ?? [] { apply(operation, to: registry) }
    let first = registry.collect()
    check("firstCollect", first, of: test, id, report)
    check("secondCollect", registry.collect(), of: test, id, report)
    if test["expect"]?["thirdCollectAfterRestore"] != nil {
      registry.restore(first)
      check("thirdCollectAfterRestore", registry.collect(), of: test, id, report)
    }
  }
}

private func apply(_ operation: JSONValue, to registry: ImpactMetrics) {
  let help = operation["help"]?.string ?? ""
  var labels: [String: String] = [:]
  if let given = operation["labels"]?.object {
    for (name, value) in given { labels[name.string] = value.string }
  }
  let value = operation["value"]?.double ?? 0
  if let name = operation["defineCounter"]?.string {
    registry.define(name, help: help, .counter)
  } else if let name = operation["defineGauge"]?.string {
    registry.define(name, help: help, .gauge)
  } else if let name = operation["defineHistogram"]?.string {
    let bounds = operation["buckets"]?.array?.compactMap(\.double) ?? ImpactMetrics.defaultBounds
    registry.define(name, help: help, .histogram(bounds: bounds))
  } else if let name = operation["incCounter"]?.string {
    registry.increment(name, by: Int64(value), labels)
  } else if let name = operation["setGauge"]?.string {
    registry.set(name, to: value, labels)
  } else if let name = operation["observe"]?.string {
    registry.observe(name, value, labels)
  }
}

/// Metrics by name, samples by labels; numbers as numbers.
private func check(
  _ collect: String, _ metrics: [ImpactMetrics.Metric], of test: JSONValue, _ id: String, _ report: Report
) {
  var writer = JSONWriter()
  ImpactMetrics.write(metrics, labels: [:], to: &writer)
  guard let actual = try? JSONDocument(parsing: writer.bytes) else { return report.fail(id, expected: "JSON", actual: "none") }
  report.check(
    "\(id) \(collect)", expected: ordered(test["expect"]?.object?.member(collect)),
    actual: actual.withRoot { ordered($0) })
}

private func ordered(_ metrics: JSONValue?) -> String {
  let texts = (metrics?.array?.map { $0 } ?? []).map { metric -> String in
    let samples = (metric["samples"]?.array?.map(\.numericText) ?? []).sorted()
    return "\(metric["name"]?.string ?? "") \(metric["type"]?.string ?? "") \(metric["help"]?.string ?? "") \(samples)"
  }
  return texts.sorted().joined(separator: "\n")
}

extension JSONValue {
  /// Canonical text in which 1 and 1.0 are the same number.
  fileprivate var numericText: String {
    (try? text(order: .sorted, wholeDoubles: .asIntegers)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
