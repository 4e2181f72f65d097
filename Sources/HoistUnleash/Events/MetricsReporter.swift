internal import HoistBase
internal import HoistCore

/// Gathers usage and impact metrics (protocol B.3, D.4).
final class MetricsReporter: @unchecked Sendable {
  let recorder: MetricsRecorder
  var impact: ImpactMetrics { recorder.impact }

  init(host: any ProviderHost, settings: UnleashSettings, values: PropertyValues) {
    recorder = MetricsRecorder(
      host: host, countsMetrics: settings.countsMetrics, eventCapacity: Int(values.integer("events.capacity")))
  }

  func start() {}
  func stop() {}
  func pause() {}
  func flush(completion: @escaping @Sendable (Status) -> Void) { completion(.ok) }
  func track(_ event: TrackedEvent) -> Status { recorder.track(event) }
  func abandonAfterFork() { recorder.forget() }
  var statistics: [(group: String, name: String, value: Int64)] { [("events", "waiting", Int64(recorder.waitingEvents))] }
}
