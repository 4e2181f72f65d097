internal import HoistBase

/// Remembers what was recorded a short while ago, so that the same again is dropped (FS-204). Thread-safe.
final class DuplicateWindow: @unchecked Sendable {
  /// Beyond this the oldest is forgotten, and may be recorded again.
  private static let capacity = 4_096

  private let milliseconds: Int64
  private let clock: any Clock
  private let lock = Lock()
  private var recent: [[UInt8]: Int64] = [:]
  /// In the order of their time, some of them forgotten or renewed since.
  private var order: [(identity: [UInt8], at: Int64)] = []
  private var head = 0
  private var dropped: Int64 = 0

  /// - Parameter milliseconds: 0 lets everything through.
  init(milliseconds: Int64, clock: any Clock) {
    self.milliseconds = milliseconds
    self.clock = clock
  }

  var isOn: Bool { milliseconds > 0 }
  var droppedCount: Int64 { lock.withLock { dropped } }

  /// Whether it comes for the first time within the window, which begins with the one that was let through.
  /// - Parameter identity: all that makes it the same.
  func admits(_ identity: [UInt8]) -> Bool {
    guard isOn else { return true }
    let now = clock.monotonicNanoseconds
    let start = now.subtractingReportingOverflow(milliseconds.multipliedReportingOverflow(by: 1_000_000).partialValue)
    return lock.withLock {
      forget(before: start.overflow ? .min : start.partialValue)
      guard recent[identity] == nil else {
        dropped &+= 1
        return false
      }
      recent[identity] = now
      order.append((identity, now))
      return true
    }
  }

  /// It was not recorded after all, and may come again.
  func forget(_ identity: [UInt8]) { lock.withLock { recent[identity] = nil } }

  private func forget(before start: Int64) {
    while head < order.count, order[head].at <= start || order.count - head > Self.capacity {
      let (identity, at) = order[head]
      if recent[identity] == at { recent[identity] = nil }
      head += 1
    }
    if head * 2 > order.count {
      order.removeFirst(head)
      head = 0
    }
  }
}
