internal import HoistBase
internal import HoistCore

/// Sends usage and impact metrics, and the host's events (protocol B.3, D.4; rows UNL-16, UNL-17, UNL-48, UNL-51,
/// UNL-52, UNL-61, UNL-83, UNL-84, UNL-88). On the scheduler's thread, but where it says otherwise.
///
/// Two pipelines: "metrics" has one record per closed bucket, and the open bucket as a live record, so that a crash
/// loses no more than the counts since a checkpoint; "events" has one record per tracked event.
final class MetricsReporter: ClientPart, @unchecked Sendable {
  private static let liveRecord = "bucket"

  private let host: any ProviderHost
  private let settings: UnleashSettings
  private let body: MetricsBody
  private let policy: MetricsPolicy
  private let counts: EventPipeline
  private let events: EventPipeline
  /// The same for recording threads, without reference counting.
  private let eventsPort: Unmanaged<EventPipeline>
  let recorder: MetricsRecorder
  private let checkpoints: Checkpoints
  private var early: (any Cancellable)?
  /// Timers run and the pipelines may send: since `start`, or for the time of a `flush`.
  private var hasStarted = false
  /// The host wants it so.
  private var isWanted = false
  /// Moves on with each start and stop: a last sending belongs to the stop before it.
  private var turn = Generation()
  /// Flushes under way.
  private var sendings = 0

  var impact: ImpactMetrics { recorder.impact }

  init(
    host: any ProviderHost, settings: UnleashSettings, headerProvider: (any HeaderProvider)?, values: PropertyValues
  ) {
    self.host = host
    self.settings = settings
    body = MetricsBody(options: settings)
    recorder = MetricsRecorder(host: host, countsReads: settings.countsReads(host))
    let policy = MetricsPolicy(host: host, settings: settings, headerProvider: headerProvider)
    self.policy = policy
    func pipeline(_ name: String, rows: Int) -> EventPipeline {
      var options = EventPipeline.Options(name: name)
      options.durability = EventPipeline.Durability(name: values.text("events.durability"))
      options.maximumRows = rows
      options.flushTiming = .sinceStart
      let given = values.integer("events.flush_interval_ms")
      options.flushIntervalMilliseconds = given > 0 ? given : MetricsPolicy.intervalMilliseconds(settings)
      options.pace = policy.pace
      return EventPipeline(options, policy: policy, host: host, sink: Self.sink(host, settings))
    }
    counts = pipeline(MetricsPolicy.counts, rows: 10_000)
    events = pipeline(MetricsPolicy.events, rows: Int(values.integer("events.capacity")))
    eventsPort = Unmanaged.passUnretained(events)
    checkpoints = Checkpoints(scheduler: host.scheduler)
    checkpoints.keeper = self
    policy.reporter = self
  }

  /// A transport plug-in may be meant for fetches only; a dispatcher is meant for events (G-6).
  private static func sink(_ host: any ProviderHost, _ settings: UnleashSettings) -> any EventSink {
    let isPlugged = host.plugins.transport != nil && host.plugins.eventSink == nil
    return isPlugged && !settings.usesPluginTransportForMetrics ? TransportEventSink(host.builtInTransport) : host.delivery
  }

  /// Any thread (UNL-84 and the core's tracking).
  @inline(never)
  func track(_ event: EventView) -> Status {
    guard settings.countsMetrics else { return .ok }
    // Taken out of this object before: a closure that holds it would count a reference.
    let events = eventsPort
    return TrackedEventText.withRecord(of: event) { record in
      events._withUnsafeGuaranteedRef { $0.record(record, unixMilliseconds: event.unixMilliseconds).status }
    }
  }

  func start() {
    host.scheduler.assertCurrent()
    turn.advance()
    let wasWanted = isWanted
    isWanted = true
    begin()
    if !wasWanted, settings.metricsInitialSeconds != settings.metricsSeconds { delayFirst() }
    retryRefused()
  }

