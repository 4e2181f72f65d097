internal import HoistBase
internal import HoistCore
internal import Synchronization

/// Whether there is a configuration (4.1; KAM-15 to KAM-19). Read on any thread.
final class Readiness: KameleoonPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let isSet = Atomic<Bool>(false)

  init(host: any ProviderHost, settings: KameleoonSettings) {
    self.host = host
    self.settings = settings
  }

  /// Once true, it stays so.
  var isReady: Bool { isSet.load(ordering: .acquiring) }

  /// A configuration is served. On the scheduler's thread.
  func becomeReady() {
    isSet.store(true, ordering: .releasing)
    host.setState(.ready, "the configuration is served")
  }
}
