internal import HoistBase

/// Requests with the host's own headers, each answered once; what is under way can be called off together. On the
/// scheduler's thread.
public final class OutgoingRequests: @unchecked Sendable {
  public typealias Answer = Result<HTTPResponse, TransportFailure>

  private let host: any ProviderHost
  private var lastNumber: UInt64 = 0
  private var open: [UInt64: Exchange] = [:]

  private struct Exchange {
    var completion: @Sendable (Answer) -> Void
    /// nil while headers are asked for.
    var cancellable: (any Cancellable)?
  }

  public init(host: any ProviderHost) { self.host = host }

  /// How many are under way.
  public var count: Int { open.count }

  /// - Returns: a number for `cancel`.
  @discardableResult
  public func send(_ request: HTTPRequest, completion: @escaping @Sendable (Answer) -> Void) -> UInt64 {
    lastNumber &+= 1
    let number = lastNumber
    open[number] = Exchange(completion: completion)
    host.dynamicHeaders(for: URLText.redacted(request.url)) { [weak self] headers in
      guard let self, open[number] != nil else { return }
      var request = request
      for header in headers { request.headers.set(header.name, header.value) }
      let cancellable = host.transport.send(request) { [weak self] answer in
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
    let ended = open.sorted { $0.key < $1.key }.map(\.value)
    open = [:]
    for exchange in ended {
      exchange.cancellable?.cancel()
      exchange.completion(.failure(TransportFailure(.cancelled, "cancelled")))
    }
  }

  /// What is under way belongs to the process this one was forked from; nobody is answered.
  public func abandonAfterFork() {
    let inherited = open
    open = [:]
    withExtendedLifetime(inherited) {}
  }
}
