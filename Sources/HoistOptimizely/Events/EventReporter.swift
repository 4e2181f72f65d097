internal import CShims
internal import HoistBase
internal import HoistCore

/// Records impressions and conversions and sees to their delivery (OPT-63, OPT-72, OPT-98).
final class EventReporter: ClientPart, @unchecked Sendable {
  private static let pipelineName = "events"

  private let host: any ProviderHost
  private let clock: any Clock
  private let settings: OptimizelySettings
  private let pipeline: EventPipeline
  private let snapshots = ServedSnapshots()
  /// Whether the host's program is there; the scheduler thread's.
  private var isForeground = true

  init(host: any ProviderHost, settings: OptimizelySettings, notifications: NotificationCenter) {
    self.host = host
    clock = host.clock
    self.settings = settings
    var options = EventPipeline.Options(name: Self.pipelineName)
    options.durability = settings.events.durability
    options.maximumRows = settings.events.capacity
    options.flushIntervalMilliseconds = settings.events.intervalMilliseconds
    options.flushAtRows = settings.events.batchSize
    options.maximumInFlight = 8
    options.pace = RegularPace(interval: 0, limit: settings.longestRetryMilliseconds, base: 200, jitter: 0)
    pipeline = EventPipeline(
      options,
      policy: OptimizelyEventPolicy(settings: settings, notifications: notifications, host: host, snapshots: snapshots),
      host: host)
  }

  /// The unique stamp of the next event. Any thread.
  var stamp: EventStamp {
    EventStamp(unixMilliseconds: clock.unixMilliseconds, uuid: UUIDv4(from: host.entropy).text)
  }

  /// Any thread.
  /// - Returns: `.limit` when there is no room for one of them.
  @discardableResult
  func record(_ events: [UserEvent]) -> Status {
    var status = Status.ok
    for event in events {
      let outcome = RecordedEvent.withRow(of: event, url: settings.events.address(for: event.region)) {
        pipeline.record($0, unixMilliseconds: clock.unixMilliseconds, waits: event.isTracked ? .forCommit : .never)
      }
      if outcome.status != .ok, status != .limit { status = outcome.status }
    }
    return status
  }

  /// Records an impression without encoding it on this thread. Any thread.
  /// - Parameter context: held by the caller.
  /// - Returns: false, with nothing recorded, where it has to be encoded at once.
  func keep(_ impression: Impression, snapshot: Snapshot, context: FrozenContext?) -> Bool {
    let tail = context?.bytes ?? .noBytes
    guard impression.predictionUUID == nil, tail.count <= QueuedImpression.maximumContextBytes else { return false }
    let section = shim_enter()
    defer { shim_leave(section) }
    guard snapshots.isServed(snapshot) else { return false }
    let now = clock.recentUnixMilliseconds
    let kept = QueuedImpression(impression, snapshot: snapshot, context: context, unixMilliseconds: now)
    withUnsafeBytes(of: kept) { kept in
      _ = pipeline.record(kept, tail: tail, unixMilliseconds: now, waits: .never)
    }
    return true
  }

  /// `trackEvent` through the core (OPT-63): properties are tags, the value is the tag `value`. Not written out on this
  /// thread, as impressions. Any thread.
  /// - Returns: nil, with nothing recorded, where it has to be written out at once.
  func track(_ event: EventView, of subject: EventSubject) -> Status? {
    // A caller that waits for the store needs no fast path, and must not wait in a reading section.
    guard settings.events.durability != .immediate else { return nil }
    let section = shim_enter()
    defer { shim_leave(section) }
    guard let snapshot = subject.snapshot else { return .optimizelySDKNotReady }
    guard let context = subject.frozen, context.targetingKey != nil else { return .optimizelyUserIDInvalid }
    let tail = context.bytes
    guard snapshots.isServed(snapshot), tail.count <= QueuedImpression.maximumContextBytes else { return nil }
    guard let record = OptimizelyFlags.root(snapshot).pointee.events.find(event.key, in: snapshot.base) else {
      return .optimizelyEventKeyInvalid
    }
    let head = MemoryLayout<QueuedConversion>.size
    return event.withPropertiesText(after: head, includingValue: true) { text in
      let kept = QueuedConversion(
        record.assumingMemoryBound(to: EventRecord.self), tagsCount: text.count - head, snapshot: snapshot,
        context: context, unixMilliseconds: event.unixMilliseconds)
      guard text.count >= head else { return nil }
      text.storeBytes(of: kept, as: QueuedConversion.self)
      return pipeline.record(ByteView(text), tail: tail, unixMilliseconds: event.unixMilliseconds, waits: .never).status
    }
  }

  func configurationChanged(_ snapshot: Snapshot) { snapshots.serve(snapshot) { pipeline.drainRecords() } }

  func start() {
    setOnline(host.isOnline)
    // The hold of a parent process is not its child's.
    if !isForeground { pipeline.hold(.notReady) }
    pipeline.start()
  }

  func stop() { pipeline.stop() }

  func setOnline(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }

  /// While the host's program is in the background its events wait; those that are there are sent before (5.6).
  func setForeground(_ isForeground: Bool) {
    self.isForeground = isForeground
    if isForeground { return pipeline.lift(.notReady) }
    // By the time all is sent the program may be in the foreground again.
    pipeline.flush { [weak self] _ in if let self, !self.isForeground { pipeline.hold(.notReady) } }
  }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) { pipeline.flush(completion: completion) }

  var statistics: [(group: String, name: String, value: Int64)] { pipeline.counters.listing(Self.pipelineName) }
}
