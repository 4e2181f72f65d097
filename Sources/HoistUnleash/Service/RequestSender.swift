internal import HoistBase
internal import HoistCore

/// Prepares a request with the host's headers and sends it. Answers and failures of before a `cancelAll` are dropped.
/// On the scheduler's thread.
final class RequestSender: @unchecked Sendable {
  typealias Answer = Result<HTTPResponse, TransportFailure>

  private let host: any ProviderHost
  private let transport: any Transport
  private let headers: RequestHeaders
  private let headerProvider: (any HeaderProvider)?
  private var generation: UInt64 = 0
  private var inFlight: [ObjectIdentifier: any Cancellable] = [:]

  init(
    host: any ProviderHost, transport: any Transport, options: UnleashSettings, headerProvider: (any HeaderProvider)?
  ) {
    self.host = host
    self.headerProvider = headerProvider
    self.transport = transport
    headers = RequestHeaders(options: options)
  }

  /// - Parameters:
  ///   - url: shown to the header provider without its query.
  ///   - build: makes the request once the headers are known.
  func send(
    _ purpose: RequestHeaders.Purpose, to url: URLText, build: @escaping @Sendable ([HTTPHeader]) -> HTTPRequest,
    completion: @escaping @Sendable (Answer) -> Void
  ) {
    let mine = generation
    let headers = headers
    host.dynamicHeaders(from: headerProvider, for: url.redacted) { [weak self] dynamic in
      guard let self, mine == self.generation else { return }
      let request = build(headers.make(purpose, dynamic: dynamic))
      let key = Token()
      self.inFlight[ObjectIdentifier(key)] = self.transport.send(request) { [weak self] answer in
        guard let self, mine == self.generation else { return }
        self.inFlight[ObjectIdentifier(key)] = nil
        completion(answer)
      }
    }
  }

  /// What is under way is called off, and its completions never run.
  func cancelAll() {
    generation &+= 1
    for exchange in inFlight.values { exchange.cancel() }
    inFlight = [:]
  }

  /// Forgets what is under way without touching it: it belongs to the process this one was forked from.
  func abandonAll() {
    generation &+= 1
    inFlight = [:]
  }

  private final class Token: Sendable {}
}
