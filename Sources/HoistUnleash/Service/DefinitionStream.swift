internal import HoistBase
internal import HoistCore

/// The stream of definitions (protocol B.9, row UNL-93): connects, applies, reconnects, and gives up in favour of
/// polling when the service does not offer it. On the scheduler's thread.
final class DefinitionStream: @unchecked Sendable {
  private static let healthyMilliseconds: Int64 = 60_000
  private static let failureWindowMilliseconds: Int64 = 60_000
  private static let failuresBeforeFallback = 5

  private let host: any ProviderHost
  private let requests: BackendRequest
  private let headers: RequestHeaders
  private let stream: EventStream
  weak var source: BackendSource?
  /// 2 s, doubled to at most 30 s, up to half of it taken off at random.
  private var backoff = Backoff(baseMilliseconds: 2000, capMilliseconds: 30_000, jitter: 0.5)
  private var recentFailures: [Int64] = []
  private var firstOutcome: Poller.Completion?
  private var isRunning = false

  init(host: any ProviderHost, options: UnleashSettings, transport: any Transport) {
    self.host = host
    requests = BackendRequest(options: options)
    headers = RequestHeaders(options: options)
    stream = EventStream(host: host, transport: transport, maximumEventBytes: options.maximumResponseBytes)
    stream.delegate = self
  }

  func start(firstOutcome: @escaping Poller.Completion) {
    stop()
    guard requests.url(.streaming) != nil else { return firstOutcome(.failed(.url)) }
    isRunning = true
    self.firstOutcome = firstOutcome
    stream.open()
  }

  func stop() {
    stream.close()
    isRunning = false
    recentFailures = []
    backoff.reset()
    answerFirst(.superseded)
  }

  func abandonAfterFork() {
    stream.abandonAfterFork()
    isRunning = false
    firstOutcome = nil
  }

  /// What is served came from elsewhere: the next connection asks for everything.
  func forgetLastEvent() { stream.forgetLastEvent() }

  private func answerFirst(_ outcome: FetchOutcome) {
    let completion = firstOutcome
    firstOutcome = nil
    completion?(outcome)
  }

  /// Data that cannot be applied: begin anew with everything.
  private func rejected(_ problem: String, openMilliseconds: Int64?) {
    forgiveIfHealthy(openMilliseconds)
    source?.streamFailed(.decoding(problem))
    stream.forgetLastEvent()
    stream.close()
    reconnect()
  }

  /// A connection that was good for long makes up for the failures before it.
  private func forgiveIfHealthy(_ openMilliseconds: Int64?) {
    if let openMilliseconds, openMilliseconds >= Self.healthyMilliseconds { backoff.reset() }
  }

  private func failed(_ failure: FetchFailure) {
    source?.streamFailed(failure)
    guard isRunning else { return }
    var delay: Int64?
    if case .network(let status, let wait) = failure {
      if [401, 403, 404, 429, 501].contains(status) { return giveUp(failure.message) }
      delay = wait
    }
    let now = host.clock.monotonicNanoseconds
    recentFailures.append(now)
    recentFailures.removeAll { now &- $0 > Self.failureWindowMilliseconds * 1_000_000 }
    if recentFailures.count >= Self.failuresBeforeFallback {
      return giveUp("\(recentFailures.count) failures within a minute")
    }
    reconnect(atLeast: delay)
  }

  /// After the pause that is due; longer when the service asks for it.
  private func reconnect(atLeast minimum: Int64? = nil) {
    guard isRunning else { return }
    stream.reopen(afterMilliseconds: max(minimum ?? 0, backoff.nextMilliseconds(host.entropy)))
  }

  private func giveUp(_ reason: String) {
    stream.close()
    isRunning = false
    let completion = firstOutcome ?? { _ in }
    firstOutcome = nil
    source?.fallBackToPolling(reason, completion: completion)
  }
}

extension DefinitionStream: EventStreamDelegate {
  var streamAddress: String? { requests.url(.streaming)?.redacted }

  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest? {
    requests.url(.streaming).map { requests.stream($0, headers.make(.stream(lastEventID: lastEventID), dynamic: dynamic)) }
  }

  func streamAccepts(_ head: HTTPResponse) -> Bool {
    head.status == 200 && head.headers.value(of: "Content-Type")?.lowercased().hasPrefix("text/event-stream") != false
  }

  func streamReceived(_ event: ServerSentEvent) {
    switch event.type {
    case "unleash-connected", "unleash-updated":
      if let problem = source?.applyDelta(event.data) {
        return rejected(problem, openMilliseconds: stream.openMilliseconds)
      }
      source?.streamDelivered()
      answerFirst(.updated)
    case "fetch-mode":
      if event.data == Array("polling".utf8) { giveUp("the service asks for polling") }
    default:
      host.log.debug("unknown stream event is ignored")
    }
  }

  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    guard isRunning else { return }
    switch end {
    case .tooLarge(let error): rejected("the stream exceeds a limit: \(error)", openMilliseconds: openMilliseconds)
    case .refused(let head):
      failed(head.status == 200 ? .decoding("it is no event stream") : FetchFailure.status(head, now: host.clock.unixMilliseconds))
    case .closed(let failure):
      forgiveIfHealthy(openMilliseconds)
      failed(failure.map { .noResponse($0) } ?? .streamEnded)
    }
  }
}
