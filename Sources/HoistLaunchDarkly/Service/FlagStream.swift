internal import HoistBase
internal import HoistCore

/// Flags by stream (2.2, 2.5; LD-75); from `start` to `end`, which is final. On the scheduler's thread.
final class FlagStream: @unchecked Sendable {
  private let host: any ProviderHost
  private let feed: any FlagFeed
  private let stream: EventStream
  private weak var listener: (any FeedListener)?
  private var pace: ReconnectPace
  private var attempt: (unixMilliseconds: Int64, nanoseconds: Int64)?
  private var isRunning = false
  /// Moves on with each connection.
  private var connections = Generation()
  /// The present connection has brought something.
  private var hasSpoken = false
  /// A message of any connection could be read.
  private(set) var hasFlags = false

  init(host: any ProviderHost, feed: any FlagFeed, listener: any FeedListener) {
    self.host = host
    self.feed = feed
    self.listener = listener
    stream = EventStream(
      host: host, transport: host.transport, maximumEventBytes: feed.settings.maximumResponseBytes)
    pace = ReconnectPace(base: feed.settings.initialRetryMilliseconds, firstDoublings: feed.firstDoublings)
    stream.delegate = self
  }

  func start() {
    isRunning = true
    stream.open()
  }

  func end() {
    isRunning = false
    stream.close()
  }

  func abandonAfterFork() {
    isRunning = false
    stream.abandonAfterFork()
  }

  private func tell(failed: Bool) {
    guard let attempt else { return }
    self.attempt = nil
    listener?.feedTriedStream(
      startedUnixMilliseconds: attempt.unixMilliseconds,
      durationMilliseconds: (host.clock.monotonicNanoseconds &- attempt.nanoseconds) / 1_000_000, failed: failed)
  }
}

extension FlagStream: EventStreamDelegate {
  var streamAddress: String? { feed.stream(lastEventID: "")?.url }

  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest? {
    attempt = (host.clock.unixMilliseconds, host.clock.monotonicNanoseconds)
    hasSpoken = false
    connections.advance()
    guard var request = feed.stream(lastEventID: lastEventID) else { return nil }
    for header in dynamic { request.headers.set(header.name, header.value) }
    return request
  }

  func streamAccepts(_ head: HTTPResponse) -> Bool {
    guard StreamVerdict(status: head.status) == .open, head.mayBeEventStream else { return false }
    listener?.feedIsAnswered(head.headers)
    return true
  }

  func streamOpened() { tell(failed: false) }

  func streamReceived(_ event: ServerSentEvent) {
    hasSpoken = true
    switch event.type {
    case "put": bring(.put(event.data, entityTag: nil))
    case "patch": bring(.patch(event.data))
    case "delete": bring(.delete(event.data))
    case "ping": listener?.feedIsPinged()
    default: listener?.feedMetUnknownEvent(event.type)
    }
  }

  /// One that cannot be read changes nothing, and the stream stays open, as the vendor's does (2.2); but before the first
  /// flags, which come only once on a stream, and where the rules are streamed: then another one is opened.
  private func bring(_ message: FlagMessage) {
    guard let listener else { return }
    let mine = connections.current
    // What follows is about the flags that this brings.
    stream.hold()
    listener.feedBrings(message) { [weak self] in
      self.map { $0.isRunning && $0.connections.isCurrent(mine) } ?? false
    } completion: { [weak self] outcome in
      guard let self else { return }
      stream.release()
      switch outcome {
      case .applied: hasFlags = true
      case .refused where isRunning && (!hasFlags || feed.dropsBadStreams): lost(nil, openMilliseconds: stream.openMilliseconds)
      case .refused: break
      }
    }
  }

  private func lost(_ failure: FetchFailure?, status: Int = 0, openMilliseconds: Int64?) {
    listener?.feedLostStream(failure, status: status)
    guard isRunning else { return }
    let pause = pace.nextMilliseconds(openMilliseconds: openMilliseconds, host.entropy)
    stream.reopen(afterMilliseconds: failure?.next == .slow ? host.entropy.shortened(Refusal.pauseMilliseconds) : pause)
  }

  func streamAsksForPause(milliseconds: Int64) { pace.serviceAsks(forMilliseconds: milliseconds) }

  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    guard isRunning else { return }
    var problem: String?
    var status = 0
    switch end {
    case .refused(let head):
      status = head.status
      problem = "the stream is answered with \(StreamVerdict(status: status) == .open ? Self.page(head) : "status \(status)")"
    case .tooLarge(let error): problem = "the stream exceeds a limit: \(error)"
    // The service begins with all flags.
    case .closed(let failure): problem = failure?.message ?? (hasSpoken ? nil : "the stream ended before its first message")
    }
    // A connection that fails after it was opened is not another attempt: the next one is.
    if problem != nil { tell(failed: true) }
    let verdict = status == 0 ? .retry : StreamVerdict(status: status)
    switch verdict {
    case .stopAndGoOffline where !feed.settings.retriesRefusals:
      isRunning = false
      listener?.feedRefused(status: status)
    case .stop where !feed.settings.retriesRefusals:
      isRunning = false
      listener?.feedShutDown(status: status)
    case .stop, .stopAndGoOffline, .retry, .open:
      let isRefusal = verdict == .stop || verdict == .stopAndGoOffline
      let failure = problem.map { FetchFailure(.network, $0, next: isRefusal ? .slow : .regular) }
      lost(failure, status: status, openMilliseconds: openMilliseconds)
    }
  }

  private static func page(_ head: HTTPResponse) -> String {
    let type = head.headers.value(of: "Content-Type") ?? ""
    return "\(type.prefix(40)), which are no events: is there a proxy, or a page to sign in, before the service?"
  }
}
