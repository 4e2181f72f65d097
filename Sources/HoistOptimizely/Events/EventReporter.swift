internal import HoistBase
internal import HoistCore

/// Records impressions and conversions and sees to their delivery (OPT-63, OPT-72, OPT-98).
final class EventReporter: ClientPart, @unchecked Sendable {
  private static let pipelineName = "events"

  private let host: any ProviderHost
  private let settings: OptimizelySettings
  private let pipeline: EventPipeline

  init(host: any ProviderHost, settings: OptimizelySettings, notifications: NotificationCenter) {
    self.host = host
    self.settings = settings
    var options = EventPipeline.Options(name: Self.pipelineName)
    options.durability = settings.events.durability
    options.maximumRows = settings.events.capacity
    options.flushIntervalMilliseconds = settings.events.intervalMilliseconds
    options.flushAtRows = settings.events.batchSize
    pipeline = EventPipeline(
      options: options, policy: OptimizelyEventPolicy(settings: settings, notifications: notifications, host: host),
      sink: host.delivery, store: host.store, log: host.log, clock: host.clock, scheduler: host.scheduler,
      entropy: host.entropy)
  }

  /// What tells the next event from all others. Any thread.
  var stamp: EventStamp {
    EventStamp(unixMilliseconds: host.clock.unixMilliseconds, uuid: UUIDv4(from: host.entropy).text)
  }

  /// Any thread.
  /// - Returns: `.limit` when there is no room for one of them.
  @discardableResult
  func record(_ events: [UserEvent]) -> Status {
    var status = Status.ok
    for event in events {
      let outcome = RecordedEvent.withRow(of: event, url: settings.events.address(for: event.region)) {
        pipeline.record($0, unixMilliseconds: host.clock.unixMilliseconds, waitsForCommit: event.isTracked)
      }
      if case .dropped = outcome { status = .limit }
    }
    return status
  }

  func start() {
    setOnline(host.isOnline)
    pipeline.start()
  }

  func stop() { pipeline.stop() }

  func setOnline(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }

  /// While the host's program is in the background its events wait; those that are there are sent before (5.6).
  func setActive(_ isActive: Bool) {
    if isActive { return pipeline.lift(.notReady) }
    pipeline.flush { [pipeline] _ in pipeline.hold(.notReady) }
  }

  func flush(_ completion: @escaping @Sendable (Bool) -> Void) { pipeline.flush(completion: completion) }

  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = pipeline.counters
    return [
      ("recorded", counters.recorded), ("waiting", counters.waiting), ("in_flight", counters.inFlight),
      ("delivered", counters.delivered), ("dropped", counters.dropped), ("rejected", counters.rejected),
      ("retried", counters.retried), ("adopted", counters.adopted),
    ].map { (Self.pipelineName, $0.0, Int64($0.1)) }
  }
}
