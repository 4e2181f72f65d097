internal import HoistBase

/// Dates as clauses compare them: RFC 3339 with an offset, to the microsecond (4.5).
enum DateOperand {
  /// Milliseconds since 1970. No leap second, and no year before the first.
  static func milliseconds(_ text: ByteView) -> Double? {
    guard let instant = RFC3339.parse(text), !text.view(from: 17, to: 19).reads("60"), !text.view(from: 0, to: 4).reads("0000")
    else { return nil }
    return Double(instant.seconds) * 1000 + Double(instant.nanoseconds / 1000) / 1000
  }
}
