import Glibc

/// Times, and spans given by people.
enum Moment {
  static var monotonicMilliseconds: Int64 { milliseconds(of: CLOCK_MONOTONIC) }
  static var unixMilliseconds: Int64 { milliseconds(of: CLOCK_REALTIME) }

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// RFC 3339 in UTC, with milliseconds.
  static var text: String {
    let now = unixMilliseconds
    var seconds = time_t(now / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      + ".\(String(now % 1000 + 1000).dropFirst())Z"
  }

  /// Milliseconds of a span in seconds; nil for what is no span between 1 ms and a year.
  static func milliseconds(ofSeconds seconds: Double) -> Int64? {
    guard seconds >= 0.001, seconds <= 31_536_000 else { return nil }
    return Int64(seconds * 1000)
  }
}
