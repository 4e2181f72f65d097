internal import HoistCore
internal import HoistJSON

/// The statistics of all processes that use one mobile key, as the store has them (4.6): of each run one entry, which is
/// its process's own while that lives.
struct DiagnosticRuns {
  /// Beyond them the earliest are forgotten.
  private static let maximumRuns = 256
  /// After which a process of which nothing can be known, as one in another container, counts as ended.
  private static let longestSilenceMilliseconds: Int64 = 86_400_000

  private var runs: [(owner: String, statistics: DiagnosticStatistics)] = []

  /// - Parameter record: from a store, so it may be anything.
  init(_ record: [UInt8]?) {
    guard let record, let document = try? JSONDocument(parsing: record) else { return }
    document.withRoot { root in
      guard let entries = root["runs"]?.array else { return }
      for entry in entries.prefix(Self.maximumRuns) {
        if let statistics = DiagnosticStatistics(entry) { runs.append((entry["owner"]?.string ?? "", statistics)) }
      }
    }
  }

  /// Takes out what was left by processes that live no longer.
  mutating func takeLeft(at unixMilliseconds: Int64) -> [DiagnosticStatistics] {
    var left: [DiagnosticStatistics] = []
    runs.removeAll { owner, statistics in
      let isLeft =
        switch OwnerIdentity(text: owner)?.liveness {
        case .alive: false
        case .unknown: statistics.since.distance(from: unixMilliseconds) > Self.longestSilenceMilliseconds
        case .dead, nil: true
        }
      if isLeft { left.append(statistics) }
      return isLeft
    }
    return left
  }

  /// - Parameter owner: `Store.ownerID`; "" once the run has ended.
  mutating func keep(_ statistics: DiagnosticStatistics, owner: String) {
    runs.removeAll { $0.statistics.id == statistics.id }
    runs.append((owner, statistics))
    runs.removeFirst(max(0, runs.count - Self.maximumRuns))
  }

  var record: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.array("runs") { writer in
        for run in runs {
          writer.object { writer in
            writer.member("owner", run.owner)
            run.statistics.write(to: &writer)
          }
        }
      }
    }
    return writer.bytes
  }
}

extension Int64 {
  /// In either direction; the greatest number where that has no room.
  fileprivate func distance(from other: Int64) -> Int64 {
    let difference = subtractingReportingOverflow(other)
    return difference.overflow || difference.partialValue == .min ? .max : Swift.abs(difference.partialValue)
  }
}
