internal import Synchronization

/// How many events may be recorded between two payloads (4.4.6). Any thread.
final class EventCapacity: Sendable {
  private let most: Int
  private let waiting = Atomic(0)
  private let refused = Atomic(0)

  init(_ most: Int) { self.most = most }

  /// Takes a place; false, and counted, when there is none.
  func take() -> Bool {
    if waiting.add(1, ordering: .relaxed).newValue <= most { return true }
    waiting.subtract(1, ordering: .relaxed)
    refuse()
    return false
  }

  /// Counts an event that found no place before it could take one.
  func refuse() { refused.add(1, ordering: .relaxed) }

  /// Frees the room of events that went into a payload; the count may include events of an earlier run.
  func giveBack(_ count: Int) {
    var before = waiting.load(ordering: .relaxed)
    while true {
      let (isDone, seen) = waiting.compareExchange(expected: before, desired: max(0, before - count), ordering: .relaxed)
      if isDone { return }
      before = seen
    }
  }

  /// Events that found no place, since the client was made.
  var dropped: Int { refused.load(ordering: .relaxed) }

  /// In a forked child: what waits is the parent's.
  func forget() { waiting.store(0, ordering: .relaxed) }
}
