internal import HoistBase
internal import HoistCore

/// Audience segments and events of Optimizely's data platform (row OPT-46). There is none of it where it is disabled.
/// On the scheduler's thread, but where it says otherwise.
final class DataPlatform: ClientPart, @unchecked Sendable {
  /// For any thread.
  let segments: SegmentsService
  /// For any thread.
  let events: PlatformEventReporter
  private let manager: ManagerLane?

  /// - Returns: nil when it is disabled: nothing is allocated, and nothing runs.
  init?(host: any ProviderHost, settings: PlatformSettings, client: EventClient, visitorID: VisitorID) {
    guard settings.isEnabled else { return nil }
    let plugin = host.plugins.vendor[OptimizelyPlatformPlugin.key] as? any PlatformManager
    let manager = plugin.map { ManagerLane($0, host: host, settings: settings) }
    self.manager = manager
    segments = SegmentsService(
      host: host, settings: settings, manager: plugin?.fetchesSegments == true ? manager : nil)
    events = PlatformEventReporter(
      host: host, settings: settings, client: client, visitorID: visitorID,
      manager: plugin?.takesEvents == true ? manager : nil)
    events.announceClient()
  }

  func configurationChanged(_ snapshot: Snapshot) {
    let said = SegmentsSettings(snapshot)
    let integration = PlatformAddress(host: said.host, apiKey: said.apiKey).map { PlatformIntegration.present($0) } ?? .absent
    segments.follow(integration, segments: said.segments)
    events.follow(integration)
  }

  func start() {
    manager?.reopen()
    segments.start()
    events.start()
  }

  func stop() {
    segments.stop()
    events.stop()
    manager?.close()
  }

  func setOnline(_ isOnline: Bool) { events.setOnline(isOnline) }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    events.flush { [manager] result in
      guard let manager, manager.manager.takesEvents else { return completion(result) }
      manager.flush { completion($0 ? result : max(result, .left)) }
    }
  }

  func abandonAfterFork() {
    segments.abandonAfterFork()
    events.abandonAfterFork()
  }

  var statistics: [(group: String, name: String, value: Int64)] { events.counters.listing("odp") }
}
