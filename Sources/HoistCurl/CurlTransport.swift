internal import HoistBase
public import HoistCore

/// HTTP over libcurl, on the network thread that all clients share; connections to one host are
/// reused across clients that agree on how to reach it.
///
/// HTTP/2 where TLS offers it; gzip, brotli and zstd where the library was built with them; TLS 1.2
/// at least, always verified. Redirects are followed by our own rules (`Exchange+Redirect`).
public final class CurlTransport: Transport {
  private let settings: TransportSettings
  private let loop: NetworkLoop

  /// Reads the variables of proxies and authorities now, so that a later `setenv` of the host does
  /// not race with the network thread.
  public convenience init(options: NetworkOptions = NetworkOptions(), loop: NetworkLoop = .shared) {
    self.init(options: options, loop: loop, environment: Environment.value)
  }

  init(options: NetworkOptions, loop: NetworkLoop, environment: (String) -> String?) {
    settings = TransportSettings(
      options: options, proxy: ProxySettings(option: options.proxy, environment: environment),
      authorities: CertificateAuthorities.given(option: options.certificateAuthorityFile, environment: environment))
    self.loop = loop
  }

  public func send(
    _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    start(request, .whole(completion))
  }

  /// No total timeout, no limit on the bytes, and no compression asked for: a proxy that compresses
  /// a stream holds its messages back.
  public func openStream(_ request: HTTPRequest, handler: any StreamHandler) -> any Cancellable {
    start(request, .stream(handler))
  }

  private func start(_ request: HTTPRequest, _ receiver: Exchange.Receiver) -> Exchange {
    let exchange = Exchange(request, receiver, settings: settings, loop: loop)
    loop.postTransfer { exchange.start(on: $0) }
    return exchange
  }
}

/// What all exchanges of one transport have in common.
struct TransportSettings: Sendable {
  let options: NetworkOptions
  let proxy: ProxySettings
  /// The file in place of the system's.
  let authorities: String?
}
