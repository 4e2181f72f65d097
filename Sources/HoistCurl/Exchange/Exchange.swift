internal import CCurl
internal import HoistBase
internal import HoistCore
internal import Synchronization

/// One request from `send` or `openStream` to its end, over as many transfers as redirects take.
///
/// Everything but `cancel` happens on the network thread, under its gate.
final class Exchange: Cancellable, @unchecked Sendable {
  enum Receiver {
    case whole(@Sendable (Result<HTTPResponse, TransportFailure>) -> Void)
    case stream(any StreamHandler)
  }

  let settings: TransportSettings
  private let loop: NetworkLoop
  private let generation = ForkGeneration.current
  private let cancelled = Atomic<Bool>(false)

  /// What is sent next, and where: redirects change it.
  var request: HTTPRequest
  var url: RequestURL?
  var redirectsFollowed = 0

  private var thread: LoopThread?
  private var transfer: Transfer?
  private(set) var receiver: Receiver?
  private var deadlines: ExchangeDeadlines?
  private var answer = IncomingAnswer()
  private var redirectTarget: String?
  /// Why a callback has ended the transfer.
  private var refusal: TransportFailure?

  init(_ request: HTTPRequest, _ receiver: Receiver, settings: TransportSettings, loop: NetworkLoop) {
    self.request = GzipBody.applied(to: request)
    self.receiver = receiver
    self.settings = settings
    self.loop = loop
  }

  func cancel() {
    // In a forked child it is the parent's exchange, of which nothing comes.
    guard generation == ForkGeneration.current, !cancelled.exchange(true, ordering: .relaxed) else { return }
    loop.post { self.end(Self.cancellation) }
  }

  /// In a forked child: lets go of the receiver, and leaves the transfer to the parent.
  func abandon() { receiver = nil }

  // MARK: Beginning

  func start(on thread: LoopThread) {
    self.thread = thread
    do throws(TransportFailure) { try CurlLibrary.prepare() } catch { return end(.failure(error)) }
    guard let url = RequestURL(request.url) else {
      let message = "\(request.method): the URL is no absolute http or https address in ASCII"
      return end(.failure(TransportFailure(.invalidURL, message)))
    }
    deadlines = ExchangeDeadlines(of: request, isStream: isStream, scheduler: loop, clock: SystemClock()) {
      [weak self] in self?.fail(.timeout, $0)
    }
    startTransfer(to: url)
  }

  func startTransfer(to url: RequestURL) {
    self.url = url
    answer = IncomingAnswer()
    redirectTarget = nil
    guard !cancelled.load(ordering: .relaxed) else { return end(Self.cancellation) }
    do throws(TransportFailure) {
      let transfer = try Transfer(request, to: url, isStream: isStream, settings: settings, exchange: self)
      guard let thread, thread.add(transfer.easy, of: self) else {
        transfer.dispose()
        return fail(.other, "the network could not be set up")
      }
      self.transfer = transfer
    } catch {
      fail(error.kind, error.message)
    }
  }

  private var isStream: Bool {
    if case .stream = receiver { true } else { false }
  }

  // MARK: Receiving, inside libcurl

  /// - Returns: false to end the transfer.
  func headerReceived(_ line: UnsafeRawBufferPointer) -> Bool {
    guard !cancelled.load(ordering: .relaxed) else { return false }
    deadlines?.noteActivity()
    guard !answer.head.isFinal else { return true }
    guard answer.takeHeader(line, limit: settings.options.maximumHeaderBytes) else {
      return refuse(.tooLarge, "the header is larger than \(settings.options.maximumHeaderBytes) bytes")
    }
    return answer.head.isFinal ? headerCompleted() : true
  }

  private func headerCompleted() -> Bool {
    redirectTarget = Redirect.target(of: answer.head, settings.options)
    guard redirectTarget == nil else { return true }
    deadlines?.headerCompleted()
    if case .stream(let handler) = receiver {
      handler.streamOpened(HTTPResponse(status: answer.head.status, headers: answer.head.headers))
    }
    return true
  }

  /// - Returns: false to end the transfer.
  func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !cancelled.load(ordering: .relaxed) else { return false }
    deadlines?.noteActivity()
    if redirectTarget != nil { return answer.discard(bytes) }
    if case .stream(let handler) = receiver {
      handler.streamReceived(bytes)
      return true
    }
    switch answer.takeBody(bytes, limit: request.maximumResponseBytes) {
    case .taken: return true
    case .tooLarge: return refuse(.tooLarge, "the answer is larger than \(request.maximumResponseBytes) bytes")
    case .noMemory: return refuse(.tooLarge, "no memory for an answer of this size")
    }
  }

  private func refuse(_ kind: TransportFailure.Kind, _ reason: String) -> Bool {
    refusal = TransportFailure(kind, reason)
    return false
  }

  // MARK: Ending

  func transferEnded(_ result: CURLcode) {
    let failure = result == CURLE_OK ? nil : transfer?.failure(result)
    endTransfer()
    if cancelled.load(ordering: .relaxed) {
      end(Self.cancellation)
    } else if let refusal {
      fail(refusal.kind, refusal.message)
    } else if let redirectTarget {
      // However its body ended: it is not read.
      follow(redirectTarget, status: answer.head.status)
    } else if let failure {
      fail(failure.kind, failure.message)
    } else if !answer.head.isFinal {
      fail(.connectionReset, "the answer has no header")
    } else {
      let head = answer.head
      end(.success(HTTPResponse(status: head.status, headers: head.headers, body: answer.body)))
    }
  }

  func fail(_ kind: TransportFailure.Kind, _ reason: String) {
    let subject = url.map { "\(request.method) \($0.redacted): " } ?? ""
    end(.failure(TransportFailure(kind, subject + reason)))
  }

  private static let cancellation: Result<HTTPResponse, TransportFailure> =
    .failure(TransportFailure(.cancelled, "cancelled"))

  /// Tells the end, once. Never inside libcurl.
  private func end(_ outcome: Result<HTTPResponse, TransportFailure>) {
    guard let receiver else { return }
    self.receiver = nil
    deadlines?.cancel()
    deadlines = nil
    endTransfer()
    answer = IncomingAnswer()
    switch (receiver, outcome) {
    case (.whole(let completion), _): completion(outcome)
    case (.stream(let handler), .success): handler.streamEnded(nil)
    case (.stream(let handler), .failure(let failure)): handler.streamEnded(failure)
    }
  }

  private func endTransfer() {
    guard let transfer else { return }
    self.transfer = nil
    thread?.remove(transfer.easy)
    transfer.dispose()
  }
}
