internal import Glibc

/// The source of time. Logic uses the clock it was given, so that tests can set it.
public protocol Clock: AnyObject, Sendable {
  /// Nanoseconds of a clock that never leaps and has no meaning between processes.
  var monotonicNanoseconds: Int64 { get }
  /// Milliseconds since 1970-01-01T00:00:00Z; may leap either way.
  var unixMilliseconds: Int64 { get }
  /// The same at a fraction of the cost, up to one tick of the system (10 ms at most) behind: for frequent time stamps.
  var recentUnixMilliseconds: Int64 { get }
}

extension Clock {
  public var recentUnixMilliseconds: Int64 { unixMilliseconds }
}

/// The machine's clocks.
public final class SystemClock: Clock {
  public init() {}

  public var monotonicNanoseconds: Int64 { Self.read(CLOCK_MONOTONIC) }
  public var unixMilliseconds: Int64 { Self.read(CLOCK_REALTIME) / 1_000_000 }
  public var recentUnixMilliseconds: Int64 { Self.read(CLOCK_REALTIME_COARSE) / 1_000_000 }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
