internal import HoistCore

/// Who is told of changed flags (5.6).
final class ChangeObservers: LaunchDarklyPart, @unchecked Sendable {
  private let host: any ProviderHost

  init(host: any ProviderHost) { self.host = host }
}
