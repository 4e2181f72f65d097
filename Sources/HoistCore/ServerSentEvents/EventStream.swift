internal import HoistBase

/// How a connection of an event stream came to its end.
public enum EventStreamEnd: Sendable {
  /// The delegate did not take the answer; it has a status and headers.
  case refused(HTTPResponse)
  /// A line or event is longer than the limit.
  case tooLarge(ServerSentEventError)
  /// nil when the server closed in good order.
  case closed(TransportFailure?)
}

/// The reader of a stream. Everything runs on the scheduler's thread; each call may open, reopen or close the stream.
public protocol EventStreamDelegate: AnyObject {
  /// The address for the host's header provider; nil when no stream can be opened now; then none is.
  var streamAddress: String? { get }
  /// - Parameters:
  ///   - lastEventID: "" before the first event with one.
  ///   - dynamic: headers of the host's header provider.
  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest?
  /// Whether an answer is the stream that was asked for.
  func streamAccepts(_ head: HTTPResponse) -> Bool
  func streamOpened()
  func streamReceived(_ event: ServerSentEvent)
  /// The service wants this base for the pauses before the stream is opened again; any number.
  func streamAsksForPause(milliseconds: Int64)
  /// Called once for each connection, unless it was closed or replaced.
  /// - Parameter openMilliseconds: how long it had been open; nil when it never was.
  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?)
}

extension EventStreamDelegate {
  public func streamOpened() {}
  public func streamAsksForPause(milliseconds: Int64) {}
}

extension HTTPResponse {
  /// False for what says that it is something else, as the page of a proxy does.
  public var mayBeEventStream: Bool {
    headers.value(of: "Content-Type")?.lowercased().hasPrefix("text/event-stream") != false
  }
}

/// A `text/event-stream` that is opened, read, and opened again after a pause that its delegate chooses: one connection
/// at a time; what a former one still has to say counts no more. On the scheduler's thread, in turns: however much has
/// arrived, others get theirs in between, and who closes the stream does not wait.
public final class EventStream: @unchecked Sendable {
  private let host: any ProviderHost
  private let transport: any Transport
  public weak var delegate: (any EventStreamDelegate)?
  private var parser: ServerSentEventParser
  private var exchange: (any Cancellable)?
  private var timer: (any Cancellable)?
  private var connection: Connection?
  /// What has arrived and was not told yet.
  private var arrived: [Arrival] = []
  private var arrivedBytes = 0
  private var isTurnPosted = false
  private var isHeld = false
  /// Outlives connections; of what was told.
  public private(set) var lastEventID = ""
  /// What the service asked for when it refused the newest connection, in milliseconds.
  private var askedPause: Int64 = 0

  private enum Arrival {
    case item(ServerSentEventItem)
    case end(EventStreamEnd)

    /// Roughly what it occupies.
    var bytes: Int {
      if case .item(.event(let event)) = self { event.data.count + 256 } else { 256 }
    }
  }

  /// How long one turn may take: a fork of the process waits for the end of it, and other clients do. More than the largest
  /// event may need does not wait: a turn then takes as long as it takes.
  private static let turnNanoseconds: Int64 = 2_000_000

  /// - Parameter maximumEventBytes: data of one event at most; more ends the connection.
  public init(host: any ProviderHost, transport: any Transport, maximumEventBytes: Int) {
    self.host = host
    self.transport = transport
    // A line has the name of its field beside the data.
    let (line, overflow) = maximumEventBytes.addingReportingOverflow(64)
    parser = ServerSentEventParser(maximumLineBytes: overflow ? .max : line, maximumEventBytes: maximumEventBytes)
  }

  /// Opens a connection now, in place of the one there is.
  public func open() {
    host.scheduler.assertCurrent()
    close()
    guard let delegate, let address = delegate.streamAddress else { return }
    let connection = Connection(self)
    self.connection = connection
    parser.reset(lastEventID: lastEventID)
    host.dynamicHeaders(for: address) { [weak self] dynamic in
      guard let self, self.connection === connection,
        let request = self.delegate?.streamRequest(lastEventID: self.lastEventID, dynamic: dynamic)
      else { return }
      self.exchange = self.transport.openStream(request, handler: connection)
    }
  }

  /// Closes the connection and opens another one after a pause; a longer one where the service has asked for it (`Retry-After`).
  public func reopen(afterMilliseconds pause: Int64) {
    host.scheduler.assertCurrent()
    close()
    timer = host.scheduler.schedule(afterMilliseconds: max(pause, askedPause)) { [weak self] in self?.open() }
  }

  /// Nothing is received after this, until it is opened again.
  public func close() {
    host.scheduler.assertCurrent()
    timer?.cancel()
    timer = nil
    connection?.stream = nil
    connection = nil
    exchange?.cancel()
    exchange = nil
    (arrived, arrivedBytes, isHeld) = ([], 0, false)
  }

