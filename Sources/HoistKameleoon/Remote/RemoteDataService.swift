internal import HoistBase
internal import HoistCore

/// Visitor data, remote data, warehouse audiences (2.7 to 2.9). Thread-safe, but for the calls of `KameleoonPart`.
final class RemoteDataService: KameleoonPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses
  private let tokens: AccessTokens

  init(host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, tokens: AccessTokens) {
    self.host = host
    self.settings = settings
    self.addresses = addresses
    self.tokens = tokens
  }
}
