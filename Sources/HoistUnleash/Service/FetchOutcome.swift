internal import HoistBase
internal import HoistCore

/// What became of one fetch, in the vendor's kinds (protocol B.5, row UNL-72).
enum FetchOutcome: Sendable, Equatable {
  /// New flags are served.
  case updated
  /// 304: the service confirms the flags.
  case unchanged
  /// An answer without a body: nothing is wrong, and nothing is confirmed.
  case empty
  case failed(FetchFailure)
  /// A newer context or a stop made the answer worthless.
  case superseded

  var status: Status {
    switch self {
    case .updated, .unchanged, .empty: .ok
    case .superseded: .superseded
    case .failed(.decoding): .parse
    case .failed: .network
    }
  }
}

extension FetchOutcome {
  /// The vendor's kinds, in the statuses of `hoist/unleash.h`.
  var unleashStatus: Status {
    switch self {
    case .failed(let failure): failure.unleashStatus
    default: status
    }
  }
}

enum FetchFailure: Sendable, Equatable {
  case url
  /// No answer at all.
  case noResponse(TransportFailure)
  /// 400 to 598.
  case network(status: Int, retryAfterMilliseconds: Int64?)
  case unhandledStatus(Int)
  case decoding(String)
  /// In good order, but a stream is to go on.
  case streamEnded

  /// One line for people.
  var message: String {
    switch self {
    case .url: "the flags' URL cannot be built"
    case .noResponse(let failure): "no answer from the service: \(failure.message)"
    case .network(let status, _): "the service answered \(status)\(Self.hint(status))"
    case .unhandledStatus(let status): "the service answered \(status), which means nothing to this client"
    case .decoding(let problem): "the service's answer cannot be read: \(problem)"
    case .streamEnded: "the service ended the stream"
    }
  }

  private static func hint(_ status: Int) -> String {
    switch status {
    case 401: ": the key is missing or unknown"
    case 403: ": the key is of another kind, or not allowed here"
    case 404: ": nothing lives at this URL, or the API is switched off"
    case 429: ": too many requests"
    default: ""
    }
  }

  /// Classifies an answer that is neither 200 nor 304.
  static func status(_ response: HTTPResponse, now: Int64) -> FetchFailure {
    guard (400...598).contains(response.status) else { return .unhandledStatus(response.status) }
    let wait = response.headers.value(of: "Retry-After").flatMap { RetryAfter.milliseconds($0, nowUnixMilliseconds: now, capMilliseconds: 3_600_000) }
    return .network(status: response.status, retryAfterMilliseconds: wait)
  }
}
