internal import HoistBase
internal import HoistCore

/// The anonymous id of this installation's visitor (OPT-16, OPT-90).
final class VisitorID: ClientPart, @unchecked Sendable {
  private let kept = Shared<[UInt8]?>(nil)

  init(host: any ProviderHost, settings: OptimizelySettings) {}

  /// nil while it is not wanted, or not known yet. Any thread.
  var current: [UInt8]? { kept.withLock { $0 } }
}
