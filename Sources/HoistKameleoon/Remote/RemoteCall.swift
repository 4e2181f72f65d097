internal import HoistBase
internal import HoistCore

/// Why there are no data.
struct RemoteFailure: Error, Sendable, Equatable {
  static let closed = RemoteFailure(status: .cancelled, message: "the client is closed")
  static let offline = RemoteFailure(status: .network, message: "the client is offline")

  var status: Status
  /// One line for people.
  var message: String
}

/// What calls to the Data API share.
struct RemoteAccess: Sendable {
  let host: any ProviderHost
  let tokens: AccessTokens
  let requests: OutgoingRequests
  let reports: ServiceReports
}

/// One question to the Data API: a token if need be, then one request, and when its token is refused another one without
/// (2.10, 2.11; KAM-04, KAM-08, KAM-74). Answered once, within its time. On the scheduler's thread.
final class RemoteCall: @unchecked Sendable {
  /// - Parameter body: nil for success without content.
  typealias Completion = @Sendable (Result<[UInt8]?, RemoteFailure>) -> Void

  private let access: RemoteAccess
  private let kind: RequestKind
  private let template: HTTPRequest
  /// By the monotonic clock.
  private let deadline: Int64
  private var limit: (any Cancellable)?
  /// nil once it is answered.
  private var completion: Completion?

  /// - Parameter request: its time limit is that of the whole call.
  init(_ kind: RequestKind, _ request: HTTPRequest, _ access: RemoteAccess, completion: @escaping Completion) {
    self.access = access
    self.kind = kind
    self.completion = completion
    template = request
    deadline = access.host.clock.monotonicNanoseconds &+ request.timeoutMilliseconds &* 1_000_000
  }

  func begin() {
    limit = access.host.scheduler.schedule(afterMilliseconds: template.timeoutMilliseconds) { [weak self] in
      self?.end(.failure(RemoteFailure(status: .timeout, message: "no answer in time")))
    }
    // A service of tokens that hangs leaves time to ask without one.
    access.tokens.bearer(withinMilliseconds: template.timeoutMilliseconds / 2) { [self] in send($0) }
  }

  /// Completes the call now.
  func end(_ failure: RemoteFailure) { end(.failure(failure)) }

  private func send(_ bearer: String?) {
    guard completion != nil else { return }
    let begun = access.host.clock.monotonicNanoseconds
    let left = max(1, (deadline &- begun) / 1_000_000)
    var request = template
    request.timeoutMilliseconds = left
    request.connectTimeoutMilliseconds = min(request.connectTimeoutMilliseconds, left)
    if let bearer { request.headers.set("Authorization", bearer) }
    access.requests.send(request) { [self] answer in
      access.reports.attempt(kind, answer, begunNanoseconds: begun)
      take(answer, bearer)
    }
  }

  private func take(_ answer: OutgoingRequests.Answer, _ bearer: String?) {
    switch answer {
    case .success(let response) where 200...299 ~= response.status: end(.success(response.body))
    case .success(let response) where ServiceAnswer.isSuccess(response.status): end(.success(nil))
    case .success(let response):
      if response.status == 401, let bearer {
        access.tokens.drop(bearer)
        return send(nil)
      }
      let status = response.status == 404 ? Status.notFound : .network
      end(.failure(RemoteFailure(status: status, message: "the service answered \(response.status)")))
    case .failure(let failure): end(.failure(RemoteFailure(failure)))
    }
  }

  private func end(_ outcome: Result<[UInt8]?, RemoteFailure>) {
    guard let completion else { return }
    self.completion = nil
    limit?.cancel()
    completion(outcome)
  }
}

extension RemoteFailure {
  fileprivate init(_ failure: TransportFailure) {
    switch failure.kind {
    case .timeout: status = .timeout
    case .cancelled: status = .cancelled
    case .tooLarge: status = .limit
    default: status = .network
    }
    message = "no answer: \(failure.message)"
  }
}
