internal import HoistBase
internal import HoistCore

/// Asks the Decision API, one request for each fetch (3.2; FS-06, FS-09, FS-211, FS-214). On the scheduler's thread.
final class DecisionService: ClientPart, @unchecked Sendable {
  typealias Completion = @Sendable (Result<DecisionAnswer, FetchFailure>) -> Void

  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let account: AccountSettingsHolder
  private let telemetry: Telemetry
  private let requests: OutgoingRequests

  init(
    host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, account: AccountSettingsHolder,
    telemetry: Telemetry
  ) {
    self.host = host
    self.settings = settings
    self.status = status
    self.account = account
    self.telemetry = telemetry
    requests = OutgoingRequests(host: host)
  }

  /// Nothing is tried twice: the next fetch is the next attempt. The SDK's status follows an answer before `completion`
  /// runs, once, unless the call is over first.
  func fetch(_ request: DecisionRequest, _ call: FetchCall? = nil, completion: @escaping Completion) {
    guard host.isOnline else { return completion(.failure(FetchFailure(.flagshipFetchFailed, "the client is offline"))) }
    guard call?.isOver != true else { return }
    var post = ServiceRequest(settings).post(
      settings.addresses.campaigns, body: request.body(decisionGroup: settings.decisionGroup))
    post.headers.append(HTTPHeader("x-api-key", settings.apiKey.reveal()))
    post.timeoutMilliseconds = settings.decisionTimeoutMilliseconds
    post.connectTimeoutMilliseconds = min(post.connectTimeoutMilliseconds, settings.decisionTimeoutMilliseconds)
    let (hasConsented, begun) = (request.hasConsented, host.clock.monotonicNanoseconds)
    let closed = FetchFailure(.flagshipFetchFailed, "the client is closed")
    let number = requests.send(post) { [weak self] in
      completion(self?.take($0, hasConsented: hasConsented, since: begun) ?? .failure(closed))
    }
    let (requests, scheduler) = (requests, host.scheduler)
    call?.sends { scheduler.post { requests.cancel(number) } }
  }

  /// - Parameter begun: when it was asked, in nanoseconds of the client's clock.
  private func take(
    _ answer: Result<HTTPResponse, TransportFailure>, hasConsented: Bool, since begun: Int64
  ) -> Result<DecisionAnswer, FetchFailure> {
    switch answer {
    case .failure(let failure):
      telemetry.caught(failure.message, of: nil)
      return failed("no answer: \(failure.message)")
    case .success(let response):
      guard 200...299 ~= response.status else {
        report(response, isSuccess: false, since: begun)
        return failed("the service answered \(response.status)", response)
      }
      let decided: DecisionAnswer
      do throws(DecisionAnswer.Flaw) {
        decided = try DecisionAnswer(response.body)
      } catch {
        report(response, isSuccess: false, since: begun)
        return failed(error.message)
      }
      if let settings = decided.account { account.take(settings) }
      // It speaks of the visitor.
      if hasConsented { report(response, isSuccess: true, since: begun) }
      status.answered(isPanic: decided.isPanic)
      host.report(decided.isPanic ? .suspended(StatusMachine.panicMessage) : .heard)
      return .success(decided)
    }
  }

  private func report(_ response: HTTPResponse, isSuccess: Bool, since begun: Int64) {
    telemetry.answered(
      .campaignsError, settings.addresses.campaigns, response, isSuccess: isSuccess,
      milliseconds: RequestTimes.milliseconds(since: begun, host.clock))
  }

  /// - Parameter response: nil where its status says nothing of the failure.
  private func failed(_ what: String, _ response: HTTPResponse? = nil) -> Result<DecisionAnswer, FetchFailure> {
    let isRefused = response.map { AnswerMeaning(status: $0.status) == .refused } ?? false
    let failure = FetchFailure(
      .flagshipFetchFailed,
      "decisions of environment \(settings.environmentID): \(what)\(isRefused ? ": the key or the address is refused" : "")",
      next: isRefused ? .slow : .regular, retryAfterMilliseconds: response?.retryAfterMilliseconds(host.clock))
    host.report(failure.report)
    return .failure(failure)
  }

  func stop() { requests.cancelAll() }
  func setOnline(_ isOnline: Bool) { if !isOnline { requests.cancelAll() } }
  func abandonAfterFork() { requests.abandonAfterFork() }
}
