/// How a client's transport reaches the network. One value per client, fixed at open.
public struct NetworkOptions: Sendable {
  /// `nil` leaves the proxy to the environment variables libcurl honours, as they are at open;
  /// "" switches proxies off. Any other value is used for every host, whatever the environment says.
  public var proxy: String?
  /// PEM file of certificate authorities that replaces the system's.
  public var certificateAuthorityFile: String?
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  /// Redirects followed, never from https to http; credentials stay with their origin. 0 leaves
  /// a redirecting answer to the caller, more than the limit is a failure.
  public var maximumRedirects: Int = 5
  /// All header lines of one answer together. More ends the exchange with `.tooLarge`.
  public var maximumHeaderBytes: Int = 128 << 10
  /// Sent as `User-Agent`.
  public var userAgent: String = "hoist"

  public init() {}
}
