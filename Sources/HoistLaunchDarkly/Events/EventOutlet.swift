internal import HoistBase
internal import HoistCore
internal import Synchronization

struct EventOptions: Sendable {
  /// What the store knows the rows of this environment by.
  var pipeline = "events"
  var capacity = 100
  /// Kept at most; nil for what a few payloads have.
  var mostRows: Int?
  /// A payload that waits for its second try does not hold up the next.
  var payloadsAtOnce = 3
  /// A payload that has failed twice is dropped, as the vendor's clients do.
  var dropsAfterRetry = false
  var longestRetryMilliseconds: Int64 = 300_000
  var durability = EventPipeline.Durability.periodic
  /// False: nothing is recorded.
  var isEnabled = true
  var redaction = Redaction()
  var policy: LaunchDarklyEventPolicy.Options
}

/// Takes events as they are to be sent, and what was counted, and sees to their delivery (4.4.5 to 4.4.7): the part of
/// events that clients and servers share.
final class EventOutlet: @unchecked Sendable {
  /// Room for rows on their way and those of earlier runs, beside the capacity.
  private static let spareRows = 10_000
  private static let maximumRowBytes = 4 << 20

  let host: any ProviderHost
  let options: EventOptions
  let policy: LaunchDarklyEventPolicy
  let pipeline: EventPipeline
  let summaries: SummaryAccumulator
  let capacity: EventCapacity
  let serverTime: ServerTime
  let checkpoints: Checkpoints
  /// Of counts that name no other; nil where all contexts share a summary.
  let context = Published<EventContext>(nil)
  let cells: any CountedFlags
  private let hasEnded = Atomic(false)

  init(host: any ProviderHost, options: EventOptions, headers: any HeaderSource, cells: any CountedFlags) {
    self.host = host
    self.cells = cells
    self.options = options
    capacity = EventCapacity(options.capacity)
    serverTime = ServerTime(goesBack: options.policy.isServer)
    summaries = SummaryAccumulator(
      isPerContext: options.policy.summarizesPerContext, startUnixMilliseconds: host.clock.unixMilliseconds)
    policy = LaunchDarklyEventPolicy(
      options: options.policy, headers: headers, capacity: capacity, serverTime: serverTime, clock: host.clock)
    var pipe = EventPipeline.Options(name: options.pipeline)
    pipe.durability = options.durability
    pipe.maximumRows = options.mostRows ?? options.capacity * 2 + Self.spareRows
    pipe.maximumRowBytes = Self.maximumRowBytes
    pipe.flushIntervalMilliseconds = max(1, options.policy.flushMilliseconds)
    pipe.flushTiming = .sinceStart
    pipe.flushesWhenEmpty = true
    pipe.maximumInFlight = options.payloadsAtOnce
    pipe.pace = RegularPace(interval: 0, limit: options.longestRetryMilliseconds, base: 1_000, jitter: 0)
    pipe.maximumAttempts = options.dropsAfterRetry ? 2 : nil
    pipe.keepsBatches = true
    pipeline = EventPipeline(pipe, policy: policy, host: host)
    checkpoints = Checkpoints(scheduler: host.scheduler)
    pipeline.hold(.offline)
    policy.outlet = self
    checkpoints.keeper = self
  }

  // MARK: Recording, any thread

  /// False where events are off, and once the service has refused them for good.
  var isRecording: Bool { options.isEnabled && !hasEnded.load(ordering: .relaxed) }

  func add(_ event: ByteView, at unixMilliseconds: Int64, waits wait: EventPipeline.Wait = .never) -> Status {
    capacity.take() ? record(event, at: unixMilliseconds, waits: wait) : .limit
  }

  /// An event that has taken its place.
  func record(_ event: ByteView, at unixMilliseconds: Int64, waits wait: EventPipeline.Wait) -> Status {
    let outcome = pipeline.record(event, unixMilliseconds: unixMilliseconds, waits: wait)
    if outcome == .dropped { capacity.giveBack(1) }
    return outcome.status
  }

