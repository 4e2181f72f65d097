internal import HoistBase

/// The pauses before the stream is opened again (2.5 "Back-off").
public struct StreamPace: Sendable {
  private static let capMilliseconds: Int64 = 30_000
  private static let healthyMilliseconds: Int64 = 60_000

  private var baseMilliseconds: Int64
  private var failures = 0

  public init(baseMilliseconds: Int64) { self.baseMilliseconds = baseMilliseconds }

  /// The service names another base; any number.
  public mutating func serviceAsks(forMilliseconds milliseconds: Int64) { baseMilliseconds = max(0, milliseconds) }

  /// Between which pauses chance decides now.
  /// - Parameter openMilliseconds: how long the connection that has ended was open; nil when it never was.
  public mutating func next(openMilliseconds: Int64?) -> ClosedRange<Int64> {
    if failures < .max { failures += 1 }
    if let openMilliseconds, openMilliseconds >= Self.healthyMilliseconds { failures = 0 }
    let pace = Backoff(baseMilliseconds: baseMilliseconds, capMilliseconds: Self.capMilliseconds)
    let longest = pace.ceilingMilliseconds(attempt: failures)
    return (longest - longest / 2)...longest
  }
}
