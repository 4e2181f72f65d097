internal import HoistBase
internal import HoistCore

/// What went wrong with a request, in the vendor's kinds (protocol B.5, row UNL-72), and when the next one comes (D.2).
struct UnleashFailure {
  /// What failed, e.g. "fetching flags failed".
  let what: String
  let pace: UnleashPace
  let clock: any Clock

  func make(_ status: Status, _ cause: String, _ next: FetchFailure.Next) -> FetchFailure {
    FetchFailure(status, "\(what): \(cause)", next: next)
  }

  /// What was sent, or came, cannot be read.
  func decoding(_ problem: String) -> FetchFailure {
    make(.unleashDecoding, "the service's answer cannot be read: \(problem)", plain)
  }

  func transport(_ failure: TransportFailure) -> FetchFailure {
    switch failure.kind {
    case .invalidURL: make(.unleashURL, "the URL cannot be used: \(failure.message)", .slow)
    case .connectionReset: noResponse(failure.message, .after(milliseconds: pace.resetMilliseconds))
    default: noResponse(failure.message, plain)
    }
  }

  private func noResponse(_ cause: String, _ next: FetchFailure.Next) -> FetchFailure {
    make(.unleashNoResponse, "no answer from the service: \(cause)", next)
  }

  /// A stream that is to go on has ended in good order.
  var streamEnded: FetchFailure { make(.unleashNoResponse, "the service ended the stream", plain) }

  /// An answer that is neither 200 nor 304.
  /// - Parameter outlook: what happens after a refusal; nil for the next attempt of the pace.
  func status(_ response: HTTPResponse, outlook: String? = nil) -> FetchFailure {
    let status = response.status
    guard (400...598).contains(status) else {
      return make(.unleashUnhandledStatus, "the service answered \(status), which means nothing to this client", plain)
    }
    let isRefused = status == 401 || status == 403
    let next = isRefused ? .slow : [404, 429, 500, 502, 503, 504].contains(status) ? .regular : plain
    let outlook = isRefused ? outlook ?? "; the next attempt comes in \(pace.refusedMilliseconds / 1000) s" : ""
    var failure = make(.unleashNetwork, "the service answered \(status)\(Self.hint(status))\(outlook)", next)
    failure.retryAfterMilliseconds = response.retryAfterMilliseconds(clock)
    return failure
  }

  private var plain: FetchFailure.Next { .after(milliseconds: pace.plainMilliseconds) }

  private static func hint(_ status: Int) -> String {
    switch status {
    case 401: ": the key is refused, as it is missing or unknown"
    case 403: ": the key is refused, as it is of another kind, or not allowed here"
    case 404: ": nothing lives at this URL, or the API is switched off"
    case 429: ": too many requests"
    default: ""
    }
  }
}