  /// Feature, then debug.
  func recordEvents(of use: FlagUse, _ context: EventContext) {
    guard let events = use.flag?.events, events.isMoreThanACount else { return }
    let now = host.clock.unixMilliseconds
    if events.isTracked, host.entropy.draws(oneOf: events.samplingRatio) {
      EventText.evaluation(.feature, use, context, at: now) { _ = add($0, at: now) }
    }
    if isDebugged(events, at: now), host.entropy.draws(oneOf: events.samplingRatio) {
      EventText.evaluation(.debug, use, context, at: now) { _ = add($0, at: now) }
    }
  }

  func isDebugged(_ events: FlagEvents, at unixMilliseconds: Int64) -> Bool {
    serverTime.isBefore(events.debuggedUntil, nowUnixMilliseconds: unixMilliseconds)
  }

  // MARK: Summaries, on the scheduler's thread

  func absorb() {
    host.scheduler.assertCurrent()
    let current = context.held
    cells.drain { key, identity, times, owner in summaries.count(key, identity, times: times, owner ?? current) }
  }

  private func keep(_ events: [SummaryAccumulator.SummaryEvent]) -> Int {
    for event in events { pipeline.updateLive(event.name, event.event) }
    return events.reduce(0) { $0 + $1.event.count }
  }

  /// Ends the period: its summaries wait to be sent.
  func seal() {
    host.scheduler.assertCurrent()
    guard options.isEnabled else { return }
    absorb()
    let events = summaries.close(nowUnixMilliseconds: host.clock.unixMilliseconds, begin: cells.beginPeriod)
    _ = keep(events)
    for event in events { pipeline.sealLive(event.name) }
  }

  // MARK: Life, on the scheduler's thread

  func start() {
    host.scheduler.assertCurrent()
    guard options.isEnabled else { return }
    pipeline.start()
    checkpoints.start()
  }

  func stop() {
    host.scheduler.assertCurrent()
    guard options.isEnabled else { return }
    checkpoints.stop()
    _ = keep()
    pipeline.stop()
  }

  /// The client has gone online, or offline: then, as at the beginning, everything waits (LD-41).
  func onlineChanged(_ isOnline: Bool) {
    guard isOnline else { return pipeline.hold(.offline) }
    hasEnded.store(false, ordering: .relaxed)
    pipeline.lift(.offline)
  }

  /// The service refuses events for good (server 2.4): what is left waits until the client goes online again.
  func end() {
    hasEnded.store(true, ordering: .relaxed)
    pipeline.hold(.offline)
  }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    guard options.isEnabled else { return completion(.accepted) }
    // Where it cannot go now, what was counted is left like anything else.
    _ = keep()
    pipeline.flush(completion: completion)
  }

  /// On the thread of the child's first call, before anything is recorded in it.
  func forgetAfterFork() {
    capacity.forget()
    summaries.forget(nowUnixMilliseconds: host.clock.unixMilliseconds)
  }

  /// Any thread.
  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = pipeline.counters
    return [
      ("recorded", counters.recorded), ("waiting", counters.waiting), ("in_flight", counters.inFlight),
      ("delivered", counters.delivered), ("dropped", counters.dropped + capacity.dropped),
      ("rejected", counters.rejected), ("retried", counters.retried), ("adopted", counters.adopted),
      ("summary_overflow", Int(clamping: summaries.overflow)),
    ].map { ("events", $0.0, Int64($0.1)) }
  }
}

extension EventOutlet: CheckpointKeeper {
  func keep() -> Int {
    host.scheduler.assertCurrent()
    absorb()
    return keep(summaries.news(nowUnixMilliseconds: host.clock.unixMilliseconds))
  }
}

extension Entropy {
  /// Whether one of so many is drawn (server 7.6): of 1 always, of 0 and less never.
  func draws(oneOf ratio: Int64) -> Bool { ratio == 1 || ratio > 1 && below(UInt64(ratio)) == 0 }
}
