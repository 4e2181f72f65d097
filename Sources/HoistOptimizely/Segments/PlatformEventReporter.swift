internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Delivers events to the data platform: the host's own, and those that link the ids of one visitor (rows OPT-14,
/// OPT-68, OPT-97; protocols/optimizely.md 3.6, 5.7). On the scheduler's thread, but where it says otherwise.
///
/// Events wait until a datafile has an address; where it names no data platform, they are dropped.
final class PlatformEventReporter: @unchecked Sendable {
  static let pipelineName = "odp"
  private static let capacity = 100
  private static let maximumEventBytes = 64 << 10
  /// The subject of every row: purged when there is no data platform.
  private static let subject = "odp"

  private let host: any ProviderHost
  private let visitorID: VisitorID
  private let sender: PlatformEvent.Sender
  private let manager: ManagerLane?
  private let policy: PlatformEventPolicy
  private let pipeline: EventPipeline
  private let integration = LockedValue(PlatformIntegration.notDetermined)
  /// Events on their way to the former address go there first.
  private var isChanging = false

  init(
    host: any ProviderHost, settings: PlatformSettings, client: EventClient, visitorID: VisitorID, manager: ManagerLane?
  ) {
    self.host = host
    self.visitorID = visitorID
    self.manager = manager
    sender = .current(client)
    policy = PlatformEventPolicy(host: host, settings: settings)
    var options = EventPipeline.Options(name: Self.pipelineName)
    options.maximumRows = Self.capacity
    options.maximumRowBytes = Self.maximumEventBytes
    options.flushIntervalMilliseconds = 0
    options.durability = settings.durability
    options.pace = RegularPace(interval: 0, limit: settings.longestRetryMilliseconds, base: 200, jitter: 0)
    pipeline = EventPipeline(options, policy: policy, host: host)
  }

  /// The content of an event.
  struct Content {
    var identifiers: [(name: String, value: String)] = []
    var data: [(name: String, value: PlatformEvent.Value)] = []
  }

  /// `sendOdpEvent`, with its checks in the service's order. Any thread.
  /// - Parameter content: asked when it is its turn to be checked.
  func send(type: String?, action: String, content: () throws(PlatformFailure) -> Content) throws(PlatformFailure) {
    if manager == nil, current == .absent { throw .notIntegrated }
    var content = try content()
    let hasVUID = content.identifiers.contains { $0.name.utf8.elementsEqual("vuid".utf8) }
    if !hasVUID, let vuid = visitorID.current { content.identifiers.append(("vuid", vuid)) }
    try take(type, action, content)
  }

  /// Reports that the user id and this installation's visitor id are one person's, when a user context is made. Any
  /// thread.
  func identify(_ userID: [UInt8]) {
    guard visitorID.isEnabled, !userID.isEmpty, !VUID.isOne(userID) else { return }
    visitorID.whenKnown { [weak self] vuid in
      self?.tell("identified", [("vuid", vuid), ("fs_user_id", String(decoding: userID, as: UTF8.self))])
    }
  }

  /// The client has begun to work, for this installation's visitor.
  func announceClient() {
    visitorID.whenKnown { [weak self] in self?.tell("client_initialized", [("vuid", $0)]) }
  }

  private func tell(_ action: String, _ identifiers: [(name: String, value: String)]) {
    if manager == nil, current == .absent { return }
    do throws(PlatformFailure) {
      try take(nil, action, Content(identifiers: identifiers))
    } catch {
      host.log.debug(error.message)
    }
  }

  private func take(_ type: String?, _ action: String, _ content: Content) throws(PlatformFailure) {
    guard !action.isEmpty else { throw .invalidAction }
    if let manager {
      let isTaken = manager.send(
        type: type.flatMap { $0.isEmpty ? nil : $0 } ?? PlatformEvent.standardType, action: action,
        identifiers: PlatformEvent.identifiersJSON(content.identifiers), data: PlatformEvent.dataJSON(content.data))
      guard isTaken else { throw .eventFailed("the ODP manager takes no more now") }
      return
    }
    let event: PlatformEvent
    do throws(PlatformEvent.Refusal) {
      event = try PlatformEvent(
        type: type, action: action, identifiers: content.identifiers, data: content.data, sender: sender,
        idempotenceID: UUIDv4(from: host.entropy).text)
    } catch {
      throw .invalidAction
    }
    let outcome = pipeline.record(event.json, subject: Self.subject, unixMilliseconds: host.clock.unixMilliseconds)
    if outcome == .dropped { throw .eventFailed("the queue is full, or the event too large") }
  }

  private var current: PlatformIntegration { integration.withLock { $0 } }

  /// A datafile is served. Waiting events go to the former address first. On the scheduler's thread, or while the client is made.
  func follow(_ new: PlatformIntegration) {
    integration.withLock { $0 = new }
    guard !isChanging else { return }
    guard let former = policy.address, former != new.address else { return adopt() }
    isChanging = true
    pipeline.flush { [weak self] _ in
      guard let self else { return }
      isChanging = false
      adopt()
    }
  }

  private func adopt() {
    policy.address = current.address
    switch current {
    case .notDetermined: break
    case .present: pipeline.lift(.notReady)
    case .absent:
      pipeline.hold(.notReady)
      pipeline.purge(subject: Self.subject)
    }
  }

  func start() {
    host.scheduler.assertCurrent()
    if policy.address == nil { pipeline.hold(.notReady) }
    setOnline(host.isOnline)
    // After the holds, which take effect in turn.
    host.scheduler.post { [pipeline] in pipeline.start() }
  }

  func setOnline(_ online: Bool) {
    host.scheduler.assertCurrent()
    if online { pipeline.lift(.offline) } else { pipeline.hold(.offline) }
  }

  /// What is recorded stays recorded.
  func stop() { pipeline.stop() }

  /// What was being sent is the parent's; the pipeline notices by itself.
  func abandonAfterFork() { isChanging = false }

  func flush(completion: @escaping @Sendable (FlushResult) -> Void) { pipeline.flush(completion: completion) }

  /// Any thread.
  var counters: EventPipeline.Counters { pipeline.counters }
}
