internal import HoistBase
internal import HoistCore

/// Keys for contexts that bring none: drawn once, kept for good (3.5).
final class GeneratedKeys: LaunchDarklyPart, @unchecked Sendable {
  private let host: any ProviderHost

  init(host: any ProviderHost) { self.host = host }

  /// A key that nobody has had before.
  func draw() -> String { UUIDv4(from: host.entropy).uppercaseText }
}
