internal import HoistBase
internal import HoistCore

/// Where the service is (2.1): its own hosts, those of a network domain, or addresses that the host has set. The
/// address of data may change with a configuration. Thread-safe.
final class ServiceAddresses: Sendable {
  let stream: String
  let token: String
  /// False where a network domain was meant that is none: the host has not named the service's own, where the secret would go.
  let takesSecret: Bool
  private let configuration: String
  private let environment: String
  private let site: String
  private let sdk: String
  private let domain: NetworkDomain?
  /// Whether the host has said where data goes: then no configuration does.
  private let keepsDataHost: Bool
  private let dataBase: LockedValue<String>

  init(_ values: PropertyValues, log: Log) throws(ConfigurationFailure) {
    let wanted = values.text("network_domain")
    let domain = NetworkDomain(wanted)
    takesSecret = domain != nil || wanted.isEmpty || !values.text("token.url").isEmpty
    if domain == nil, !wanted.isEmpty {
      let secret = takesSecret ? "" : ", and client_secret is not sent to them"
      log.error("network_domain is no domain (\"flags.example.com\" is one); the service's own hosts are used\(secret)")
    }
    self.domain = domain
    site = "siteCode=\(Self.encode(values.text("site_code")))"
    sdk = "sdkName=\(Self.encode(values.text("sdk_name")))&sdkVersion=\(Self.encode(values.text("sdk_version")))"
    let environment = values.text("environment")
    self.environment = environment.isEmpty ? "" : "environment=\(Self.encode(environment))"
    func base(_ property: String, _ host: String, _ service: String, path: String) throws(ConfigurationFailure) -> String {
      try Self.base(values, property, path: path) ?? "https://\(host).\(domain?.text ?? service)\(path)"
    }
    configuration =
      try base("configuration.url", "sdk-config", "kameleoon.eu", path: "/v3") + "/\(Self.encode(values.text("site_code")))"
    let events = "https://events.\(domain?.text ?? "kameleoon.eu"):8110/sse"
    stream = try (Self.base(values, "stream.url", path: "/sse") ?? events) + "?\(site)"
    token = try base("token.url", "api", "kameleoon.com", path: "/oauth/token") + "?\(sdk)&\(site)"
    keepsDataHost = !values.text("data.url").isEmpty
    dataBase = LockedValue(try base("data.url", "data", "kameleoon.io", path: ""))
  }

  /// - Parameter timestamp: of the real-time event that made it necessary; nil for none.
  func configuration(at timestamp: Int64?) -> String {
    let query = [environment, timestamp.map { "ts=\($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: "&")
    return query.isEmpty ? configuration : "\(configuration)?\(query)"
  }

  var tracking: String { "\(data)/visit/events?\(sdk)&\(site)&bodyUa=true" }

  /// Without the visitor and the filter, which follow after `&`.
  var visitorData: String { "\(data)/visit/visitor?\(site)" }

  /// Remote data and warehouse audiences; a key that is empty is left out.
  func remoteData(key: some ByteSource) -> String {
    let key = Self.encode(key)
    return "\(data)/map/map?\(site)\(key.isEmpty ? "" : "&key=\(key)")"
  }

  /// The encoding of values in queries and in lines of tracking requests.
  static func encode(_ text: some ByteSource) -> String { PercentEncoding.encode(text, keeping: .component) }

  /// Sets the host of data as a configuration says; "" changes nothing. With a network domain, only its first label
  /// counts.
  /// - Returns: false for what is no name of a host; nothing changes then.
  @discardableResult
  func follow(dataAPIDomain: [UInt8]) -> Bool {
    guard !dataAPIDomain.isEmpty, !keepsDataHost else { return true }
    let name = dataAPIDomain[...]
    guard NetworkDomain.isHost(name, leastLabels: 1) else { return false }
    var host = String(decoding: name, as: UTF8.self)
    if let domain {
      host = String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self) + ".\(domain.text)"
    }
    dataBase.withLock { $0 = "https://\(host)" }
    return true
  }

  private var data: String { dataBase.withLock { $0 } }

  /// Ends with the path, which the host may have given, too; nil for the service's own.
  private static func base(_ values: PropertyValues, _ property: String, path: String) throws(ConfigurationFailure) -> String? {
    guard !values.text(property).isEmpty else { return nil }
    let address = try BaseAddress.read(values, property)
    return address.hasSuffix(path) ? address : address + path
  }
}
