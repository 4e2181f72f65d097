public import HoistBase

/// When a fetch follows another one, or a delivery one that failed.
public protocol FetchPace: Sendable {
  /// Between good answers; 0 for none.
  var intervalMilliseconds: Int64 { get }
  /// The service has answered well.
  /// - Returns: milliseconds until the next fetch; nil for none.
  mutating func succeeded() -> Int64?
  mutating func failed(_ failure: FetchFailure, hasFlags: Bool, _ entropy: any Entropy) -> Int64?
  /// What failed before is forgotten.
  mutating func reset()
}

extension FetchPace {
  public var intervalMilliseconds: Int64 { 0 }
}

/// The usual pace: an interval after good answers; after failures pauses that grow from three seconds to a limit, but no
/// longer ones than the interval. What is served already is asked for no sooner than that, or the limit.
public struct RegularPace: FetchPace {
  /// 0 fetches once: only after failures there are further attempts.
  public let intervalMilliseconds: Int64
  private let limitMilliseconds: Int64
  private var backoff: Backoff

  /// - Parameters:
  ///   - limit: longest pause between attempts that fail, in milliseconds.
  ///   - base: first pause.
  ///   - jitter: the part of a pause that chance may take: 0 none, 1 all of it ("full jitter").
  public init(interval: Int64, limit: Int64, base: Int64 = 3000, jitter: Double = 0.5) {
    intervalMilliseconds = max(0, interval)
    limitMilliseconds = max(1, limit)
    backoff = Backoff(baseMilliseconds: base, capMilliseconds: limit, jitter: jitter)
  }

  public mutating func succeeded() -> Int64? {
    backoff.reset()
    return intervalMilliseconds > 0 ? intervalMilliseconds : nil
  }

  public mutating func failed(_ failure: FetchFailure, hasFlags: Bool, _ entropy: any Entropy) -> Int64? {
    let asked = failure.retryAfterMilliseconds ?? 0
    switch failure.next {
    case .stop: return nil
    case .after(let milliseconds): return max(milliseconds, asked)
    case .slow: return max(limitMilliseconds, asked)
    case .regular:
      let pause = backoff.nextMilliseconds(entropy)
      if intervalMilliseconds == 0 { return max(pause, asked) }
      let longest = min(intervalMilliseconds, limitMilliseconds)
      return max(hasFlags ? longest : min(longest, pause), asked)
    }
  }

  public mutating func reset() { backoff.reset() }
}
