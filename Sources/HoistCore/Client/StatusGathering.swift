internal import HoistBase

/// Waits for the answers of several, each of whom may answer more than once, and is heard once. Thread-safe.
public final class StatusGathering: @unchecked Sendable {
  private let lock = Lock()
  private var answers: [Status?]
  private let tell: @Sendable (Status) -> Void

  /// - Parameter tell: called when the last has answered: with what the first in order said that is not `.ok`, or `.ok`.
  public init(_ count: Int, _ tell: @escaping @Sendable (Status) -> Void) {
    answers = Array(repeating: nil, count: count)
    self.tell = tell
  }

  public func take(_ status: Status, of index: Int) {
    let result = lock.withLock { () -> Status? in
      guard answers.indices.contains(index), answers[index] == nil else { return nil }
      answers[index] = status
      guard !answers.contains(where: { $0 == nil }) else { return nil }
      return answers.compactMap { $0 }.first { $0 != .ok } ?? .ok
    }
    if let result { tell(result) }
  }
}
