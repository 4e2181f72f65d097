public import HoistBase

/// What an answer means for a configuration.
public enum AnswerMeaning: Sendable, Equatable {
  /// Its body is a configuration.
  case taken
  /// What there is holds.
  case kept
  /// A failure; attempts go on by the pace of failures.
  case failed
  /// The service refuses key or address: attempts go on at the slowest pace.
  case refused
  /// The service refuses for good.
  case stop
  /// Neither a configuration nor a failure.
  case nothing
  /// Another request follows within the same fetch.
  case again(afterMilliseconds: Int64)
}

extension AnswerMeaning {
  /// What HTTP says of a status; a service's own table begins with its exceptions.
  public init(status: Int) {
    switch status {
    case 200...299: self = .taken
    case 304: self = .kept
    case 401, 403: self = .refused
    default: self = .failed
    }
  }
}

extension HTTPResponse {
  /// What `Retry-After` asks for, an hour at most; nil for nothing, and for more than a day, which is not believed.
  public func retryAfterMilliseconds(_ clock: any Clock) -> Int64? {
    let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)
    let asked = headers.value(of: "Retry-After").flatMap {
      RetryAfter.milliseconds($0, nowUnixMilliseconds: clock.unixMilliseconds, capMilliseconds: day + 1000)
    }
    return asked.flatMap { $0 > day ? nil : min($0, hour) }
  }
}

extension FetchFailure {
  /// What the client's life makes of it.
  public var report: LifeReport {
    switch next {
    case .regular, .after: .failed(status, message)
    case .slow: .refused(status, message)
    case .stop: .stopped(status, message)
    }
  }
}
