internal import HoistBase

/// How long batches wait for the answer to their request. On the scheduler's thread.
struct RequestTimes {
  /// Of which the end is waited for: batches may go without an answer.
  private static let maximumOpen = 32

  private let clock: any Clock
  private var open: [(batch: String, begunNanoseconds: Int64)] = []

  init(_ clock: any Clock) { self.clock = clock }

  mutating func begin(_ batch: String) {
    open.removeAll { $0.batch == batch }
    if open.count >= Self.maximumOpen { open.removeFirst() }
    open.append((batch, clock.monotonicNanoseconds))
  }

  /// - Returns: milliseconds since the beginning; nil for what has not begun.
  mutating func end(_ batch: String) -> Int64? {
    guard let place = open.firstIndex(where: { $0.batch == batch }) else { return nil }
    return Self.milliseconds(since: open.remove(at: place).begunNanoseconds, clock)
  }

  static func milliseconds(since begunNanoseconds: Int64, _ clock: any Clock) -> Int64 {
    max(0, clock.monotonicNanoseconds &- begunNanoseconds) / 1_000_000
  }
}
