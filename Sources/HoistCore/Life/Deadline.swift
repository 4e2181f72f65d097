internal import HoistBase

/// Points in time at which a caller's patience ends, on the machine's monotonic clock.
public enum Deadline {
  private static let clock = SystemClock()

  /// `Int64.max` for a negative number: no limit.
  public static func nanoseconds(afterMilliseconds milliseconds: Int64) -> Int64 {
    if milliseconds < 0 { return .max }
    let (span, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return .max }
    let (end, beyond) = clock.monotonicNanoseconds.addingReportingOverflow(span)
    return beyond ? .max : end
  }
}
