/// How long a try to go online waits (5.4; LD-13): the first two go at once, each further one within the time of those
/// before it waits longer, up to a minute.
public struct ThrottlePace: Sendable {
  private static let longestMilliseconds: Int64 = 60_000
  private static let freeAttempts = 1
  /// The longest delay needs eight; more of them change nothing but how much is to be remembered.
  private static let maximumRemembered = 1_000

  private var attempts = -1
  /// When tries count no more, in milliseconds of the monotonic clock.
  private var ends: [Int64] = []

  public init() {}

  /// Counts a try.
  /// - Parameter now: milliseconds of the monotonic clock.
  /// - Returns: the shortest and the longest wait, in milliseconds; 0...0 goes at once.
  public mutating func next(at now: Int64) -> ClosedRange<Int64> {
    let past = ends.filter { $0 <= now }.count
    ends.removeAll { $0 <= now }
    for _ in 0..<past { attempts = max(0, attempts - 1) }
    if ends.count < Self.maximumRemembered {
      attempts += 1
      ends.append(now &+ delay)
    }
    return attempts <= Self.freeAttempts ? 0...0 : delay / 2...delay
  }

  /// min(60 s, 2^(attempts - 1) s)
  private var delay: Int64 {
    let doublings = min(max(0, attempts), 16)
    return min(Self.longestMilliseconds, 500 << Int64(doublings))
  }
}