  /// Something has changed that may make the service accept a key that it has refused (D.2).
  func retryRefused() {
    guard isWanted, policy.isRefused else { return }
    for pipeline in [counts, events] { pipeline.sendAtOnce() }
  }

  func refresh() { retryRefused() }

  private func begin() {
    let isOnline = host.isOnline && settings.url != nil
    // Without metrics nothing is sent, also nothing that an earlier run has left (UNL-17).
    for pipeline in settings.countsMetrics ? [counts, events] : [] {
      if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) }
      if !hasStarted { pipeline.start() }
    }
    guard !hasStarted else { return }
    hasStarted = true
    checkpoints.start()
  }

  /// A first sending apart from the interval, from which the intervals then count (UNL-83).
  private func delayFirst() {
    for pipeline in [counts, events] { pipeline.hold(.notReady) }
    early = host.scheduler.schedule(afterMilliseconds: settings.metricsInitialSeconds * 1000) { [weak self] in
      if let self, self.hasStarted { self.flush { _ in } }
    }
  }

  /// After a stop: sends what is recorded for as long as the limit allows. A flush requested meanwhile is not cut
  /// short.
  func sendOnce(withinMilliseconds limit: Int64) {
    let mine = turn.current
    let timer = host.scheduler.schedule(afterMilliseconds: limit) { [weak self] in
      if let self, turn.isCurrent(mine), sendings <= 1 { stop() }
    }
    flush { _ in timer.cancel() }
  }

  /// Keeps what is recorded; sends nothing.
  func stop() {
    host.scheduler.assertCurrent()
    turn.advance()
    isWanted = false
    guard hasStarted else { return }
    hasStarted = false
    checkpoints.stop()
    early?.cancel()
    early = nil
    _ = keep()
    counts.stop()
    events.stop()
  }

  func setOnline(_ isOnline: Bool) {
    host.scheduler.assertCurrent()
    guard isWanted else { return }
    if isOnline { return start() }
    for pipeline in [counts, events] { pipeline.hold(.offline) }
  }

  /// Also before the start and after a stop.
  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    guard settings.countsMetrics else { return completion(.accepted) }
    if !hasStarted { begin() }
    // Where it cannot go now, what was counted is left like anything else.
    _ = keep()
    sendings += 1
    let (counts, events) = (counts, events)
    for pipeline in [counts, events] { pipeline.lift(.notReady) }
    counts.flush { former in
      events.flush { [weak self] result in
        self?.sendingEnded()
        completion(max(former, result))
      }
    }
  }

  private func sendingEnded() {
    sendings = max(0, sendings - 1)
    if !isWanted, sendings == 0 { stop() }
  }

  func abandonAfterFork() {
    host.scheduler.assertCurrent()
    sendings = 0
    checkpoints.abandonAfterFork()
    early = nil
    hasStarted = false
    isWanted = false
  }

  /// Any thread.
  var statistics: [(group: String, name: String, value: Int64)] {
    events.counters.listing("events") + counts.counters.listing("metrics")
      + [("metrics", "impact_dropped", impact.dropped), ("metrics", "unknown_overflow", recorder.overflow)]
  }

  /// Closes the open bucket: it waits to be sent like any record.
  func seal() {
    _ = recorder.absorb()
    _ = updateLive()
    counts.sealLive(Self.liveRecord)
    recorder.beginBucket()
  }

  private func updateLive() -> Int {
    guard let open = recorder.open else { return 0 }
    let content = body.make(bucket: open.bucket, stopUnixMilliseconds: host.clock.unixMilliseconds, impact: open.impact)
    counts.updateLive(Self.liveRecord, content)
    return content.count
  }
}

extension MetricsReporter: CheckpointKeeper {
  /// Brings the live record up to date.
  func keep() -> Int {
    guard recorder.absorb() else { return 0 }
    if settings.countsMetrics { return updateLive() }
    recorder.beginBucket()
    return 0
  }
}