  /// What comes after the event that is being told waits until `release`; more than the largest event may have ends the
  /// connection. Another connection begins without that.
  public func hold() {
    host.scheduler.assertCurrent()
    isHeld = connection != nil
  }

  public func release() {
    host.scheduler.assertCurrent()
    isHeld = false
    postTurn()
  }

  /// What is under way belongs to the process this one was forked from.
  public func abandonAfterFork() {
    host.scheduler.assertCurrent()
    exchange = nil
    connection?.stream = nil
    connection = nil
    timer = nil
    (arrived, arrivedBytes, isHeld) = ([], 0, false)
    isTurnPosted = false
  }

  /// How long the connection has been open; nil while there is none.
  public var openMilliseconds: Int64? {
    connection?.openedNanoseconds.map { (host.clock.monotonicNanoseconds &- $0) / 1_000_000 }
  }

  /// The next connection asks for everything.
  public func forgetLastEvent() {
    lastEventID = ""
    parser.forgetLastEvent()
  }

  fileprivate func opened(_ connection: Connection, _ head: HTTPResponse) {
    guard self.connection === connection, let delegate else { return }
    askedPause = 0
    guard delegate.streamAccepts(head) else {
      askedPause = head.retryAfterMilliseconds(host.clock) ?? 0
      return end(connection, .refused(head))
    }
    connection.openedNanoseconds = host.clock.monotonicNanoseconds
    delegate.streamOpened()
  }

  fileprivate func received(_ bytes: UnsafeRawBufferPointer, by connection: Connection) {
    guard self.connection === connection, connection.openedNanoseconds != nil else { return }
    for item in parser.feed(bytes) { arrives(.item(item)) }
    if isHeld, arrivedBytes > parser.maximumEventBytes {
      return end(connection, .tooLarge(.tooMuchHeld(limitBytes: parser.maximumEventBytes)))
    }
    postTurn()
  }

  fileprivate func ended(_ connection: Connection, _ failure: TransportFailure?) {
    guard self.connection === connection else { return }
    arrives(.end(.closed(failure)))
    postTurn()
  }

  private func arrives(_ arrival: Arrival) {
    arrived.append(arrival)
    arrivedBytes += arrival.bytes
  }

  private func postTurn() {
    guard !isTurnPosted, !isHeld, !arrived.isEmpty else { return }
    isTurnPosted = true
    host.scheduler.post { [weak self] in self?.takeTurn() }
  }

  private func takeTurn() {
    host.scheduler.assertCurrent()
    isTurnPosted = false
    if isHeld { return }
    let begun = host.clock.monotonicNanoseconds
    // The delegate may close the stream, or open it anew: nothing is left of these then.
    var (waiting, waitingBytes) = (arrived, arrivedBytes)
    (arrived, arrivedBytes) = ([], 0)
    var next = 0
    let current = connection
    while let connection, connection === current, !isHeld, next < waiting.count {
      let isInTime = host.clock.monotonicNanoseconds &- begun < Self.turnNanoseconds
      guard isInTime || waitingBytes > parser.maximumEventBytes else { break }
      waitingBytes -= waiting[next].bytes
      tell(waiting[next], connection)
      next += 1
    }
    guard connection != nil, connection === current else { return }
    if next == waiting.count { lastEventID = parser.lastEventID }
    waiting.removeFirst(next)
    waiting += arrived
    (arrived, arrivedBytes) = (waiting, waitingBytes + arrivedBytes)
    postTurn()
  }

  private func tell(_ arrival: Arrival, _ connection: Connection) {
    switch arrival {
    case .item(.event(let event)):
      lastEventID = event.id
      delegate?.streamReceived(event)
    case .item(.retry(let milliseconds)): delegate?.streamAsksForPause(milliseconds: milliseconds)
    case .item(.failed(let error)): end(connection, .tooLarge(error))
    case .item(.comment): break
    case .end(let end): self.end(connection, end)
    }
  }

  private func end(_ connection: Connection, _ end: EventStreamEnd) {
    guard self.connection === connection else { return }
    let open = openMilliseconds
    close()
    delegate?.streamEnded(end, openMilliseconds: open)
  }
}

private final class Connection: StreamHandler, @unchecked Sendable {
  weak var stream: EventStream?
  var openedNanoseconds: Int64?

  init(_ stream: EventStream) { self.stream = stream }

  func streamOpened(_ head: HTTPResponse) { stream?.opened(self, head) }
  func streamReceived(_ bytes: UnsafeRawBufferPointer) { stream?.received(bytes, by: self) }
  func streamEnded(_ failure: TransportFailure?) { stream?.ended(self, failure) }
}
