internal import HoistBase
internal import HoistCore

/// Sends what visitors leave to be sent (4.4). Thread-safe, but for the calls of `KameleoonPart`.
final class Tracker: KameleoonPart, @unchecked Sendable {
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

  /// It is sent when the visitor is due.
  func record(_ datum: TrackedDatum, of visitor: KameleoonVisitor) {}

  /// The visitor is due at the next interval.
  func queue(_ visitor: KameleoonVisitor) {}

  /// What may be sent of the visitor has changed.
  func consentChanged(_ visitor: KameleoonVisitor) {}

  /// Sends what is recorded of the visitor now. `completion` runs once.
  func flushNow(_ visitor: KameleoonVisitor, completion: @escaping @Sendable (Status) -> Void) { completion(.ok) }
}
