/// How a client's transport reaches the network. One value per client, fixed at open.
public struct NetworkOptions: Sendable {
  /// `nil` leaves the proxy to the environment variables libcurl honours; "" switches proxies off.
  public var proxy: String?
  /// PEM file of certificate authorities that replaces the system's.
  public var certificateAuthorityFile: String?
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  /// Redirects followed, never from https to http; credentials stay with their origin.
  public var maximumRedirects: Int = 5
  /// Sent as `User-Agent`.
  public var userAgent: String = "hoist"

  public init() {}
}
