/// A moment, as exact as the texts that name one.
@frozen public struct UnixInstant: Sendable, Hashable, Comparable {
  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  public let seconds: Int64
  /// 0 to 999,999,999 after `seconds`.
  public let nanoseconds: Int32

  public init(milliseconds: Int64) {
    let (seconds, rest) = CivilDate.flooredDivision(milliseconds, 1_000)
    self.seconds = seconds
    nanoseconds = Int32(truncatingIfNeeded: rest * 1_000_000)
  }

  /// The instant of a calendar date and time.
  /// - Parameters:
  ///   - second: 60 means the first second of the next minute.
  ///   - offsetSeconds: how far the clock is ahead of UTC.
  /// - Returns: nil when the clock cannot show that time, or the offset is a day or more.
  public init?(
    date: CivilDate, hour: Int, minute: Int, second: Int, nanoseconds: Int = 0,
    offsetSeconds: Int = 0
  ) {
    guard 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second, 0..<1_000_000_000 ~= nanoseconds,
      abs(max(offsetSeconds, -86_400)) < 86_400
    else { return nil }
    let secondOfDay = Int64(hour * 3_600 + minute * 60 + second)
    seconds = date.daysSinceEpoch * 86_400 + secondOfDay - Int64(offsetSeconds)
    self.nanoseconds = Int32(truncatingIfNeeded: nanoseconds)
  }

  /// Since 1970-01-01T00:00:00Z, rounded down; the nearest 64-bit number when there is none.
  public var milliseconds: Int64 {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    let (sum, overflowOfSum) = product.addingReportingOverflow(Int64(nanoseconds / 1_000_000))
    return overflow || overflowOfSum ? (seconds < 0 ? .min : .max) : sum
  }

  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.seconds < right.seconds
      || (left.seconds == right.seconds && left.nanoseconds < right.nanoseconds)
  }
}
