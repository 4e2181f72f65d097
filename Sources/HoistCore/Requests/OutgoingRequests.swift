internal import HoistBase

/// Requests with the host's own headers, each completed once; all that are under way can be cancelled together. On the
/// scheduler's thread.
public final class OutgoingRequests: @unchecked Sendable {
  public typealias Answer = Result<HTTPResponse, TransportFailure>

  private let host: any ProviderHost
  private let transport: any Transport
  private let headerProvider: (any HeaderProvider)?
  private var lastNumber: UInt64 = 0
  private var open: [UInt64: Exchange] = [:]

  private struct Exchange {
    var completion: @Sendable (Answer) -> Void
    /// nil while headers are asked for.
    var cancellable: (any Cancellable)?
  }

  public convenience init(host: any ProviderHost) {
    self.init(host: host, transport: nil, headerProvider: host.plugins.headerProvider)
  }

  /// - Parameter transport: nil for the client's.
  public init(host: any ProviderHost, transport: (any Transport)?, headerProvider: (any HeaderProvider)?) {
    self.host = host
    self.transport = transport ?? host.transport
    self.headerProvider = headerProvider
  }

  /// How many are under way.
  public var count: Int { open.count }

  /// Sets the headers of the host's header provider over the request's own.
  public static func setHeaders(_ headers: [HTTPHeader], _ request: inout HTTPRequest) {
    for header in headers { request.headers.set(header.name, header.value) }
  }

  /// - Parameter merging: puts the header provider's headers into the request.
  /// - Returns: a number for `cancel`.
  @discardableResult
  public func send(
    _ request: HTTPRequest, merging: @escaping ([HTTPHeader], inout HTTPRequest) -> Void = setHeaders,
    completion: @escaping @Sendable (Answer) -> Void
  ) -> UInt64 {
    host.scheduler.assertCurrent()
    lastNumber &+= 1
    let number = lastNumber
    open[number] = Exchange(completion: completion)
    let prepared = Preparation(request, merging)
    host.dynamicHeaders(from: headerProvider, for: request.shown) { [weak self] headers in
      guard let self, open[number] != nil else { return }
      let cancellable = transport.send(prepared.request(with: headers)) { [weak self] answer in
        self?.open.removeValue(forKey: number)?.completion(answer)
      }
      open[number]?.cancellable = cancellable
    }
    return number
  }

  /// Ends a request that is still under way; its completion never runs.
  public func cancel(_ number: UInt64) { open.removeValue(forKey: number)?.cancellable?.cancel() }

  /// Every request that waits is answered now, as cancelled.
  public func cancelAll() {
    host.scheduler.assertCurrent()
    let ended = open.sorted { $0.key < $1.key }.map(\.value)
    open = [:]
    for exchange in ended {
      exchange.cancellable?.cancel()
      exchange.completion(.failure(TransportFailure(.cancelled, "cancelled")))
    }
  }

  /// What is under way belongs to the process this one was forked from; no completion is called.
  public func abandonAfterFork() {
    host.scheduler.assertCurrent()
    let inherited = open
    open = [:]
    withExtendedLifetime(inherited) {}
  }
}

/// A request that waits for the header provider; used on the scheduler's thread alone.
private struct Preparation: @unchecked Sendable {
  private let plain: HTTPRequest
  private let merging: ([HTTPHeader], inout HTTPRequest) -> Void

  init(_ plain: HTTPRequest, _ merging: @escaping ([HTTPHeader], inout HTTPRequest) -> Void) {
    self.plain = plain
    self.merging = merging
  }

  func request(with headers: [HTTPHeader]) -> HTTPRequest {
    var request = plain
    merging(headers, &request)
    return request
  }
}
