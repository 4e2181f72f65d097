internal import HoistBase

/// A transport whose requests and streams stand in the client's log.
final class LoggedTransport: Transport, @unchecked Sendable {
  private let transport: any Transport
  private let log: Log
  private let clock: any Clock

  init(_ transport: any Transport, log: Log, clock: any Clock) {
    self.transport = transport
    self.log = log
    self.clock = clock
  }

  func send(
    _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    let exchange = LoggedExchange(request, log, clock)
    return transport.send(request) { answer in
      switch answer {
      case .success(let response): exchange.tell("answered \(response.status)", ", \(response.body.count) bytes")
      case .failure(let failure): exchange.tell(failure.message)
      }
      completion(answer)
    }
  }

  func openStream(_ request: HTTPRequest, handler: any StreamHandler) -> any Cancellable {
    transport.openStream(request, handler: LoggedStream(handler, LoggedExchange(request, log, clock)))
  }
}

/// One exchange's lines.
private struct LoggedExchange: Sendable {
  private let request: HTTPRequest
  private let log: Log
  private let clock: any Clock
  private let begunNanoseconds: Int64

  init(_ request: HTTPRequest, _ log: Log, _ clock: any Clock) {
    (self.request, self.log, self.clock) = (request, log, clock)
    begunNanoseconds = clock.monotonicNanoseconds
  }

  func tell(_ what: String, _ more: String = "") {
    log.debug(
      "\(request.method) \(shown): \(what) after \((clock.monotonicNanoseconds &- begunNanoseconds) / 1_000_000) ms\(more)")
  }

  private var shown: String {
    if let shown = request.shownURL { return shown }
    guard let url = try? URLText(request.url) else { return "(invalid URL)" }
    return url.redacted.dropLast(url.path.utf8.count) + URLText.redacted(path: url.path)
  }
}

private final class LoggedStream: StreamHandler, Sendable {
  private let handler: any StreamHandler
  private let exchange: LoggedExchange

  init(_ handler: any StreamHandler, _ exchange: LoggedExchange) {
    self.handler = handler
    self.exchange = exchange
  }

  func streamOpened(_ head: HTTPResponse) {
    exchange.tell("the stream is answered \(head.status)")
    handler.streamOpened(head)
  }

  func streamReceived(_ bytes: UnsafeRawBufferPointer) { handler.streamReceived(bytes) }

  func streamEnded(_ failure: TransportFailure?) {
    exchange.tell("the stream has ended: \(failure?.message ?? "the service closed it")")
    handler.streamEnded(failure)
  }
}
