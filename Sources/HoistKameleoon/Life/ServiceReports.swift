internal import HoistBase
internal import HoistCore

/// What a request was for; the numbers of `hoist/kameleoon/life.h` (4.7; KAM-B23).
public enum RequestKind: Int32, Sendable {
  case datafile = 0
  case tracking, remoteVisitorData, remoteData, accessToken
}

/// One attempt at a request.
public struct RequestAttempt: Sendable {
  /// How it ended; the numbers of `hoist/kameleoon/life.h`.
  public enum End: Int32, Sendable {
    case succeeded = 0
    /// An answer that is no success.
    case refused, noAnswer, cancelled
  }

  public var kind: RequestKind
  public var end: End
  /// 0 without an answer.
  public var status: Int
  public var milliseconds: Int64
  /// Why there was no answer; "" for none.
  public var reason: String
}

/// A new configuration that has come from the service.
public struct DatafileUpdate: Sendable {
  public enum Source: Int32, Sendable {
    case polling = 0
    case streaming
  }

  public var source: Source
  /// Milliseconds of Unix time; 0 when the configuration has none.
  public var dateModified: Int64
}

/// Tells the host's observers of requests and configurations, on the delivery lane (4.7; KAM-43, KAM-B23). Thread-safe.
final class ServiceReports: Sendable {
  /// An observer; nil for what it does not ask for.
  struct Handlers: Sendable {
    /// A real-time event has brought a new configuration (KAM-43).
    var updateConfiguration: (@Sendable () -> Void)?
    var datafileUpdate: (@Sendable (DatafileUpdate) -> Void)?
    var httpRequest: (@Sendable (RequestAttempt) -> Void)?
  }

  private let host: any ProviderHost
  let observers = Registrations<Handlers>(capacity: 1_000)

  init(host: any ProviderHost) { self.host = host }

  func updated(_ update: DatafileUpdate) {
    if update.source == .streaming { observers.tell(through: host.onDeliveryLane) { $0.updateConfiguration } }
    tell(\.datafileUpdate, update)
  }

  func attempt(_ kind: RequestKind, _ answer: Result<HTTPResponse, TransportFailure>, begunNanoseconds: Int64) {
    guard observers.contains(where: { $0.httpRequest != nil }) else { return }
    let milliseconds = max(0, (host.clock.monotonicNanoseconds &- begunNanoseconds) / 1_000_000)
    var attempt = RequestAttempt(kind: kind, end: .succeeded, status: 0, milliseconds: milliseconds, reason: "")
    switch answer {
    case .success(let response):
      attempt.status = response.status
      if !ServiceAnswer.isSuccess(response.status) { attempt.end = .refused }
    case .failure(let failure):
      // A timeout is the vendor's "cancelled" (2.11).
      attempt.end = failure.kind == .cancelled || failure.kind == .timeout ? .cancelled : .noAnswer
      attempt.reason = failure.message
    }
    tell(\.httpRequest, attempt)
  }

  private func tell<News: Sendable>(_ handler: KeyPath<Handlers, (@Sendable (News) -> Void)?>, _ news: News) {
    observers.tell(through: host.onDeliveryLane) { observer in
      guard let call = observer[keyPath: handler] else { return nil }
      return { call(news) }
    }
  }
}

/// What the service's answers mean (2.11).
enum ServiceAnswer {
  static func isSuccess(_ status: Int) -> Bool { 200...299 ~= status || status == 304 || status == 403 }
}
