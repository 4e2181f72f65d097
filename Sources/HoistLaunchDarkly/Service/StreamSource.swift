internal import HoistBase
internal import HoistCore

/// Flags by stream (2.2, 2.5; LD-75). On the scheduler's thread.
final class StreamSource: FlagFeed, @unchecked Sendable {
  /// A service that asks for no pause at all is not asked without any.
  private static let leastPauseMilliseconds: Int64 = 100

  private let host: any ProviderHost
  private let requests: FlagRequest
  private let context: LDContext
  private let stream: EventStream
  /// For `ping`, the one case in which a client that streams polls.
  private let poll: FlagPoll
  private weak var listener: (any FeedListener)?
  private var pace: StreamPace
  private var attempt: (unixMilliseconds: Int64, nanoseconds: Int64)?
  private var isRunning = false

  init(host: any ProviderHost, requests: FlagRequest, subject: SynchronizedContext, listener: any FeedListener) {
    self.host = host
    self.requests = requests
    self.listener = listener
    context = subject.context
    stream = EventStream(
      host: host, transport: host.transport, maximumEventBytes: requests.settings.maximumResponseBytes)
    poll = FlagPoll(host: host, requests: requests, subject: subject) { [weak listener] message in
      listener?.feedBrings(message) ?? .refused("nobody listens")
    } answered: { [weak listener] headers in
      listener?.feedIsAnswered(headers)
    }
    pace = StreamPace(baseMilliseconds: requests.settings.initialRetryMilliseconds)
    stream.delegate = self
  }

  func start() {
    isRunning = true
    stream.open()
  }

  func end() {
    isRunning = false
    stream.close()
    poll.cancel()
  }

  var entityTag: String { poll.entityTag }

  func refresh() {
    poll.run { [weak self] outcome in
      guard let self, self.isRunning else { return }
      self.listener?.feedPolled(outcome)
    }
  }

  func abandonAfterFork() {
    isRunning = false
    stream.abandonAfterFork()
    poll.abandonAfterFork()
  }

  /// The tag of a poll names what it brought, which this changes.
  private func take(_ message: FlagMessage) {
    poll.forgetEntityTag()
    _ = listener?.feedBrings(message)
  }

  private func reopen(openMilliseconds: Int64?) {
    let pause = host.entropy.number(in: pace.next(openMilliseconds: openMilliseconds))
    stream.reopen(afterMilliseconds: max(Self.leastPauseMilliseconds, pause))
  }

  private func tell(failed: Bool) {
    guard let attempt else { return }
    self.attempt = nil
    listener?.feedTriedStream(
      startedUnixMilliseconds: attempt.unixMilliseconds,
      durationMilliseconds: (host.clock.monotonicNanoseconds &- attempt.nanoseconds) / 1_000_000, failed: failed)
  }
}

extension StreamSource: EventStreamDelegate {
  var streamAddress: String? { requests.stream(context, lastEventID: "")?.url }

  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest? {
    attempt = (host.clock.unixMilliseconds, host.clock.monotonicNanoseconds)
    guard var request = requests.stream(context, lastEventID: lastEventID) else { return nil }
    for header in dynamic { request.headers.set(header.name, header.value) }
    return request
  }

  func streamAccepts(_ head: HTTPResponse) -> Bool {
    guard StreamVerdict(status: head.status) == .open else { return false }
    listener?.feedIsAnswered(head.headers)
    return true
  }

  func streamOpened() { tell(failed: false) }

  func streamReceived(_ event: ServerSentEvent) {
    switch event.type {
    case "put": take(.put(event.data, entityTag: nil))
    case "patch": take(.patch(event.data))
    case "delete": take(.delete(event.data))
    case "ping": refresh()
    default: listener?.feedMetUnknownEvent(event.type)
    }
  }

  func streamAsksForPause(milliseconds: Int64) { pace.serviceAsks(forMilliseconds: milliseconds) }

  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    guard isRunning else { return }
    var problem: String?
    var status = 0
    switch end {
    case .refused(let head):
      status = head.status
      problem = "the stream is answered with status \(status)"
    case .tooLarge(let error): problem = "the stream exceeds a limit: \(error)"
    case .closed(let failure): problem = failure?.message
    }
    // A connection that fails after it was opened is not another attempt: the next one is.
    if problem != nil { tell(failed: true) }
    let verdict = status == 0 ? .retry : StreamVerdict(status: status)
    if requests.settings.retriesRefusals, verdict == .stop || verdict == .stopAndGoOffline {
      listener?.feedLostStream(problem, status: status)
      if isRunning { stream.reopen(afterMilliseconds: Refusal.pauseMilliseconds) }
      return
    }
    switch verdict {
    case .stopAndGoOffline:
      isRunning = false
      listener?.feedRefused()
    case .stop:
      isRunning = false
      listener?.feedShutDown(status: status)
    case .retry, .open:
      listener?.feedLostStream(problem, status: status)
      if isRunning { reopen(openMilliseconds: openMilliseconds) }
    }
  }
}
