internal import HoistBase

/// One header line. Names compare without regard to ASCII case.
public struct HTTPHeader: Sendable, Equatable {
  public var name: String
  public var value: String
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A request as a provider describes it; the transport adds nothing a service can see but
/// `User-Agent`, `Host`, `Accept-Encoding` and the length of the body.
public struct HTTPRequest: Sendable {
  public var method: String
  /// Absolute, http or https, already percent-encoded.
  public var url: String
  /// What header providers are told in place of an address that has a key in its path; nil where it has none.
  public var shownURL: String?
  public var headers: [HTTPHeader]
  public var body: [UInt8]?
  /// Whether a transport that can do so sends the body as gzip, and adds the header that says so.
  public var compressesBody = false
  public var connectTimeoutMilliseconds: Int64 = 10_000
  /// The whole exchange, redirects included; 0 means no limit. Streams have none.
  public var timeoutMilliseconds: Int64 = 30_000
  /// From the start until the answer's header is complete, redirects included; 0 means no limit.
  public var headerTimeoutMilliseconds: Int64 = 0
  /// Longest silence once the header is there; 0 means no limit.
  public var idleTimeoutMilliseconds: Int64 = 0
  /// Counted after decompression. More ends the exchange with `.tooLarge`. Streams have no limit: their parser bounds
  /// what it keeps.
  public var maximumResponseBytes: Int = 64 << 20

  public init(method: String, url: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }

  /// The address for others than the service: without user and query, and without a key.
  public var shown: String { shownURL ?? URLText.redacted(url) }
}

/// An answer of any status: a status is never a `TransportFailure`.
public struct HTTPResponse: Sendable {
  public var status: Int
  public var headers: [HTTPHeader]
  public var body: [UInt8]
  /// The transport had nothing to hand over, which is not the same as an empty body: only plug-ins answer so.
  public var hasNoBody = false

  public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why there was no answer. `message` is one line for people, without secrets.
public struct TransportFailure: Error, Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case invalidURL, unreachable, timeout, connectionReset, tls, tooLarge, cancelled, other
  }
  public var kind: Kind
  public var message: String
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

/// The events of a long-lived response, in order, on the scheduler's thread: `opened` once, `received` any number of
/// times, `ended` exactly once and last (without `opened` when no answer came).
public protocol StreamHandler: AnyObject, Sendable {
  func streamOpened(_ head: HTTPResponse)
  func streamReceived(_ bytes: UnsafeRawBufferPointer)
  /// `nil` when the server closed in good order.
  func streamEnded(_ failure: TransportFailure?)
}

/// Carries requests. Completions run on the scheduler's thread, exactly once each; a cancelled
/// exchange completes with `.cancelled`. Callable from any thread.
public protocol Transport: AnyObject, Sendable {
  func send(
    _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, TransportFailure>) -> Void
  ) -> any Cancellable

  func openStream(_ request: HTTPRequest, handler: any StreamHandler) -> any Cancellable
}

extension Array<HTTPHeader> {
  /// The first header of that name.
  public func value(of name: String) -> String? {
    first { ASCII.equalsIgnoringCase($0.name, name) }?.value
  }

  /// Replaces every header of that name by one, in the place of the first.
  public mutating func set(_ name: String, _ value: String) {
    if let at = firstIndex(where: { ASCII.equalsIgnoringCase($0.name, name) }) {
      self[at] = HTTPHeader(name, value)
      let rest = self[(at + 1)...].filter { !ASCII.equalsIgnoringCase($0.name, name) }
      self.replaceSubrange((at + 1)..., with: rest)
    } else {
      append(HTTPHeader(name, value))
    }
  }
}
