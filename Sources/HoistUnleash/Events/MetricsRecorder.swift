internal import HoistBase
internal import HoistCore

/// Gathers what is to be reported: counts of evaluations, of unknown toggles, and the host's events as impact metrics.
///
/// Recording is for any thread; `absorb` and `take` are for the scheduler's.
final class MetricsRecorder: @unchecked Sendable {
  /// Events that wait to be gathered; further ones are refused.
  private let eventCapacity: Int
  private let host: any ProviderHost
  private let countsMetrics: Bool
  let impact = ImpactMetrics()
  private let unknown = CountTable(columns: Column.allCases.count)
  private let lock = Lock()
  private var events: [TrackedEvent] = []
  private var refused: Int64 = 0
  private var bucket: MetricsBucket

  private enum Column: Int, CaseIterable {
    /// isEnabled answered by a fallback with yes.
    case yes, no
    /// getVariant: the state counts as no, the variant as "disabled".
    case variant
  }

  init(host: any ProviderHost, countsMetrics: Bool, eventCapacity: Int) {
    self.host = host
    self.countsMetrics = countsMetrics
    self.eventCapacity = eventCapacity
    bucket = MetricsBucket(startUnixMilliseconds: host.clock.unixMilliseconds)
  }

  // Any thread.

  func countUnknown(_ name: ByteView, isVariantRead: Bool) {
    guard countsMetrics else { return }
    unknown.add(name, column: isVariantRead ? Column.variant.rawValue : Column.no.rawValue)
  }

  func countFallback(_ name: String, enabled: Bool) {
    guard countsMetrics else { return }
    name.withBytes { unknown.add($0, column: enabled ? Column.yes.rawValue : Column.no.rawValue) }
  }

  func track(_ event: TrackedEvent) -> Status {
    lock.withLock {
      guard events.count < eventCapacity else {
        refused &+= 1
        return .limit
      }
      events.append(event)
      return .ok
    }
  }

  var refusedEvents: Int64 { lock.withLock { refused } }
  var waitingEvents: Int { lock.withLock { events.count } }

  // The scheduler's thread.

  /// Takes everything recorded since the last call into the open bucket.
  /// - Returns: whether there was anything.
  @discardableResult
  func absorb() -> Bool {
    var hasNews = false
    host.drainCounts { snapshot, record, cell, count in
      hasNews = true
      let name = String(decoding: snapshot.name(of: record), as: UTF8.self)
      switch UnleashFlags.counter(cell, of: record, in: snapshot) {
      case .yes: bucket.count(name, enabled: true, times: count)
      case .no: bucket.count(name, enabled: false, times: count)
      case .variant(let variant): bucket.count(name, variant: String(decoding: variant, as: UTF8.self), times: count)
      }
    }
    for (name, counts) in unknown.take() {
      hasNews = true
      absorb(String(decoding: name, as: UTF8.self), counts)
    }
    let tracked = lock.withLock {
      defer { events.removeAll(keepingCapacity: events.capacity < 4096) }
      return events
    }
    for event in tracked { absorb(event) }
    return hasNews || !tracked.isEmpty
  }

  private func absorb(_ name: String, _ counts: [UInt64]) {
    for column in Column.allCases where counts.indices.contains(column.rawValue) && counts[column.rawValue] > 0 {
      let times = counts[column.rawValue]
      bucket.count(name, enabled: column == .yes, times: times)
      if column == .variant { bucket.count(name, variant: "disabled", times: times) }
    }
  }

  /// Unleash has no tracking events of its own: one is a counter of its name with its texts as labels, and a
  /// histogram `NAME_value` when it has a value.
  private func absorb(_ event: TrackedEvent) {
    var labels: ImpactMetrics.Labels = [:]
    for (name, value) in event.properties {
      if case .string(let text) = value { labels[name] = String(decoding: text, as: UTF8.self) }
    }
    impact.define(event.key, help: "tracked events", .counter)
    impact.increment(event.key, by: 1, labels)
    guard let value = event.value else { return }
    let name = event.key + "_value"
    impact.define(name, help: "values of tracked events", .histogram(bounds: ImpactMetrics.defaultBounds))
    impact.observe(name, value, labels)
  }

  /// Closes the open bucket and begins a new one. nil when there is nothing to send; the window begins anew all the same.
  func take() -> (bucket: MetricsBucket?, impact: [ImpactMetrics.Metric])? {
    absorb()
    let closed = bucket
    bucket = MetricsBucket(startUnixMilliseconds: host.clock.unixMilliseconds)
    let hasImpact = impact.hasNews
    guard !closed.isEmpty || hasImpact else { return nil }
    return (closed.isEmpty ? nil : closed, impact.isDefined && (hasImpact || !closed.isEmpty) ? impact.collect() : [])
  }

  /// What would be sent now, without closing anything; nil when that is nothing.
  func peek() -> (bucket: MetricsBucket?, impact: [ImpactMetrics.Metric])? {
    let hasImpact = impact.hasNews
    guard !bucket.isEmpty || hasImpact else { return nil }
    return (bucket.isEmpty ? nil : bucket, impact.isDefined ? impact.recorded : [])
  }

  /// In a forked child: what the parent counted is the parent's to send.
  func forget() {
    _ = take()
    _ = impact.collect()
  }
}
