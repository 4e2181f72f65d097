/// How long to wait for the next attempt (protocol D.2, row UNL-89).
struct RetryPace: Sendable {
  static let maximumFailures: Int64 = 10

  let intervalMilliseconds: Int64
  private(set) var failures: Int64 = 0

  init(intervalMilliseconds: Int64) { self.intervalMilliseconds = intervalMilliseconds }

  enum Next: Sendable, Equatable {
    case after(milliseconds: Int64)
    /// The key is refused: no attempt before something changes.
    case stop
  }

  mutating func succeeded() -> Next {
    failures = max(0, failures - 1)
    return wait(atLeast: nil)
  }

  /// - Parameter mayRefreshKey: a header provider may bring a new key, so a refused one is tried again, rarely.
  mutating func failed(_ failure: FetchFailure, mayRefreshKey: Bool) -> Next {
    switch failure {
    case .network(401, let delay), .network(403, let delay):
      guard mayRefreshKey else { return .stop }
      failures = Self.maximumFailures
      return wait(atLeast: delay)
    case .network(let status, let delay) where [404, 429, 500, 502, 503, 504].contains(status):
      failures = min(failures + 1, Self.maximumFailures)
      return wait(atLeast: delay)
    case .noResponse(let transport) where transport.kind == .connectionReset:
      return .after(milliseconds: max(1000, intervalMilliseconds / 2))
    case .network(_, let delay):
      return .after(milliseconds: max(intervalMilliseconds, delay ?? 0))
    case .noResponse, .unhandledStatus, .decoding, .url, .streamEnded:
      return .after(milliseconds: intervalMilliseconds)
    }
  }

  mutating func reset() { failures = 0 }

  private func wait(atLeast delay: Int64?) -> Next {
    .after(milliseconds: max(intervalMilliseconds * (failures + 1), delay ?? 0))
  }
}
