internal import HoistBase

/// The visitors that are due at the next interval (4.4). Thread-safe.
final class TrackingQueue: @unchecked Sendable {
  /// With more, the fifth that waits longest is dropped: their data is sent when they are queued again.
  static let capacity = 1_000_000

  private let lock = Lock()
  private var entries: [TrackingRecipient] = []
  private var dropped: Int64 = 0

  var count: Int { lock.withLock { entries.count } }
  var droppedCount: Int64 { lock.withLock { dropped } }

  /// - Returns: those dropped for room; and whether the tracker is to be woken: the queue was empty, or one of them has
  ///   a completion.
  func append(_ recipients: [TrackingRecipient]) -> (dropped: [TrackingRecipient], isCall: Bool) {
    lock.withLock {
      let isCall = entries.isEmpty || recipients.contains { !$0.completions.isEmpty }
      entries += recipients
      guard entries.count > Self.capacity else { return ([], isCall) }
      let surplus = entries.count / 5
      defer { entries.removeFirst(surplus) }
      dropped &+= Int64(surplus)
      return (Array(entries.prefix(surplus)), true)
    }
  }

  /// They have waited longest.
  func putFirst(_ recipients: [TrackingRecipient]) {
    guard !recipients.isEmpty else { return }
    lock.withLock { entries.insert(contentsOf: recipients, at: 0) }
  }

  /// Takes the completions of all visitors, which stay in the queue.
  func takeCompletions() -> [TrackingRecipient.Completion] {
    lock.withLock {
      let waiting = entries.flatMap(\.completions)
      if !waiting.isEmpty { for index in entries.indices { entries[index].completions = [] } }
      return waiting
    }
  }

  func take(atMost most: Int = .max) -> [TrackingRecipient] {
    lock.withLock {
      let taken = min(most, entries.count)
      defer { entries.removeFirst(taken) }
      return Array(entries.prefix(taken))
    }
  }
}
