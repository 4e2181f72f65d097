import HoistBase
import HoistJSON
import Testing

@testable import HoistUnleash

@Suite("The registry of impact metrics (UNL-88, protocols/unleash.md C.10; no client)") struct ImpactMetricsTests {
  private let impact = ImpactMetrics()

  /// What would be sent now; begins anew.
  private func collected() -> String { text(impact.collect()) }

  private func text(_ metrics: [ImpactMetrics.Metric]) -> String {
    var writer = JSONWriter()
    ImpactMetrics.write(metrics, labels: [:], to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// One metric as it is written.
  private func metric(_ name: String, _ type: String, _ samples: String) -> String {
    #"{"name":"\#(name)","help":"h","type":"\#(type)","samples":[\#(samples)]}"#
  }

  @Test func theFirstDefinitionStays() {
    impact.define("m", help: "h", .counter)
    impact.define("m", help: "other", .gauge)
    #expect(impact.increment("m", by: 1, [:]) && !impact.set("m", to: 1, [:]))
    #expect(collected() == "[" + metric("m", "counter", #"{"labels":{},"value":1}"#) + "]")
  }

  @Test func operationsOnUndefinedNamesAreDroppedAndCounted() {
    #expect(!impact.increment("m", by: 1, [:]) && !impact.set("m", to: 1, [:]) && !impact.observe("m", 1, [:]))
    impact.define("m", help: "h", .counter)
    #expect(!impact.observe("m", 1, [:]))
    #expect(impact.dropped == 4 && collected() == "[" + metric("m", "counter", #"{"labels":{},"value":0}"#) + "]")
  }

  @Test func countersGrowByLabels() {
    impact.define("m", help: "h", .counter)
    impact.increment("m", by: 2, ["b": "1", "a": "2"])
    impact.increment("m", by: 3, ["a": "2", "b": "1"])
    impact.increment("m", by: 1, [:])
    for value in [0, -1, Int64.min] { #expect(!impact.increment("m", by: value, [:])) }
    #expect(
      collected() == "[" + metric("m", "counter", #"{"labels":{},"value":1},{"labels":{"a":"2","b":"1"},"value":5}"#) + "]")
    impact.increment("m", by: .max, [:])
    impact.increment("m", by: .max, [:])
    #expect(collected().contains(#""value":9223372036854775807"#))
  }

  @Test func ofAGaugeTheLastValueStays() {
    impact.define("m", help: "h", .gauge)
    impact.set("m", to: 1, [:])
    impact.set("m", to: -0.5, [:])
    for value in [Double.nan, .infinity, -.infinity] { #expect(!impact.set("m", to: value, [:])) }
    #expect(collected() == "[" + metric("m", "gauge", #"{"labels":{},"value":-0.5}"#) + "]")
  }

  @Test func histogramsAreCumulative() {
    impact.define("m", help: "h", .histogram(bounds: [1, 0.1, 1, .infinity]))
    for value in [0.1, 0.5, 1, 7] { impact.observe("m", value, [:]) }
    for value in [Double.nan, .infinity, -.infinity] { #expect(!impact.observe("m", value, [:])) }
    #expect(
      collected()
        == "["
        + metric(
          "m", "histogram",
          #"{"labels":{},"count":4,"sum":8.6,"buckets":[{"le":0.1,"count":1},{"le":1,"count":3},{"le":"+Inf","count":4}]}"#) + "]"
    )
  }

  @Test func theDefaultBoundsAreTheVendors() {
    #expect(ImpactMetrics.defaultBounds == [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
  }

  @Test func withoutNewsThereAreZeroSamples() {
    impact.define("c", help: "h", .counter)
    impact.define("g", help: "h", .gauge)
    impact.define("h", help: "h", .histogram(bounds: [1]))
    impact.increment("c", by: 1, ["a": "b"])
    impact.set("g", to: 1, [:])
    impact.observe("h", 1, [:])
    _ = impact.collect()
    #expect(
      collected() == "["
        + [
          metric("c", "counter", #"{"labels":{},"value":0}"#), metric("g", "gauge", ""),
          metric("h", "histogram", #"{"labels":{},"count":0,"sum":0,"buckets":[{"le":1,"count":0},{"le":"+Inf","count":0}]}"#),
        ].joined(separator: ",") + "]")
  }

  @Test func whatWasNotSentComesBack() {
    impact.define("c", help: "h", .counter)
    impact.define("g", help: "h", .gauge)
    impact.define("h", help: "h", .histogram(bounds: [1]))
    func record(_ value: Double) {
      impact.increment("c", by: Int64(value), [:])
      impact.set("g", to: value, ["of": "\(Int(value))"])
      impact.set("g", to: value, [:])
      impact.observe("h", value, [:])
    }
    record(2)
    let old = impact.collect()
    record(1)
    impact.restore(old)
    #expect(
      collected() == "["
        + [
          metric("c", "counter", #"{"labels":{},"value":3}"#),
          // Of the gauge the newer value stays.
          metric(
            "g", "gauge", #"{"labels":{},"value":1},{"labels":{"of":"1"},"value":1},{"labels":{"of":"2"},"value":2}"#),
          metric(
            "h", "histogram", #"{"labels":{},"count":2,"sum":3,"buckets":[{"le":1,"count":1},{"le":"+Inf","count":2}]}"#),
        ].joined(separator: ",") + "]")
    // Restoring what is not defined defines it.
    let other = ImpactMetrics()
    other.restore(old)
    #expect(text(other.collect()) == text(old))
  }

  @Test func metricsAndLabelSetsAreBounded() {
    for index in 0..<ImpactMetrics.maximumMetrics { #expect(impact.define("m\(index)", help: "", .counter)) }
    #expect(!impact.define("m1000", help: "", .counter) && impact.define("m0", help: "again", .gauge))
    #expect(impact.increment("m999", by: 1, [:]) && !impact.increment("m1000", by: 1, [:]))
    for index in 0..<ImpactMetrics.maximumSamples { #expect(impact.increment("m0", by: 1, ["l": "\(index)"])) }
    #expect(!impact.increment("m0", by: 1, ["l": "more"]) && impact.increment("m0", by: 1, ["l": "0"]))
  }
}
