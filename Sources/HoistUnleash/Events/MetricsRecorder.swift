internal import HoistBase
internal import HoistCore

/// Gathers counts of evaluations and of unknown toggles, and impact metrics.
///
/// Recording is for any thread; the rest for the scheduler's.
final class MetricsRecorder: @unchecked Sendable {
  private let host: any ProviderHost
  private let countsReads: Bool
  let impact = ImpactMetrics()
  private let unknown = CountTable(columns: Column.allCases.count)
  private var bucket: MetricsBucket
  private let lock = Lock()
  /// Counts over the host's own storage; guarded by `lock`.
  private var external = MetricsBucket(startUnixMilliseconds: .max)

  private enum Column: Int, CaseIterable {
    /// isEnabled answered by a fallback with yes.
    case yes
    case no
    /// getVariant: the state counts as no, the variant as "disabled".
    case variant
  }

  init(host: any ProviderHost, countsReads: Bool) {
    self.host = host
    self.countsReads = countsReads
    bucket = MetricsBucket(startUnixMilliseconds: host.clock.unixMilliseconds)
  }

  // Any thread.

  func countUnknown(_ name: ByteView, isVariantRead: Bool) {
    guard countsReads else { return }
    unknown.add(name, column: isVariantRead ? Column.variant.rawValue : Column.no.rawValue)
  }

  func countFallback(_ name: String, enabled: Bool) {
    guard countsReads else { return }
    name.withBytes { unknown.add($0, column: enabled ? Column.yes.rawValue : Column.no.rawValue) }
  }

  /// The counts of one evaluation over the host's own storage.
  func countExternal(_ snapshot: Snapshot) {
    guard countsReads else { return }
    lock.withLock {
      snapshot.drain { record, cell, count in
        let name = String(decoding: snapshot.name(of: record), as: UTF8.self)
        external.count(name, UnleashFlags.counter(cell, of: record, in: snapshot), count)
      }
    }
  }

  /// Counts of unknown names that found no room.
  var overflow: Int64 { Int64(clamping: unknown.overflow) }

  // The scheduler's thread.

  /// Takes everything counted since the last call into the open bucket.
  /// - Returns: whether there was anything, impact metrics included.
  func absorb() -> Bool {
    host.scheduler.assertCurrent()
    var hasNews = impact.takeHasChanged()
    host.drainCounts { snapshot, record, cell, count in
      hasNews = true
      let name = String(decoding: snapshot.name(of: record), as: UTF8.self)
      bucket.count(name, UnleashFlags.counter(cell, of: record, in: snapshot), count)
    }
    let own = lock.withLock {
      defer { external.toggles = [:] }
      return external
    }
    if !own.isEmpty {
      hasNews = true
      bucket.merge(own)
    }
    for (name, counts) in unknown.take() {
      hasNews = true
      absorb(String(decoding: name, as: UTF8.self), counts)
    }
    return hasNews
  }

  private func absorb(_ name: String, _ counts: [UInt64]) {
    for column in Column.allCases where counts.indices.contains(column.rawValue) && counts[column.rawValue] > 0 {
      let times = counts[column.rawValue]
      bucket.count(name, enabled: column == .yes, times: times)
      if column == .variant { bucket.count(name, variant: "disabled", times: times) }
    }
  }

  /// What has been counted since `beginBucket`; nil when that is nothing.
  var open: (bucket: MetricsBucket?, impact: [ImpactMetrics.Metric])? {
    let impact = impact.recorded
    let hasImpact = impact.contains { !$0.isEmpty }
    if bucket.isEmpty { return hasImpact ? (nil, impact) : nil }
    return (bucket, impact)
  }

  /// Begins a new bucket; the window begins anew even when the old one was empty. On the scheduler's thread, or in a forked
  /// child before it has one.
  func beginBucket() {
    bucket = MetricsBucket(startUnixMilliseconds: host.clock.unixMilliseconds)
    _ = impact.collect()
  }

  /// In a forked child: what was counted is the parent's to send.
  func forget() {
    lock.withLock { external.toggles = [:] }
    _ = unknown.take()
    _ = impact.takeHasChanged()
    beginBucket()
  }
}

extension MetricsBucket {
  fileprivate mutating func count(_ name: String, _ counter: UnleashFlags.Counter, _ times: UInt64) {
    switch counter {
    case .yes: count(name, enabled: true, times: times)
    case .no: count(name, enabled: false, times: times)
    case .variant(let variant): count(name, variant: String(decoding: variant, as: UTF8.self), times: times)
    }
  }
}
