import HoistBase

/// Times, and spans given by people.
enum Moment {
  private static let clock = SystemClock()

  static var monotonicMilliseconds: Int64 { clock.monotonicNanoseconds / 1_000_000 }

  /// RFC 3339 in UTC, with milliseconds.
  static var text: String { RFC3339.text(unixMilliseconds: clock.unixMilliseconds, precision: .milliseconds) }

  /// Milliseconds of a span in seconds; nil for what is no span between 1 ms and a year.
  static func milliseconds(ofSeconds seconds: Double) -> Int64? {
    guard seconds >= 0.001, seconds <= 31_536_000 else { return nil }
    return Int64(seconds * 1000)
  }
}
