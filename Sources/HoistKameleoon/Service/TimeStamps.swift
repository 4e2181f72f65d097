/// Time stamps that come from outside (contract 9).
enum TimeStamps {
  /// What lies further ahead of this machine's clock is not believed: milliseconds.
  static let furthestAhead: Int64 = 86_400_000

  /// Whether a stamp lies too far ahead. Times are milliseconds of Unix time.
  static func isTooFarAhead(_ stamp: Int64, now: Int64) -> Bool {
    let ahead = stamp.subtractingReportingOverflow(now)
    return ahead.overflow ? stamp > now : ahead.partialValue > furthestAhead
  }
}
