public import HoistBase

/// The pauses before a stream is opened again: each is twice the one before, up to a cap, and chance decides within a
/// spread. After a connection that had lasted, as those of all clients do when the service goes away, chance decides within
/// as long a time as it had, up to a minute, and within twice that for each attempt after it, up to two: of 1,000 clients
/// that lost a stream together, no more than 50 come back within one second. A value.
public struct ReconnectPace: Sendable {
  private var baseMilliseconds: Int64
  private let capMilliseconds: Int64
  private let leastMilliseconds: Int64
  private let healthyMilliseconds: Int64
  private let spread: ClosedRange<Double>
  private let firstDoublings: Int
  private var doublings: Int
  /// How long the newest connection was open, up to what is healthy.
  private var lastedMilliseconds: Int64 = 0

  /// - Parameters:
  ///   - base: a pause that is not doubled, in milliseconds; the service may name another one.
  ///   - cap: no pause is doubled beyond it.
  ///   - least: no pause is shorter, whatever the service names.
  ///   - healthy: a connection that was open for so long makes up for those that failed before it.
  ///   - spread: between which parts of a pause chance decides.
  ///   - firstDoublings: of the very first pause.
  public init(
    base: Int64, cap: Int64 = 30_000, least: Int64 = 100, healthy: Int64 = 60_000, spread: ClosedRange<Double> = 0.5...1,
    firstDoublings: Int = 0
  ) {
    baseMilliseconds = max(0, base)
    capMilliseconds = cap
    leastMilliseconds = least
    healthyMilliseconds = healthy
    self.spread = spread
    self.firstDoublings = firstDoublings
    doublings = firstDoublings
  }

  /// The service names another base; any number.
  public mutating func serviceAsks(forMilliseconds milliseconds: Int64) { baseMilliseconds = max(0, milliseconds) }

  /// A connection has ended: between which pauses chance decides now, in milliseconds.
  /// - Parameter openMilliseconds: how long it was open; nil when it never was.
  public mutating func next(openMilliseconds: Int64?) -> ClosedRange<Int64> {
    next(openMilliseconds: openMilliseconds, base: baseMilliseconds)
  }

  /// The pause itself: one of a base of 0 grows too, as the attempts of a service that asks for no pause would not end.
  public mutating func nextMilliseconds(openMilliseconds: Int64?, _ entropy: any Entropy) -> Int64 {
    let pauses = next(openMilliseconds: openMilliseconds, base: max(1, baseMilliseconds))
    if let openMilliseconds { lastedMilliseconds = min(openMilliseconds, healthyMilliseconds) }
    let window = openMilliseconds == nil ? 2 * lastedMilliseconds : lastedMilliseconds
    return max(leastMilliseconds, entropy.number(in: pauses.lowerBound...max(pauses.upperBound, window)))
  }

  private mutating func next(openMilliseconds: Int64?, base: Int64) -> ClosedRange<Int64> {
    if let openMilliseconds, openMilliseconds >= healthyMilliseconds { doublings = 0 }
    let pause = ceiling(base, doublings)
    if doublings < .max { doublings += 1 }
    let least = pause - Self.share(of: pause, 1 - spread.lowerBound)
    return least...max(least, pause + Self.share(of: pause, spread.upperBound - 1))
  }

  public mutating func reset() { (doublings, lastedMilliseconds) = (firstDoublings, 0) }

  private func ceiling(_ base: Int64, _ attempt: Int) -> Int64 {
    Backoff(baseMilliseconds: base, capMilliseconds: capMilliseconds).ceilingMilliseconds(attempt: max(0, attempt))
  }

  /// Exact: a pause is at most 2^53.
  private static func share(of pause: Int64, _ part: Double) -> Int64 { Int64(Double(pause) * part) }
}
