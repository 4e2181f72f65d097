internal import HoistBase
internal import HoistJSON

/// The registry of impact metrics: counters, gauges, histograms of the application (protocol C.10, row UNL-88).
/// Thread-safe.
package final class ImpactMetrics: @unchecked Sendable {
  package typealias Labels = [String: String]

  package enum Kind: Sendable, Equatable {
    case counter, gauge
    /// Upper bounds, sorted, without the last one, which is infinite.
    case histogram(bounds: [Double])
  }

  package static let defaultBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  static let maximumMetrics = 1000
  /// Label sets of one metric; further ones are dropped and counted.
  static let maximumSamples = 1000

  package struct Histogram: Sendable, Equatable {
    /// Observations up to each bound, the infinite one last.
    var counts: [UInt64]
    var count: UInt64 = 0
    var sum = 0.0
  }

  package struct Metric: Sendable, Equatable {
    let name: String
    let help: String
    let kind: Kind
    var counters: [Labels: Int64] = [:]
    var gauges: [Labels: Double] = [:]
    var histograms: [Labels: Histogram] = [:]

    init(name: String, help: String, kind: Kind) {
      self.name = name
      self.help = help
      self.kind = kind
    }

    var isEmpty: Bool { counters.isEmpty && gauges.isEmpty && histograms.isEmpty }
    var sampleCount: Int { counters.count + gauges.count + histograms.count }
  }

  package init() {}

  private let lock = Lock()
  private var metrics: [String: Metric] = [:]
  private var order: [String] = []
  private var lost: Int64 = 0
  private var isChanged = false

  /// Operations dropped: unknown names, bad values, limits.
  var dropped: Int64 { lock.withLock { lost } }

  /// The first definition of a name stays.
  /// - Returns: whether the name is defined now; not beyond the limit.
  @discardableResult
  package func define(_ name: String, help: String, _ kind: Kind) -> Bool {
    lock.withLock {
      defineLocked(name, help, kind)
      return metrics[name] != nil
    }
  }

  private func defineLocked(_ name: String, _ help: String, _ kind: Kind) {
    guard metrics[name] == nil, !name.isEmpty, metrics.count < Self.maximumMetrics else { return }
    var kind = kind
    if case .histogram(let bounds) = kind {
      kind = .histogram(bounds: Array(Set(bounds.filter(\.isFinite))).sorted())
    }
    metrics[name] = Metric(name: name, help: help, kind: kind)
    order.append(name)
  }

  /// Increments of 0 and less are dropped, as the vendor's engine does.
  /// - Returns: false when it was dropped; likewise below.
  @discardableResult
  package func increment(_ name: String, by value: Int64, _ labels: Labels) -> Bool {
    change(name, .counter, isGood: value > 0, labels) { metric in
      let (sum, overflow) = (metric.counters[labels] ?? 0).addingReportingOverflow(value)
      metric.counters[labels] = overflow ? .max : sum
    }
  }

  @discardableResult
  package func set(_ name: String, to value: Double, _ labels: Labels) -> Bool {
    change(name, .gauge, isGood: value.isFinite, labels) { $0.gauges[labels] = value }
  }

  @discardableResult
  package func observe(_ name: String, _ value: Double, _ labels: Labels) -> Bool {
    change(name, nil, isGood: value.isFinite, labels) { metric in
      guard case .histogram(let bounds) = metric.kind else { return }
      var histogram = metric.histograms[labels] ?? Histogram(counts: [UInt64](repeating: 0, count: bounds.count + 1))
      for (index, bound) in bounds.enumerated() where value <= bound { histogram.counts[index] &+= 1 }
      histogram.counts[bounds.count] &+= 1
      histogram.count &+= 1
      histogram.sum += value
      metric.histograms[labels] = histogram
    }
  }

  /// - Parameter kind: what the metric must be; nil for a histogram.
  private func change(_ name: String, _ kind: Kind?, isGood: Bool, _ labels: Labels, _ body: (inout Metric) -> Void) -> Bool {
    lock.withLock {
      guard isGood, var metric = metrics[name], kind == nil ? metric.kind.isHistogram : metric.kind == kind,
        metric.sampleCount < Self.maximumSamples || metric.has(labels)
      else {
        lost &+= 1
        return false
      }
      body(&metric)
      metrics[name] = metric
      isChanged = true
      return true
    }
  }

  /// Takes what was recorded since the last call; definitions stay.
  package func collect() -> [Metric] {
    lock.withLock {
      order.compactMap { name in
        guard let metric = metrics[name] else { return nil }
        metrics[name] = Metric(name: name, help: metric.help, kind: metric.kind)
        return metric
      }
    }
  }

  /// The metrics recorded since the last `collect`, which stay.
  var recorded: [Metric] { lock.withLock { order.compactMap { metrics[$0] } } }

  /// Whether anything was recorded since the last call.
  func takeHasChanged() -> Bool {
    lock.withLock {
      defer { isChanged = false }
      return isChanged
    }
  }

  /// Brings back what could not be sent: counters and histograms add up, of a gauge the newer value stays.
  package func restore(_ collected: [Metric]) {
    lock.withLock {
      for old in collected {
        defineLocked(old.name, old.help, old.kind)
        guard var metric = metrics[old.name], metric.kind == old.kind else { continue }
        metric.counters.merge(old.counters) { now, before in
          let (sum, overflow) = now.addingReportingOverflow(before)
          return overflow ? .max : sum
        }
        metric.gauges.merge(old.gauges) { now, _ in now }
        metric.histograms.merge(old.histograms) { now, before in
          Histogram(
            counts: zip(now.counts, before.counts).map { $0 &+ $1 }, count: now.count &+ before.count,
            sum: now.sum + before.sum)
        }
        metrics[old.name] = metric
      }
    }
  }
}

extension ImpactMetrics.Kind {
  var isHistogram: Bool {
    if case .histogram = self { return true }
    return false
  }
}

extension ImpactMetrics.Metric {
  func has(_ labels: ImpactMetrics.Labels) -> Bool {
    counters[labels] != nil || gauges[labels] != nil || histograms[labels] != nil
  }
}
