internal import HoistBase

/// Gathers the statuses of several operations; only the first of each counts. Thread-safe.
public final class StatusGathering: @unchecked Sendable {
  private let lock = Lock()
  private var answers: [Status?]
  private let tell: @Sendable (Status) -> Void

  /// - Parameter tell: called when the last has answered: with what the first in order said that is not `.ok`, or `.ok`. What
  ///   was refused for good, and is told once, comes before what is left.
  public init(_ count: Int, _ tell: @escaping @Sendable (Status) -> Void) {
    answers = Array(repeating: nil, count: count)
    self.tell = tell
  }

  public func take(_ status: Status, of index: Int) {
    let result = lock.withLock { () -> Status? in
      guard answers.indices.contains(index), answers[index] == nil else { return nil }
      answers[index] = status
      guard !answers.contains(where: { $0 == nil }) else { return nil }
      return answers.contains(.rejected) ? .rejected : answers.compactMap { $0 }.first { $0 != .ok } ?? .ok
    }
    if let result { tell(result) }
  }
}
