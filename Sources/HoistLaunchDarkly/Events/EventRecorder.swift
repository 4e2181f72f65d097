internal import CShims
internal import HoistBase
internal import HoistCore

/// Records what is sent back, and sees to its delivery (4.4; LD-40 to LD-44, LD-82, LD-83, LD-87, LD-90).
///
/// What evaluating threads and the host's calls use takes no lock that is held during work; the rest is the scheduler's.
final class EventRecorder: @unchecked Sendable {
  struct Options: Sendable {
    /// What the store knows the rows of this environment by.
    var pipeline = "events"
    var capacity = 100
    /// Kept at most; nil for what a few payloads have.
    var mostRows: Int?
    /// A payload that has failed twice is dropped, as the vendor's clients do.
    var dropsAfterRetry = false
    var longestRetryMilliseconds: Int64 = 300_000
    var durability = EventPipeline.Durability.periodic
    /// False: nothing is recorded.
    var isEnabled = true
    var summarizesPerContext = false
    var redaction = Redaction()
    var policy: LaunchDarklyEventPolicy.Options
  }

  /// Room for rows on their way and those of earlier runs, beside the capacity.
  private static let spareRows = 10_000
  private static let maximumRowBytes = 4 << 20
  private static let payloadsAtOnce = 3

  let host: any ProviderHost
  let options: Options
  let policy: LaunchDarklyEventPolicy
  let pipeline: EventPipeline
  let summaries: SummaryAccumulator
  let capacity: EventCapacity
  let serverTime = ServerTime()
  let context = Published<EventContext>(nil)
  /// Used before there is a context.
  let first = FirstContext()
  let checkpoints: Checkpoints
  private let cells: any CountedFlags

  /// - Parameter cells: nil for those of the flags that the client serves.
  init(host: any ProviderHost, options: Options, headers: any HeaderSource, cells: (any CountedFlags)? = nil) {
    self.host = host
    self.cells = cells ?? ServedCells(host)
    self.options = options
    capacity = EventCapacity(options.capacity)
    summaries = SummaryAccumulator(
      isPerContext: options.summarizesPerContext, startUnixMilliseconds: host.clock.unixMilliseconds)
    policy = LaunchDarklyEventPolicy(
      options: options.policy, headers: headers, capacity: capacity, serverTime: serverTime, clock: host.clock)
    var pipe = EventPipeline.Options(name: options.pipeline)
    pipe.durability = options.durability
    pipe.maximumRows = options.mostRows ?? options.capacity * 2 + Self.spareRows
    pipe.maximumRowBytes = Self.maximumRowBytes
    pipe.flushIntervalMilliseconds = max(1, options.policy.flushMilliseconds)
    pipe.flushTiming = .sinceStart
    pipe.flushesWhenEmpty = true
    // A payload that waits for its second try does not hold up the next.
    pipe.maximumInFlight = Self.payloadsAtOnce
    pipe.pace = RegularPace(interval: 0, limit: options.longestRetryMilliseconds, base: 1_000, jitter: 0)
    pipe.maximumAttempts = options.dropsAfterRetry ? 2 : nil
    pipe.keepsBatches = true
    pipeline = EventPipeline(pipe, policy: policy, host: host)
    checkpoints = Checkpoints(scheduler: host.scheduler)
    pipeline.hold(.offline)
    policy.recorder = self
    checkpoints.keeper = self
  }

  // MARK: Recording, any thread

  /// The context of all events from now on, which is an event itself (4.4.1).
  func identify(_ context: EventContext) {
    // What was counted so far was counted for the former one.
    if options.isEnabled { absorb() }
    self.context.replace(context)
    guard options.isEnabled else { return }
    // Flags that stay are noted for this one, too.
    cells.beginPeriod()
    addIdentify(of: context)
  }

  /// Its event, and those that have waited for it, are recorded before any other event of it.
  private func announce(_ context: EventContext, _ early: [EarlyEvent] = []) {
    addIdentify(of: context)
    for event in early {
      event.key.withBytes { key in
        func add(_ data: ByteView?) {
          _ = addCustom(
            key, data: data, metric: event.metric, of: context, at: event.unixMilliseconds, waits: .never)
        }
        if let data = event.data { data.withBytes { add($0) } } else { add(nil) }
      }
    }
    self.context.replace(context)
  }

  /// The start or an identify has set the context (4.4.1).
  func identified(_ context: LDContext) {
    let own = describe(context)
    if !first.arrives(context, { announce(own, $0) }) { identify(own) }
  }

  /// What all events say of a context.
  func describe(_ context: LDContext) -> EventContext { EventContext(context, options.redaction) }

  /// The start has found that there is no context.
  func hasNoContext() {
    for _ in 0..<first.fails() { capacity.refuse() }
  }

  private func addIdentify(of context: EventContext) {
    let now = host.clock.unixMilliseconds
    EventText.identify(context, at: now) { _ = add($0, at: now) }
  }

  /// An event of the host's (4.4.4).
  /// - Parameters:
  ///   - key: valid UTF-8.
  ///   - data: JSON text; nil for none.
  /// - Returns: `.limit` when there is no room.
  func track(_ key: ByteView, data: ByteView?, metric: Double?, at unixMilliseconds: Int64? = nil) -> Status {
    guard options.isEnabled else { return .ok }
    let reading = shim_enter()
    defer { shim_leave(reading) }
    if context.current == nil { first.announce { announce(describe($0)) } }
    if context.current == nil, let status = keepEarly(key, data, metric, unixMilliseconds) { return status }
    guard let context = context.current else { return .state }
    return context._withUnsafeGuaranteedRef { context in
      let now = unixMilliseconds ?? host.clock.unixMilliseconds
      return addCustom(key, data: data, metric: metric, of: context, at: now, waits: .forCommit)
    }
  }

