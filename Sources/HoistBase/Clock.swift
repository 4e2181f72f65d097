internal import Glibc

/// The source of time. Logic uses the clock it was given, so that tests can set it.
public protocol Clock: AnyObject, Sendable {
  /// Nanoseconds of a clock that never leaps and has no meaning between processes.
  var monotonicNanoseconds: Int64 { get }
  /// Milliseconds since 1970-01-01T00:00:00Z; may leap either way.
  var unixMilliseconds: Int64 { get }
  /// The same at a fraction of the cost, up to one tick of the system (10 ms at most) behind: for frequent time stamps.
  var recentUnixMilliseconds: Int64 { get }
  /// By a clock that is the same for all processes until the machine starts again, and is never set; nil where there is none.
  var bootMoment: BootMoment? { get }
}

public struct BootMoment: Sendable, Equatable {
  /// Another number after each start of the machine.
  public var boot: UInt64
  public var milliseconds: Int64

  public init(boot: UInt64, milliseconds: Int64) {
    self.boot = boot
    self.milliseconds = milliseconds
  }
}

extension Clock {
  public var bootMoment: BootMoment? { nil }
  public var recentUnixMilliseconds: Int64 { unixMilliseconds }
}

/// The machine's clocks.
public final class SystemClock: Clock {
  public init() {}

  public var monotonicNanoseconds: Int64 { Self.read(CLOCK_MONOTONIC) }
  public var unixMilliseconds: Int64 { Self.read(CLOCK_REALTIME) / 1_000_000 }
  public var recentUnixMilliseconds: Int64 { Self.read(CLOCK_REALTIME_COARSE) / 1_000_000 }

  public var bootMoment: BootMoment? {
    Self.boot.map { BootMoment(boot: $0, milliseconds: Self.read(CLOCK_BOOTTIME) / 1_000_000) }
  }

  private static let boot: UInt64? = {
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { room in
      guard let start = room.baseAddress else { return nil }
      let count = Glibc.read(file, start, room.count)
      return count > 0 ? Hash64.hash(start, count) : nil
    }
  }()

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
