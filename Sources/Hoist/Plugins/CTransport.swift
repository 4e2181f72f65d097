internal import CHoist
internal import HoistBase
internal import HoistCore

/// A host's HTTP transport, in place of libcurl.
///
/// `send` runs on a lane of its own; an exchange that the host does not finish ends at Hoist's deadline. What the host
/// says after an exchange has ended is ignored.
final class CTransport: HostAdapter<hoist_transport>, Transport, @unchecked Sendable {
  private let scheduler = BuiltInServices.shared.scheduler
  private let lane = Lane(
    options: .init(name: "hoist-transport"), clock: BuiltInServices.shared.clock, scheduler: BuiltInServices.shared.scheduler)
  /// The host's `send` itself may take this long.
  private static let sendLimitNanoseconds: Int64 = 10_000_000_000

  deinit { lane.close() }

  func send(
    _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    begin(request, HostExchange(scheduler: scheduler, receiver: .completion(completion)))
  }

  func openStream(_ request: HTTPRequest, handler: any StreamHandler) -> any Cancellable {
    begin(request, HostExchange(scheduler: scheduler, receiver: .stream(handler)))
  }

  private func begin(_ request: HTTPRequest, _ exchange: HostExchange) -> any Cancellable {
    if request.timeoutMilliseconds > 0 { exchange.arm(afterMilliseconds: request.timeoutMilliseconds) }
    let taken = lane.perform(withinNanoseconds: Self.sendLimitNanoseconds) { [self] in
      call(request, exchange)
    } abandoned: {
      exchange.finish(.failure(TransportFailure(.timeout, "the transport plug-in did not begin in time")))
    }
    if !taken { exchange.finish(.failure(TransportFailure(.other, "the transport plug-in is stuck"))) }
    return exchange
  }

  private func call(_ request: HTTPRequest, _ exchange: HostExchange) {
    guard !exchange.isFinished else { return }
    guard let send = table.send else {
      exchange.finish(.failure(TransportFailure(.other, "the transport plug-in cannot send")))
      return
    }
    // Owned by the host until hoist_http_exchange_release.
    guard let handle = HostExchange.handles.give(exchange) else { return }
    let status = HostRequest.with(request, isStream: exchange.isStream) { send(table.user_data, $0, handle) }
    guard status != Status.ok.rawValue else { return }
    exchange.finish(.failure(TransportFailure(.other, "the transport plug-in refused the request with status \(status)")))
    HostExchange.handles.take(handle)
  }
}

/// A request as C sees it, alive during `body`.
private enum HostRequest {
  static func with(
    _ request: HTTPRequest, isStream: Bool, _ body: (UnsafePointer<hoist_http_request>) -> hoist_status
  ) -> hoist_status {
    let (method, url) = (CText(request.method), CText(request.url))
    let content = request.body ?? []
    var lines = request.headers
    // As the built-in transport does.
    if lines.value(of: "User-Agent") == nil { lines.append(HTTPHeader("User-Agent", "hoist/\(HoistVersion.text)")) }
    return withExtendedLifetime((method, url)) {
      CHeaders.with(lines) { headers, count in
        content.withUnsafeBytes { bytes in
          var told = hoist_http_request(
            struct_size: MemoryLayout<hoist_http_request>.size, method: method.pointer, url: url.pointer,
            headers: headers, header_count: count, body: request.body == nil ? nil : bytes.baseAddress,
            body_size: bytes.count, timeout_ms: request.timeoutMilliseconds, is_stream: isStream)
          return body(&told)
        }
      }
    }
  }
}

/// One exchange in the hands of a transport plug-in: the first end counts.
final class HostExchange: Cancellable, @unchecked Sendable {
  enum Receiver {
    case completion(@Sendable (Result<HTTPResponse, TransportFailure>) -> Void)
    case stream(any StreamHandler)
  }

  private let scheduler: any Scheduler
  private let lock = InlineLock()
  private var receiver: Receiver?
  private var timer: (any Cancellable)?
  private var hasOpened = false
  let isStream: Bool
  static let handles = HandleTable<HostExchange>()

  init(scheduler: any Scheduler, receiver: Receiver) {
    self.scheduler = scheduler
    self.receiver = receiver
    if case .stream = receiver { isStream = true } else { isStream = false }
  }

  var isFinished: Bool { lock.withLock { receiver == nil } }

  func arm(afterMilliseconds limit: Int64) {
    let timer = scheduler.schedule(afterMilliseconds: limit) { [weak self] in
      self?.finish(.failure(TransportFailure(.timeout, "the transport plug-in did not answer in time")))
    }
    lock.withLock { self.timer = timer }
  }

  func cancel() { finish(.failure(TransportFailure(.cancelled, "cancelled"))) }

  /// - Returns: false when the exchange had ended before.
  @discardableResult
  func finish(_ result: Result<HTTPResponse, TransportFailure>) -> Bool {
    let (taken, timer) = lock.withLock {
      defer { receiver = nil }
      return (receiver, self.timer)
    }
    timer?.cancel()
    switch taken {
    case nil: return false
    case .completion(let completion): scheduler.post { completion(result) }
    case .stream(let handler):
      scheduler.post {
        switch result {
        case .failure(let failure): handler.streamEnded(failure)
        case .success: handler.streamEnded(nil)
        }
      }
    }
    return true
  }

  func open(_ head: HTTPResponse) -> Bool {
    let handler = lock.withLock { () -> (any StreamHandler)? in
      guard case .stream(let handler)? = receiver, !hasOpened else { return nil }
      hasOpened = true
      return handler
    }
    guard let handler else { return false }
    scheduler.post { handler.streamOpened(head) }
    return true
  }

  /// - Returns: false when no more is wanted.
  func receive(_ bytes: [UInt8]) -> Bool {
    let handler = lock.withLock { () -> (any StreamHandler)? in
      guard case .stream(let handler)? = receiver, hasOpened else { return nil }
      return handler
    }
    guard let handler else { return false }
    scheduler.post { bytes.withUnsafeBytes { handler.streamReceived($0) } }
    return true
  }
}
