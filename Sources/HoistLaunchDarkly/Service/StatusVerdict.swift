/// Clients that do not give up when they are refused ask again later (LD-93).
enum Refusal {
  static let pauseMilliseconds: Int64 = 300_000

  /// Whether a request that is answered so may be repeated after the pause.
  static func isMeant(byStatus status: Int) -> Bool { status == 401 || status == 403 }
}

/// What an answer's status means for the stream (2.5).
public enum StreamVerdict: Sendable, Equatable {
  case open, retry
  /// No further attempt until the client is set online again.
  case stop
  case stopAndGoOffline

  public init(status: Int) {
    switch status {
    case 204: self = .retry
    case 200...299: self = .open
    case 401: self = .stopAndGoOffline
    case 400, 408, 429: self = .retry
    case 400...499: self = .stop
    default: self = .retry
    }
  }
}

/// What an answer's status means for a poll (2.3).
public enum PollVerdict: Sendable, Equatable {
  case use, upToDate, goOffline
  /// The next poll comes at its time.
  case failed

  public init(status: Int) {
    switch status {
    case 200: self = .use
    case 304: self = .upToDate
    case 401: self = .goOffline
    default: self = .failed
    }
  }

  /// Whether a service that gives this status to REPORT may understand GET.
  public static func repeatsWithGET(status: Int) -> Bool { [400, 405, 501].contains(status) }
}
