/// Why a fetch brought nothing, and how attempts go on.
public struct FetchFailure: Error, Sendable, Equatable {
  /// When the next attempt comes.
  public enum Next: Sendable, Equatable {
    /// By the pace of failures.
    case regular
    /// The service refuses for now: at the slowest pace.
    case slow
    /// After this many milliseconds, whatever the pace says.
    case after(milliseconds: Int64)
    /// No further attempt before the host asks for one.
    case stop
  }

  public var status: Status
  /// One line for people, without secrets.
  public var message: String
  public var next: Next
  /// What the service asks for (`Retry-After`); nil for nothing.
  public var retryAfterMilliseconds: Int64?

  public init(_ status: Status, _ message: String, next: Next = .regular, retryAfterMilliseconds: Int64? = nil) {
    self.status = status
    self.message = message
    self.next = next
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

/// What became of one fetch.
public enum FetchOutcome: Sendable, Equatable {
  /// A new document has come and is served, or stored for later.
  case updated
  /// The service confirms what there is.
  case unchanged
  /// An answer without content: no failure, and no confirmation.
  case empty
  case failed(FetchFailure)
  /// A stop, a newer question or the end of the client made the answer worthless.
  case superseded

  public var status: Status {
    switch self {
    case .updated, .unchanged, .empty: .ok
    case .failed(let failure): failure.status
    case .superseded: .superseded
    }
  }

  /// Whether who has asked meanwhile may ask once more at once: it has failed, and the service wants no pause.
  public var mayBeTriedAgain: Bool {
    if case .failed(let failure) = self { failure.retryAfterMilliseconds == nil } else { false }
  }
}

/// What a service makes of one answer.
public enum FetchVerdict: Sendable, Equatable {
  case ended(FetchOutcome)
  /// Another request follows, as part of the same fetch.
  case again(afterMilliseconds: Int64)
}
