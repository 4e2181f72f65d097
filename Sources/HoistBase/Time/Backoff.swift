/// Growing pauses between attempts: each ceiling is twice the one before, up to a cap, and chance
/// takes a part of it away, so that clients that failed together do not come back together.
public struct Backoff: Sendable, Equatable {
  /// The ceiling of the first pause.
  public let baseMilliseconds: Int64
  /// No ceiling is higher.
  public let capMilliseconds: Int64
  /// The part of a pause that chance may take: 1 is "full jitter" (any pause up to the ceiling),
  /// 0.5 leaves at least half, 0 none.
  public let jitter: Double
  /// Pauses drawn since the start or the last reset.
  public private(set) var attempts: Int = 0

  /// Values out of range become the nearest in range: 0 to 2^53 milliseconds, 0 to 1.
  public init(baseMilliseconds: Int64, capMilliseconds: Int64, jitter: Double = 1) {
    self.baseMilliseconds = min(max(0, baseMilliseconds), 1 << 53)
    self.capMilliseconds = min(max(0, capMilliseconds), 1 << 53)
    self.jitter = jitter >= 0 ? min(jitter, 1) : 0
  }

  /// The pause before the next attempt.
  public mutating func nextMilliseconds(_ entropy: some Entropy) -> Int64 {
    let ceiling = ceilingMilliseconds(attempt: attempts)
    if attempts < .max { attempts += 1 }
    let share = Int64(Double(ceiling) * jitter)  // exact: at most 2^53
    return ceiling - entropy.number(in: 0...share)
  }

  /// The longest pause after `attempt` earlier ones.
  public func ceilingMilliseconds(attempt: Int) -> Int64 {
    guard baseMilliseconds > 0, attempt > 0 else { return min(baseMilliseconds, capMilliseconds) }
    // Doubling while it stays below the cap cannot overflow.
    let doublings = min(attempt, baseMilliseconds.leadingZeroBitCount - 1)
    guard doublings == attempt else { return capMilliseconds }
    return min(baseMilliseconds << doublings, capMilliseconds)
  }

  /// After a success that lasted.
  public mutating func reset() { attempts = 0 }
}