  private func addCustom(
    _ key: ByteView, data: ByteView?, metric: Double?, of context: EventContext, at unixMilliseconds: Int64,
    waits wait: EventPipeline.Wait
  ) -> Status {
    guard capacity.take() else { return .limit }
    return EventText.custom(key, data: data, metric: metric, context, at: unixMilliseconds) {
      record($0, at: unixMilliseconds, waits: wait)
    }
  }

  /// The identify event takes a place, too.
  /// - Returns: nil when no context is awaited, or it has come.
  private func keepEarly(_ key: ByteView, _ data: ByteView?, _ metric: Double?, _ unixMilliseconds: Int64?) -> Status? {
    let isKept = first.keep(most: options.capacity - 1) {
      EarlyEvent(
        key: Array(key), data: data.map { Array($0) }, metric: metric,
        unixMilliseconds: unixMilliseconds ?? host.clock.unixMilliseconds)
    }
    if isKept == false { capacity.refuse() }
    return isKept.map { $0 ? options.durability == .immediate ? .unsaved : .ok : .limit }
  }

  /// An evaluation that is more than a count: the first of its flag in a period, one of a flag with events of its own, or
  /// with prerequisites.
  /// - Parameters:
  ///   - owner: the context of the evaluation; nil for the current one.
  ///   - isFirst: the flag's first evaluation in this period; `noted` runs when it is recorded.
  ///   - find: the stored flag of a key.
  func evaluated(
    _ use: FlagUse, owner: EventContext? = nil, isFirst: Bool, noted: () -> Void, find: (ByteView) -> FlagFacts?
  ) {
    guard options.isEnabled else { return }
    if let owner { return evaluated(use, of: owner, isFirst: isFirst, noted: noted, find: find) }
    let reading = shim_enter()
    defer { shim_leave(reading) }
    context.current?._withUnsafeGuaranteedRef { context in
      evaluated(use, of: context, isFirst: isFirst, noted: noted, find: find)
    }
  }

  private func evaluated(
    _ use: FlagUse, of context: EventContext, isFirst: Bool, noted: () -> Void, find: (ByteView) -> FlagFacts?
  ) {
    guard let flag = use.flag else { return }
    if !flag.prerequisites.isEmpty {
      PrerequisiteWalk.each(of: flag, find: find) { key, flag in
        let own = FlagUse(
          key: key, flag: flag, result: flag?.value ?? Self.null, fallback: nil, isDetailed: use.isDetailed)
        summaries.count(own, context)
        recordEvents(of: own, context)
      }
    }
    if isFirst { summaries.note(use, context, then: noted) }
    recordEvents(of: use, context)
  }

  /// An evaluation of a flag that is not stored.
  /// - Parameter fallback: JSON text; nil for null.
  func countUnknown(_ key: ByteView, fallback: ByteView?) {
    guard options.isEnabled else { return }
    let reading = shim_enter()
    defer { shim_leave(reading) }
    let use = FlagUse(key: key, flag: nil, result: fallback ?? Self.null, fallback: fallback, isDetailed: false)
    // It is missing among the flags that are served, so it is of their context.
    if let owner = host.withSnapshot({ $0?.owner }) { return summaries.count(use, owner) }
    context.current?._withUnsafeGuaranteedRef { summaries.count(use, $0) }
  }

  func countUnknown(_ key: ByteView, _ fallback: EvaluationFallback?) {
    guard let json = fallback?.json else { return countUnknown(key, fallback: nil) }
    json.withBytes { countUnknown(key, fallback: $0) }
  }

  private static let nullText: StaticString = "null"
  private static var null: ByteView { nullText.withBytes { $0 } }

  /// Feature, then debug.
  private func recordEvents(of use: FlagUse, _ context: EventContext) {
    guard let flag = use.flag, flag.isTracked || flag.debuggedUntil > 0 else { return }
    let now = host.clock.unixMilliseconds
    if flag.isTracked { EventText.evaluation(.feature, use, context, at: now) { _ = add($0, at: now) } }
    if serverTime.isBefore(flag.debuggedUntil, nowUnixMilliseconds: now) {
      EventText.evaluation(.debug, use, context, at: now) { _ = add($0, at: now) }
    }
  }

  private func add(_ event: ByteView, at unixMilliseconds: Int64) -> Status {
    capacity.take() ? record(event, at: unixMilliseconds, waits: .never) : .limit
  }

  private func record(_ event: ByteView, at unixMilliseconds: Int64, waits wait: EventPipeline.Wait) -> Status {
    let outcome = pipeline.record(event, unixMilliseconds: unixMilliseconds, waits: wait)
    if outcome == .dropped { capacity.giveBack(1) }
    return outcome.status
  }

  // MARK: Summaries, on the scheduler's thread

  private func absorb() {
    host.scheduler.assertCurrent()
    let current = context.held
    cells.drain { key, identity, times, owner in
      if let context = owner ?? current { summaries.count(key, identity, times: times, context) }
    }
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
}

extension EventRecorder: CheckpointKeeper {
  func keep() -> Int {
    host.scheduler.assertCurrent()
    absorb()
    return keep(summaries.news(nowUnixMilliseconds: host.clock.unixMilliseconds))
  }
}
