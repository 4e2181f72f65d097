internal import HoistBase
internal import HoistCore

/// Sends usage and impact metrics, and the host's events (protocol B.3, D.4; rows UNL-16, UNL-17, UNL-48, UNL-51,
/// UNL-52, UNL-61, UNL-83, UNL-84, UNL-88). On the scheduler's thread, but where it says otherwise.
///
/// Two pipelines: "metrics" has one record per closed bucket, and the open bucket as a live record, so that a crash
/// costs no more counting than a checkpoint apart; "events" has one record per tracked event.
final class MetricsReporter: @unchecked Sendable {
  private static let liveRecord = "bucket"
  private static let busyCheckpointMilliseconds: Int64 = 100
  private static let idleCheckpointMilliseconds: Int64 = 1000

  private let host: any ProviderHost
  private let settings: UnleashSettings
  private let body: MetricsBody
  private let counts: EventPipeline
  private let events: EventPipeline
  let recorder: MetricsRecorder
  private var checkpoint: (any Cancellable)?
  private var early: (any Cancellable)?
  private var checkpointMilliseconds = busyCheckpointMilliseconds
  private var hasStarted = false

  var impact: ImpactMetrics { recorder.impact }

  init(host: any ProviderHost, settings: UnleashSettings, values: PropertyValues) {
    self.host = host
    self.settings = settings
    body = MetricsBody(options: settings)
    recorder = MetricsRecorder(host: host, countsMetrics: settings.countsMetrics)
    let policy = MetricsPolicy(host: host, settings: settings)
    func pipeline(_ name: String, rows: Int) -> EventPipeline {
      var options = EventPipeline.Options(name: name)
      options.durability = EventPipeline.Durability(name: values.text("events.durability"))
      options.maximumRows = rows
      options.flushTiming = .sinceStart
      let given = values.integer("events.flush_interval_ms")
      options.flushIntervalMilliseconds = given > 0 ? given : MetricsPolicy.intervalMilliseconds(settings)
      return EventPipeline(
        options: options, policy: policy, sink: host.delivery, store: host.store, log: host.log, clock: host.clock,
        scheduler: host.scheduler, entropy: host.entropy)
    }
    counts = pipeline(MetricsPolicy.counts, rows: 10_000)
    events = pipeline(MetricsPolicy.events, rows: Int(values.integer("events.capacity")))
    policy.willFlush = { [weak self] in self?.seal() }
  }

  /// Any thread (UNL-84 and the core's tracking).
  func track(_ event: TrackedEvent) -> Status {
    switch events.record(TrackedEventText.encode(event), subject: [UInt8](), unixMilliseconds: event.unixMilliseconds) {
    case .stored, .queued: .ok
    case .dropped: .limit
    }
  }

  func start() {
    let isOnline = host.isOnline && settings.url != nil
    for pipeline in [counts, events] {
      if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) }
      pipeline.start()
    }
    hasStarted = true
    if settings.metricsInitialSeconds != settings.metricsSeconds { sendEarly() }
    checkpointMilliseconds = Self.busyCheckpointMilliseconds
    armCheckpoint()
  }

  /// A first sending apart from the interval (UNL-83).
  private func sendEarly() {
    early = host.scheduler.schedule(afterMilliseconds: settings.metricsInitialSeconds * 1000) { [weak self] in
      if let self, self.hasStarted { self.flush { _ in } }
    }
  }

  /// What is recorded is kept; nothing is sent.
  func stop() {
    guard hasStarted else { return }
    hasStarted = false
    checkpoint?.cancel()
    checkpoint = nil
    early?.cancel()
    early = nil
    keep()
    counts.stop()
    events.stop()
  }

  func pause() {
    for pipeline in [counts, events] { pipeline.hold(.offline) }
  }

  func flush(completion: @escaping @Sendable (Status) -> Void) {
    let (counts, events) = (counts, events)
    counts.flush { countsAreSent in
      events.flush { eventsAreSent in completion(countsAreSent && eventsAreSent ? .ok : .network) }
    }
  }

  func abandonAfterFork() {
    checkpoint = nil
    hasStarted = false
  }

  /// Any thread.
  var statistics: [(group: String, name: String, value: Int64)] {
    func list(_ group: String, _ counters: EventPipeline.Counters) -> [(group: String, name: String, value: Int64)] {
      [
        (group, "recorded", Int64(counters.recorded)), (group, "waiting", Int64(counters.waiting)),
        (group, "in_flight", Int64(counters.inFlight)), (group, "delivered", Int64(counters.delivered)),
        (group, "dropped", Int64(counters.dropped)), (group, "rejected", Int64(counters.rejected)),
        (group, "retried", Int64(counters.retried)), (group, "adopted", Int64(counters.adopted)),
      ]
    }
    return list("events", events.counters) + list("metrics", counts.counters)
      + [("metrics", "impact_dropped", impact.dropped), ("metrics", "unknown_overflow", recorder.overflow)]
  }

  /// Closes the open bucket: it waits to be sent like any record.
  private func seal() {
    _ = recorder.absorb()
    updateLive()
    counts.sealLive(Self.liveRecord)
    recorder.beginBucket()
  }

  /// Brings the live record up to date.
  /// - Returns: whether anything had been counted.
  @discardableResult
  private func keep() -> Bool {
    guard recorder.absorb() else { return false }
    updateLive()
    return true
  }

  private func updateLive() {
    guard let open = recorder.open else { return }
    counts.updateLive(
      Self.liveRecord,
      body.make(bucket: open.bucket, stopUnixMilliseconds: host.clock.unixMilliseconds, impact: open.impact))
  }

  /// Often while there is something to count, seldom otherwise.
  private func armCheckpoint() {
    checkpoint = host.scheduler.schedule(afterMilliseconds: checkpointMilliseconds) { [weak self] in
      guard let self, self.hasStarted else { return }
      let isBusy = self.keep()
      self.checkpointMilliseconds = isBusy
        ? Self.busyCheckpointMilliseconds : min(self.checkpointMilliseconds * 2, Self.idleCheckpointMilliseconds)
      self.armCheckpoint()
    }
  }
}
