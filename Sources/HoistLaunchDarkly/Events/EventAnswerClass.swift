internal import HoistCore

/// What an answer to events or diagnostics means (2.4).
public enum EventAnswerClass: Equatable {
  case taken
  /// May be better at a second try: no answer, 3xx, 400, 408, 429, 5xx.
  case passing
  /// 401: the mobile key is refused.
  case unauthorized
  /// The same bytes would be refused again.
  case refused

  init(_ answer: Result<HTTPResponse, TransportFailure>) {
    guard case .success(let response) = answer else {
      self = .passing
      return
    }
    self.init(status: response.status)
  }

  public init(status: Int) {
    switch status {
    case 200...299: self = .taken
    case 300...399, 400, 408, 429, 500...599: self = .passing
    case 401: self = .unauthorized
    default: self = .refused
    }
  }

  /// Whether a server's events end with such an answer (server 2.4): one of 4xx that is neither passing nor too large.
  static func endsServerEvents(_ status: Int) -> Bool {
    400...499 ~= status && status != 413 && EventAnswerClass(status: status) != .passing
  }
}
