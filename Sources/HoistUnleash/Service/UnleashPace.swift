internal import HoistBase
internal import HoistCore

/// The vendor's back-off (protocol D.2, row UNL-89): each failure that the service is the cause of makes the pauses longer by
/// one interval, each good answer shorter by one; a service that refuses the key is asked seldom.
struct UnleashPace: FetchPace {
  static let maximumFailures: Int64 = 10
  /// Between attempts of a client that is to fetch once, and has not been able to.
  private static let usualMilliseconds: Int64 = 15_000

  /// 0 fetches once: only after failures there are further attempts.
  let intervalMilliseconds: Int64
  private let limitMilliseconds: Int64
  private let mayRefreshKey: Bool
  private(set) var failures: Int64 = 0

  /// - Parameters:
  ///   - limit: longest pause between attempts that fail, in milliseconds.
  ///   - mayRefreshKey: a header provider may bring another key than the one that was refused.
  init(interval: Int64, limit: Int64, mayRefreshKey: Bool) {
    intervalMilliseconds = interval
    limitMilliseconds = limit
    self.mayRefreshKey = mayRefreshKey
  }

  /// One interval, for failures too.
  private var unit: Int64 { intervalMilliseconds > 0 ? intervalMilliseconds : Self.usualMilliseconds }

  /// After a failure that says nothing of the service's load.
  var plainMilliseconds: Int64 { min(unit, limitMilliseconds) }
  /// After a connection was reset.
  var resetMilliseconds: Int64 { min(max(1000, unit / 2), limitMilliseconds) }
  /// After the key was refused.
  var refusedMilliseconds: Int64 { mayRefreshKey ? plainMilliseconds : min(unit * (Self.maximumFailures + 1), limitMilliseconds) }

  mutating func succeeded() -> Int64? {
    failures = max(0, failures - 1)
    return intervalMilliseconds > 0 ? max(intervalMilliseconds, stretched) : nil
  }

  mutating func failed(_ failure: FetchFailure, hasFlags: Bool = true, _ entropy: any Entropy) -> Int64? {
    let asked = failure.retryAfterMilliseconds ?? 0
    switch failure.next {
    case .stop: return nil
    case .after(let milliseconds): return max(milliseconds, asked)
    case .slow:
      failures = Self.maximumFailures
      return max(refusedMilliseconds, asked)
    case .regular:
      failures = min(failures + 1, Self.maximumFailures)
      return max(stretched, asked)
    }
  }

  private var stretched: Int64 { min(unit * (failures + 1), limitMilliseconds) }

  mutating func reset() { failures = 0 }
}
