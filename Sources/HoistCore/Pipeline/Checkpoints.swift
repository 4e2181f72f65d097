internal import HoistBase

/// What is counted between two deliveries. On the scheduler's thread.
public protocol CheckpointKeeper: AnyObject {
  /// Gives the store what has been counted so far.
  /// - Returns: its size in bytes; 0 when nothing is new.
  func keep() -> Int
}

/// When open counts go into the store: often while something is counted, seldom otherwise, and the less often the
/// larger they are. On the scheduler's thread.
public final class Checkpoints: @unchecked Sendable {
  private static let busyMilliseconds: Int64 = 100
  private static let idleMilliseconds: Int64 = 1000
  private static let longestMilliseconds: Int64 = 10_000
  /// So much may be written per millisecond in the long run.
  private static let bytesPerMillisecond = 1024

  private let scheduler: any Scheduler
  public weak var keeper: (any CheckpointKeeper)?
  private var timer: (any Cancellable)?
  private var milliseconds = busyMilliseconds

  public init(scheduler: any Scheduler) { self.scheduler = scheduler }

  public func start() {
    guard timer == nil else { return }
    milliseconds = Self.busyMilliseconds
    arm()
  }

  public func stop() {
    timer?.cancel()
    timer = nil
  }

  /// In a forked child, whose scheduler knows nothing of the timer.
  public func abandonAfterFork() { timer = nil }

  private func arm() {
    timer = scheduler.schedule(afterMilliseconds: milliseconds) { [weak self] in
      guard let self, timer != nil, let keeper else { return }
      let bytes = keeper.keep()
      milliseconds =
        bytes > 0
        ? min(Self.longestMilliseconds, max(Self.busyMilliseconds, Int64(bytes / Self.bytesPerMillisecond)))
        : min(Self.idleMilliseconds, milliseconds * 2)
      arm()
    }
  }
}
