internal import HoistBase
public import HoistCore

/// A network that does what the test says. Every request becomes an exchange that the test answers,
/// at once through `respond` or later by hand; answers reach the client through the scheduler.
public final class ScriptedTransport: Transport, @unchecked Sendable {
  public typealias Answer = Result<HTTPResponse, TransportFailure>

  private let scheduler: any Scheduler
  private let lock = Lock()
  private var kept: [ScriptedExchange] = []
  private var queued: [Answer] = []
  private var respond: (@Sendable (HTTPRequest) -> Answer?)?
  private var meet: (@Sendable (ScriptedExchange) -> Void)?

  /// - Parameter respond: answers requests that are no streams; `nil` leaves one open.
  public init(scheduler: any Scheduler, respond: (@Sendable (HTTPRequest) -> Answer?)? = nil) {
    self.scheduler = scheduler
    self.respond = respond
  }

  /// Answers for the next requests, one each, before `respond` is asked.
  public func enqueue(_ answers: Answer...) {
    lock.withLock { queued += answers }
  }

  public func setResponder(_ respond: (@Sendable (HTTPRequest) -> Answer?)?) {
    lock.withLock { self.respond = respond }
  }

  /// What becomes of each stream that is asked for; `nil` leaves them to the test.
  public func setStreams(_ meet: (@Sendable (ScriptedExchange) -> Void)?) {
    lock.withLock { self.meet = meet }
  }

  public var exchanges: [ScriptedExchange] { lock.withLock { kept } }
  public var requests: [HTTPRequest] { exchanges.map(\.request) }
  public var streams: [ScriptedExchange] { exchanges.filter(\.isStream) }
  /// Those that have neither been answered nor cancelled.
  public var open: [ScriptedExchange] { exchanges.filter { !$0.isEnded } }

  public func send(
    _ request: HTTPRequest, completion: @escaping @Sendable (Answer) -> Void
  ) -> any Cancellable {
    let exchange = ScriptedExchange(request, scheduler, .whole(completion))
    let script = lock.withLock { () -> (Answer?, (@Sendable (HTTPRequest) -> Answer?)?) in
      kept.append(exchange)
      return (queued.isEmpty ? nil : queued.removeFirst(), respond)
    }
    if let answer = script.0 ?? script.1?(request) { exchange.complete(answer) }
    return exchange
  }

  public func openStream(_ request: HTTPRequest, handler: any StreamHandler) -> any Cancellable {
    let exchange = ScriptedExchange(request, scheduler, .stream(handler))
    let meet = lock.withLock {
      kept.append(exchange)
      return self.meet
    }
    meet?(exchange)
    return exchange
  }
}

/// One request that went out, and the test's hand on its answer.
public final class ScriptedExchange: Cancellable, @unchecked Sendable {
  enum Receiver {
    case whole(@Sendable (ScriptedTransport.Answer) -> Void)
    case stream(any StreamHandler)
  }

  public let request: HTTPRequest
  private let scheduler: any Scheduler
  private let receiver: Receiver
  /// In a forked child nothing comes of the parent's exchanges.
  private let generation: UInt32
  private let lock = Lock()
  private var ended = false
  private var cancelled = false

  init(_ request: HTTPRequest, _ scheduler: any Scheduler, _ receiver: Receiver) {
    (self.request, self.scheduler, self.receiver) = (request, scheduler, receiver)
    generation = scheduler.generation
  }

  public var isStream: Bool {
    if case .stream = receiver { true } else { false }
  }
  public var isEnded: Bool { lock.withLock { ended } }
  public var isCancelled: Bool { lock.withLock { cancelled } }

  public func cancel() {
    guard end(cancelling: true) else { return }
    deliver(.failure(TransportFailure(.cancelled, "cancelled")))
  }

  // MARK: Whole answers

  public func complete(_ answer: ScriptedTransport.Answer) {
    if end() { deliver(answer) }
  }

  /// The fault of a transport that answers although it has answered, or was cancelled.
  public func completeUnduly(_ answer: ScriptedTransport.Answer) {
    lock.withLock { ended = true }
    deliver(answer)
  }

  // MARK: Streams

  public func open(status: Int = 200, headers: [HTTPHeader] = []) {
    whileOpen { $0.streamOpened(HTTPResponse(status: status, headers: headers)) }
  }

  public func receive(_ text: String) { receive(Array(text.utf8)) }

  public func receive(_ bytes: [UInt8]) {
    whileOpen { handler in bytes.withUnsafeBytes { handler.streamReceived($0) } }
  }

  /// `nil` closes in good order.
  public func endStream(_ failure: TransportFailure? = nil) {
    guard end(), case .stream(let handler) = receiver else { return }
    tell { handler.streamEnded(failure) }
  }

  private func whileOpen(_ say: @escaping @Sendable (any StreamHandler) -> Void) {
    guard case .stream(let handler) = receiver else { return }
    // Asked again when it runs: nothing is received after a cancel.
    tell { if !self.isCancelled { say(handler) } }
  }

  private func end(cancelling: Bool = false) -> Bool {
    lock.withLock {
      defer { ended = true }
      if cancelling && !ended { cancelled = true }
      return !ended
    }
  }

  private func deliver(_ answer: ScriptedTransport.Answer) {
    switch receiver {
    case .whole(let completion):
      tell { completion(answer) }
    case .stream(let handler):
      guard case .failure(let failure) = answer else { return }
      tell { handler.streamEnded(failure) }
    }
  }

  private func tell(_ work: @escaping @Sendable () -> Void) {
    if scheduler.generation == generation { scheduler.post(work) }
  }
}
