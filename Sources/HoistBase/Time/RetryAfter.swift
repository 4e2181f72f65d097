/// The header `Retry-After` (RFC 9110 10.2.3): seconds, or the date to wait for.
public enum RetryAfter {
  /// - Returns: how long to wait, from 0 (also for a date gone by) to `capMilliseconds`; nil when
  ///   the value is neither form, and the client's own back-off decides.
  public static func milliseconds(
    _ bytes: ByteView, nowUnixMilliseconds: Int64, capMilliseconds: Int64
  ) -> Int64? {
    let value = ASCII.trimmed(bytes)
    let cap = max(0, capMilliseconds)
    switch IntegerParser.parse(value, as: UInt64.self) {
    case .value(let seconds): return seconds > UInt64(cap) / 1_000 ? cap : Int64(seconds) * 1_000
    case .overflow: return cap
    case .malformed: break
    }
    let now = CivilDate.flooredDivision(nowUnixMilliseconds, 1_000).quotient
    guard let date = HTTPDate.parse(value, nowUnixSeconds: now) else { return nil }
    // An HTTP date stays far from the limits of 64 bits; the clock given may not.
    let (wait, overflow) = (date * 1_000).subtractingReportingOverflow(nowUnixMilliseconds)
    if overflow { return nowUnixMilliseconds < 0 ? cap : 0 }
    return min(max(0, wait), cap)
  }

  public static func milliseconds(
    _ source: some ByteSource, nowUnixMilliseconds: Int64, capMilliseconds: Int64
  ) -> Int64? {
    source.withBytes {
      milliseconds(
        $0, nowUnixMilliseconds: nowUnixMilliseconds, capMilliseconds: capMilliseconds)
    }
  }
}
