internal import HoistCore

/// When open summaries go into the store: often while something is counted, seldom otherwise, and the less often the
/// larger they are. On the scheduler's thread.
final class Checkpoints: @unchecked Sendable {
  private static let busyMilliseconds: Int64 = 100
  private static let idleMilliseconds: Int64 = 1000
  private static let longestMilliseconds: Int64 = 10_000
  /// So much may be written per millisecond in the long run.
  private static let bytesPerMillisecond = 1024

  private let scheduler: any Scheduler
  private var timer: (any Cancellable)?
  private var milliseconds = busyMilliseconds
  /// Keeps what has been counted; returns how many bytes that was.
  var keep: () -> Int = { 0 }

  init(scheduler: any Scheduler) { self.scheduler = scheduler }

  func start() {
    guard timer == nil else { return }
    milliseconds = Self.busyMilliseconds
    arm()
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  /// In a forked child, whose scheduler knows nothing of the timer.
  func abandon() { timer = nil }

  private func arm() {
    timer = scheduler.schedule(afterMilliseconds: milliseconds) { [weak self] in
      guard let self, self.timer != nil else { return }
      let bytes = self.keep()
      self.milliseconds = bytes > 0
        ? min(Self.longestMilliseconds, max(Self.busyMilliseconds, Int64(bytes / Self.bytesPerMillisecond)))
        : min(Self.idleMilliseconds, max(Self.busyMilliseconds, self.milliseconds * 2))
      self.arm()
    }
  }
}
