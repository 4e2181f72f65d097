internal import HoistBase
internal import HoistCore

/// The stream of definitions (protocol B.9, row UNL-93): connects, applies, reconnects. Where the service does not offer it,
/// definitions are polled, and the stream is tried again now and then. On the scheduler's thread.
final class DefinitionStream: @unchecked Sendable {
  private static let failureWindowNanoseconds: Int64 = 60_000_000_000
  private static let failuresBeforeFallback = 5

  private enum Phase {
    case idle
    case streaming
    /// Definitions are polled; a connection shows whether the service streams after all.
    case trying
  }

  private let host: any ProviderHost
  private let options: UnleashSettings
  private let requests: BackendRequest
  private let headers: RequestHeaders
  private let failures: UnleashFailure
  private let stream: EventStream
  weak var owner: BackendFlags?
  private var phase = Phase.idle
  private var pace = ReconnectPace(base: 2000)
  private var recentFailures: [Int64] = []
  /// Connections that were never open: after one that had lasted a minute is too short for that many attempts.
  private var failuresInRow = 0
  private var firstOutcome: FetchLoop.Completion?

  init(host: any ProviderHost, options: UnleashSettings, failures: UnleashFailure) {
    self.host = host
    self.options = options
    self.failures = failures
    requests = BackendRequest(options: options)
    headers = RequestHeaders(options: options)
    stream = EventStream(host: host, transport: host.transport, maximumEventBytes: options.maximumResponseBytes)
    stream.delegate = self
  }

  func start(firstOutcome: @escaping FetchLoop.Completion) {
    stop()
    phase = .streaming
    self.firstOutcome = firstOutcome
    stream.open()
  }

  func stop() {
    end()
    forgetFailures()
    answerFirst(.superseded)
  }

  private func forgetFailures() {
    recentFailures = []
    failuresInRow = 0
    pace.reset()
  }

  private func end() {
    stream.close()
    phase = .idle
  }

  func abandonAfterFork() {
    stream.abandonAfterFork()
    phase = .idle
    firstOutcome = nil
  }

  /// What is served came from elsewhere: the next connection asks for everything.
  func forgetLastEvent() { stream.forgetLastEvent() }

  private func answerFirst(_ outcome: FetchOutcome) {
    let completion = firstOutcome
    firstOutcome = nil
    completion?(outcome)
  }

  /// - Parameter isUnreadable: begin anew with everything.
  private func failed(_ failure: FetchFailure, status: Int = 0, isUnreadable: Bool = false, openMilliseconds: Int64?) {
    if isUnreadable {
      stream.forgetLastEvent()
      stream.close()
    }
    if phase == .trying { return pollOn(failure.message) }
    owner?.streamFailed(failure)
    guard phase == .streaming else { return }
    if [401, 403, 404, 429, 501].contains(status) { return giveUp(failure.message) }
    if !isUnreadable {
      let now = host.clock.monotonicNanoseconds
      recentFailures.append(now)
      recentFailures.removeAll { now &- $0 > Self.failureWindowNanoseconds }
      failuresInRow = openMilliseconds == nil ? failuresInRow + 1 : 0
    }
    if max(recentFailures.count, failuresInRow) >= Self.failuresBeforeFallback {
      return giveUp("\(Self.failuresBeforeFallback) failures within a minute, or in a row")
    }
    stream.reopen(afterMilliseconds: pace.nextMilliseconds(openMilliseconds: openMilliseconds, host.entropy))
  }

  /// - Parameter isWished: the service wants it so, and says so when it wants to stream again.
  private func giveUp(_ reason: String, isWished: Bool = false) {
    let wasStreaming = phase == .streaming
    end()
    if !isWished { tryLater() }
    guard wasStreaming else { return }
    let outlook = isWished ? "" : ", and the stream is tried again within \(options.longestRetryMilliseconds / 1000) s"
    host.log.warning("definitions are polled instead of streamed\(outlook): \(reason)")
    let completion = firstOutcome ?? { _ in }
    firstOutcome = nil
    owner?.fallBackToPolling(completion: completion)
  }

  private func pollOn(_ reason: String) {
    end()
    host.log.debug("definitions are still polled instead of streamed: \(reason)")
    tryLater()
  }

  private func tryLater() {
    phase = .trying
    stream.forgetLastEvent()
    stream.reopen(afterMilliseconds: host.entropy.shortened(options.longestRetryMilliseconds))
  }

  /// What follows the present event waits until `release`.
  func hold() { stream.hold() }
  func release() { stream.release() }

  /// What the stream brought cannot be read.
  func refused(_ problem: String) {
    failed(failures.decoding(problem), isUnreadable: true, openMilliseconds: stream.openMilliseconds)
  }

  /// What the stream brought is served.
  func served() {
    if phase == .trying {
      phase = .streaming
      forgetFailures()
      host.log.info("definitions are streamed again")
      owner?.streamTakesOver()
    }
    answerFirst(.updated)
  }
}

extension DefinitionStream: EventStreamDelegate {
  var streamAddress: String? { requests.url(.streaming)?.redacted }

  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest? {
    requests.url(.streaming).map { requests.stream($0, headers.make(.stream(lastEventID: lastEventID), dynamic: dynamic)) }
  }

  func streamAccepts(_ head: HTTPResponse) -> Bool { head.status == 200 && head.mayBeEventStream }

  func streamReceived(_ event: ServerSentEvent) {
    switch event.type {
    case "unleash-connected", "unleash-updated":
      owner?.streamDelivered(event.data)
    case "fetch-mode":
      if event.data == Array("polling".utf8) { giveUp("the service asks for it", isWished: true) }
    default:
      host.log.debug("unknown stream event is ignored")
    }
  }

  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    guard phase != .idle else { return }
    switch end {
    case .tooLarge(let error):
      failed(failures.decoding("the stream exceeds a limit: \(error)"), isUnreadable: true, openMilliseconds: openMilliseconds)
    case .refused(let head) where head.status == 200:
      failed(failures.decoding("it is no event stream"), openMilliseconds: openMilliseconds)
    case .refused(let head):
      var failure = failures.status(head, outlook: "")
      failure.next = .regular
      failed(failure, status: head.status, openMilliseconds: openMilliseconds)
    case .closed(let failure):
      failed(failure.map { failures.transport($0) } ?? failures.streamEnded, openMilliseconds: openMilliseconds)
    }
  }
}
