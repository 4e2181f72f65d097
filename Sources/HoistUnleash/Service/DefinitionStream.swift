internal import HoistBase
internal import HoistCore

/// The stream of definitions (protocol B.9, row UNL-93): connects, applies, reconnects, and gives up in favour of
/// polling when the service does not offer it. On the scheduler's thread.
final class DefinitionStream: @unchecked Sendable {
  private static let firstDelayMilliseconds: Int64 = 2000
  private static let maximumDelayMilliseconds: Int64 = 30_000
  private static let healthyMilliseconds: Int64 = 60_000
  private static let failureWindowMilliseconds: Int64 = 60_000
  private static let failuresBeforeFallback = 5

  private let host: any ProviderHost
  private let requests: BackendRequest
  private let headers: RequestHeaders
  private let transport: any Transport
  weak var source: BackendSource?
  private var exchange: (any Cancellable)?
  private var timer: (any Cancellable)?
  private var connection: Connection?
  private var lastEventID = ""
  private var attempt: Int64 = 0
  private var recentFailures: [Int64] = []
  private var firstOutcome: Poller.Completion?
  private var isRunning = false

  init(host: any ProviderHost, options: UnleashSettings, transport: any Transport) {
    self.host = host
    self.transport = transport
    requests = BackendRequest(options: options)
    headers = RequestHeaders(options: options)
  }

  func start(firstOutcome: @escaping Poller.Completion) {
    stop()
    isRunning = true
    self.firstOutcome = firstOutcome
    connect()
  }

  func stop() {
    disconnect()
    isRunning = false
    recentFailures = []
    attempt = 0
    answerFirst(.superseded)
  }

  func abandonAfterFork() {
    exchange = nil
    connection = nil
    timer = nil
    isRunning = false
    firstOutcome = nil
  }

  private func disconnect() {
    timer?.cancel()
    timer = nil
    connection?.stream = nil
    connection = nil
    exchange?.cancel()
    exchange = nil
  }

  private func answerFirst(_ outcome: FetchOutcome) {
    let completion = firstOutcome
    firstOutcome = nil
    completion?(outcome)
  }

  private func connect() {
    guard isRunning, let url = requests.url(.streaming) else { return answerFirst(.failed(.url)) }
    let connection = Connection(self, startedNanoseconds: host.clock.monotonicNanoseconds)
    self.connection = connection
    host.dynamicHeaders(for: url.redacted) { [weak self] dynamic in
      guard let self, self.connection === connection else { return }
      let headers = self.headers.make(.stream(lastEventID: self.lastEventID), dynamic: dynamic)
      self.exchange = self.transport.openStream(self.requests.stream(url, headers), handler: connection)
    }
  }

  fileprivate var now: Int64 { host.clock.unixMilliseconds }

  fileprivate func received(_ event: ServerSentEvent) {
    if !event.id.isEmpty { lastEventID = event.id }
    switch event.type {
    case "unleash-connected", "unleash-updated":
      if let problem = source?.applyDelta(event.data) { return rejected(problem) }
      source?.streamDelivered()
      answerFirst(.updated)
    case "fetch-mode":
      if event.data == Array("polling".utf8) { giveUp("the service asks for polling") }
    default:
      host.log.debug("unknown stream event is ignored")
    }
  }

  fileprivate func broke(_ problem: String) { rejected(problem) }

  /// Data that cannot be applied: begin anew with everything.
  private func rejected(_ problem: String) {
    source?.streamFailed(.decoding(problem))
    lastEventID = ""
    disconnect()
    reconnect()
  }

  fileprivate func ended(_ connection: Connection, _ failure: FetchFailure?) {
    guard self.connection === connection, isRunning else { return }
    let now = host.clock.monotonicNanoseconds
    if now &- connection.startedNanoseconds >= Self.healthyMilliseconds * 1_000_000, connection.wasOpened { attempt = 0 }
    self.connection = nil
    exchange = nil
    if let failure { source?.streamFailed(failure) }
    if case .network(let status, _)? = failure, [401, 403, 404, 429, 501].contains(status) {
      return giveUp(failure?.message ?? "")
    }
    recentFailures.append(now)
    recentFailures.removeAll { now &- $0 > Self.failureWindowMilliseconds * 1_000_000 }
    if recentFailures.count >= Self.failuresBeforeFallback {
      return giveUp("\(recentFailures.count) failures within a minute")
    }
    reconnect()
  }

  /// 2 s, doubled to at most 30 s, up to half of it taken off at random.
  private func reconnect() {
    guard isRunning else { return }
    let ceiling = min(Self.maximumDelayMilliseconds, Self.firstDelayMilliseconds << min(attempt, 4))
    attempt += 1
    let delay = ceiling - Int64(host.entropy.below(UInt64(ceiling / 2) + 1))
    timer = host.scheduler.schedule(afterMilliseconds: delay) { [weak self] in self?.connect() }
  }

  private func giveUp(_ reason: String) {
    disconnect()
    isRunning = false
    let completion = firstOutcome ?? { _ in }
    firstOutcome = nil
    source?.fallBackToPolling(reason, completion: completion)
  }
}

/// One connection: bytes in, events out.
private final class Connection: StreamHandler, @unchecked Sendable {
  weak var stream: DefinitionStream?
  let startedNanoseconds: Int64
  private(set) var wasOpened = false
  private var refusal: FetchFailure?
  private var parser = ServerSentEventParser()

  init(_ stream: DefinitionStream, startedNanoseconds: Int64) {
    self.stream = stream
    self.startedNanoseconds = startedNanoseconds
  }

  func streamOpened(_ head: HTTPResponse) {
    wasOpened = head.status == 200
    if !wasOpened { refusal = FetchFailure.status(head, now: stream?.now ?? 0) }
  }

  func streamReceived(_ bytes: UnsafeRawBufferPointer) {
    guard wasOpened else { return }
    for item in parser.feed(bytes) {
      switch item {
      case .event(let event): stream?.received(event)
      case .failed(let error): stream?.broke("the stream exceeds a limit: \(error)")
      case .comment, .retry: break
      }
    }
  }

  func streamEnded(_ failure: TransportFailure?) {
    stream?.ended(self, refusal ?? failure.map { .noResponse($0) })
  }
}
