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

  /// What is served came from elsewhere: the next connection asks for everything.
  func forgetLastEvent() { lastEventID = "" }

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
    let connection = Connection(
      self, startedNanoseconds: host.clock.monotonicNanoseconds, maximumEventBytes: requests.options.maximumResponseBytes)
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
    forgiveIfHealthy()
    source?.streamFailed(.decoding(problem))
    lastEventID = ""
    disconnect()
    reconnect()
  }

  /// A connection that was good for long makes up for the failures before it.
  private func forgiveIfHealthy() {
    guard let connection, connection.wasOpened else { return }
    let age = host.clock.monotonicNanoseconds &- connection.startedNanoseconds
    if age >= Self.healthyMilliseconds * 1_000_000 { attempt = 0 }
  }

  /// Also called for an answer that is no stream, before its end.
  fileprivate func ended(_ connection: Connection, _ failure: FetchFailure) {
    guard self.connection === connection, isRunning else { return }
    forgiveIfHealthy()
    disconnect()
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

  /// 2 s, doubled to at most 30 s, up to half of it taken off at random; longer when the service asks for it.
  private func reconnect(atLeast minimum: Int64? = nil) {
    guard isRunning else { return }
    let ceiling = min(Self.maximumDelayMilliseconds, Self.firstDelayMilliseconds << min(attempt, 4))
    attempt += 1
    let delay = max(minimum ?? 0, ceiling - Int64(host.entropy.below(UInt64(ceiling / 2) + 1)))
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
  private var parser: ServerSentEventParser

  init(_ stream: DefinitionStream, startedNanoseconds: Int64, maximumEventBytes: Int) {
    self.stream = stream
    self.startedNanoseconds = startedNanoseconds
    // A line has the name of its field beside the data.
    parser = ServerSentEventParser(maximumLineBytes: maximumEventBytes + 64, maximumEventBytes: maximumEventBytes)
  }

  func streamOpened(_ head: HTTPResponse) {
    if head.status != 200 {
      stream?.ended(self, FetchFailure.status(head, now: stream?.now ?? 0))
    } else if let type = head.headers.value(of: "Content-Type"), !type.lowercased().hasPrefix("text/event-stream") {
      stream?.ended(self, .decoding("it is no event stream"))
    } else {
      wasOpened = true
    }
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
    stream?.ended(self, failure.map { .noResponse($0) } ?? .streamEnded)
  }
}
