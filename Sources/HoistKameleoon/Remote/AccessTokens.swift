internal import HoistBase
internal import HoistCore

/// Tokens that authorise requests for data and tracking (2.10). On the scheduler's thread.
final class AccessTokens: KameleoonPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses

  init(host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses) {
    self.host = host
    self.settings = settings
    self.addresses = addresses
  }

  /// - Parameter completion: once, on the scheduler's thread; nil when requests go without one.
  func token(completion: @escaping @Sendable (String?) -> Void) { completion(nil) }

  /// The service has refused it (401).
  func drop(_ token: String) {}
}
