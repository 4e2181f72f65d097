internal import CHoist
internal import HoistBase
internal import HoistCore
internal import Synchronization

/// One client of a provider plug-in: what the core asks for becomes calls on the instance's lane, and what the instance
/// asks for is done by the core.
final class HostedProvider: @unchecked Sendable {
  /// The objects of `hoist_provider_host` handles, until `detach`.
  static let handles = HandleTable<HostedProvider>()

  let client: any ProviderHost
  let values: PropertyValues
  let instance: HostedInstance
  let lane: HostedLane
  let operations: HostedOperations
  let pipelines: [HostedPipeline]
  /// Held while flags are compared and replaced.
  private let publishing = Lock()
  private let hasFlags = Atomic(false)
  /// The plug-in has told of its service since the start.
  private let hasHeard = Atomic(false)
  /// Pending replies, by the numbers of their handles.
  private let owed = LockedValue<Set<UInt>>([])
  // The scheduler thread's.
  private var handle: UInt = 0
  private var isStarted = false
  /// The present change of the context; its handle is a number, which may have ended.
  private var identifying: UInt = 0

  var table: hoist_provider { instance.table.members }
  var isOpen: Bool { instance.isOpen.load(ordering: .acquiring) }

  init(_ description: HostedDescription, _ values: PropertyValues, _ client: any ProviderHost) {
    self.client = client
    self.values = values
    let name = description.name
    let instance = HostedInstance(description.table)
    let lane = HostedLane(client) { [weak client] call in
      let message =
        "the provider \"\(name)\" has not returned from a call (\(call)) for 10 seconds; it is called again when it does"
      client?.log.error(message)
      client?.notify(Notification(.error, status: .plugin, message: message))
    }
    self.instance = instance
    self.lane = lane
    operations = HostedOperations(client, lane)
    pipelines = description.pipelines.map { HostedPipeline($0, values, client, instance, lane) }
  }

  /// Makes the instance on the lane; the caller waits for a limited time.
  func create(_ name: String) throws(ConfigurationFailure) {
    let host = Self.handles.give(self)
    handle = UInt(bitPattern: host)
    let refusal = lane.answer { [instance, handle] in Self.create(instance, handle) }
    guard refusal != .some(nil) else { return }
    Self.handles.take(host)
    _ = lane.close(untilNanoseconds: 0)
    let reason = (refusal ?? nil) ?? "it has not returned from create in time"
    throw ConfigurationFailure("", "the provider \"\(name)\" cannot serve: \(reason)")
  }

  /// - Returns: why there is no instance; nil where there is one.
  private static func create(_ instance: HostedInstance, _ handle: UInt) -> String? {
    guard let create = instance.table.members.create, let host = OpaquePointer(bitPattern: handle) else { return "" }
    var made: UnsafeMutableRawPointer?
    var message = [CChar](repeating: 0, count: 512)
    let status = message.withUnsafeMutableBufferPointer { line in
      line.baseAddress.map { create(instance.table.members.user_data, host, &made, $0, line.count) } ?? Status.plugin.rawValue
    }
    guard status != Status.ok.rawValue else {
      instance.adopt(made)
      return nil
    }
    return PluginObject.reason(message, status)
  }

  /// Serves flags from now on; any thread.
  func publish(_ set: FlagSet) throws(Refusal) {
    guard isOpen else { throw Refusal(.state, "the client is closed") }
    if set.isDecidedPerCall, table.evaluate == nil {
      throw Refusal(.argument, "a flag is decided per call, and the provider has no evaluate")
    }
    guard let snapshot = set.compile(for: instance) else {
      throw Refusal(.limit, "the flags are too large in all, or memory has run out")
    }
    publishing.withLock {
      let changed = client.withSnapshot { snapshot.changedHostedFlags(since: $0) }
      client.publish(snapshot, changed: changed)
    }
    hasFlags.store(true, ordering: .releasing)
    client.report(.serving("the provider's flags are served"))
  }

  /// Any thread.
  /// - Returns: false for a state in which there are flags, while there are none.
  func setState(_ state: ClientState, _ message: String) -> Bool {
    let hasFlags = hasFlags.load(ordering: .acquiring)
    switch state {
    case .ready where hasFlags: client.report(.answered(message.isEmpty ? "the provider's flags have come" : message))
    // What is served before there is a word of the service is no failure.
    case .stale where hasFlags && !hasHeard.load(ordering: .acquiring): client.report(.serving(message))
    case .stale where hasFlags, .error: client.report(.failed(.network, message.isEmpty ? "the provider has failed" : message))
    case .fatal: client.report(.stopped(.network, message.isEmpty ? "the provider has given up" : message))
    case .notReady: client.report(.unconfirmed(message))
    case .reconciling where hasFlags: client.awaitContext()
    case .ready, .stale, .reconciling, .closed: return false
    }
    if [.ready, .error, .fatal].contains(state) { hasHeard.store(true, ordering: .releasing) }
    return true
  }

  private func call(_ name: StaticString, _ member: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) {
    guard let member else { return }
    lane.perform(name) { [instance] in member(instance.pointer) }
  }
}

/// The life cycle, on the scheduler's thread.
extension HostedProvider: Provider {
  private var parts: [any ClientPart] { pipelines }

  func start() {
    lane.reopen()
    instance.isOpen.store(true, ordering: .releasing)
    isStarted = true
    hasHeard.store(false, ordering: .releasing)
    parts.startAll()
    if hasFlags.load(ordering: .acquiring) { client.report(.serving("flags of before are served")) }
    client.report(.initialized)
    call("start", table.start)
  }

  func stop() {
    guard isStarted else { return }
    isStarted = false
    operations.cancelAll()
    parts.stopAll()
    call("stop", table.stop)
  }

  func settle(untilNanoseconds deadline: Int64) -> Bool {
    let isSettled = lane.close(untilNanoseconds: deadline)
    instance.isOpen.store(false, ordering: .releasing)
    operations.cancelAll()
    for number in owed.withLock({ $0 }) { HostedReply.complete(OpaquePointer(bitPattern: number), .cancelled) }
    return isSettled
  }

  func setOnline(_ online: Bool) {
    for part in parts { part.setOnline(online) }
    guard let member = table.set_online else { return }
    // As it is when its turn comes.
    lane.perform("set_online") { [instance, client] in member(instance.pointer, client.isOnline) }
  }

  func refresh() { call("refresh", table.refresh) }

  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    HostedReply.complete(OpaquePointer(bitPattern: identifying), .superseded)
    guard let member = table.identify else { return completion(.ok) }
    let reply = owe("identify", completion) { instance, reply in
      BorrowedContext.with(context.frozen.base) { context in if let context { member(instance, context, reply) } }
    }
    identifying = UInt(bitPattern: reply)
  }

  func flush(completion: @escaping @Sendable (FlushResult) -> Void) {
    guard let member = table.flush else { return parts.flushAll(completion) }
    _ = owe("flush") { [self] status in
      parts.flushAll { completion(status == .ok ? $0 : max($0, status == .rejected ? .refused : .left)) }
    } _: { instance, reply in
      member(instance, reply)
    }
  }

  /// Calls a member that completes a reply.
  private func owe(
    _ name: StaticString, _ completion: @escaping @Sendable (Status) -> Void,
    _ member: @escaping @Sendable (UnsafeMutableRawPointer?, OpaquePointer) -> Void
  ) -> OpaquePointer? {
    let reply = HostedReply.begin(client.scheduler) { [owed] number, status in
      owed.withLock { _ = $0.remove(number) }
      completion(status)
    }
    let number = UInt(bitPattern: reply)
    owed.withLock { _ = $0.insert(number) }
    let isTaken = lane.perform(name) { [instance] in
      // It may have ended while it waited.
      guard let reply = OpaquePointer(bitPattern: number), HostedReply.handles.borrow(reply) != nil else { return }
      member(instance.pointer, reply)
    }
    if !isTaken { HostedReply.complete(reply, .plugin) }
    return reply
  }

  func forgetCountsAfterFork() {}

  func abandonAfterFork() {
    operations.abandonAfterFork()
    for part in parts { part.abandonAfterFork() }
    if isStarted { call("forked", table.forked) }
  }

  func detach() {
    stop()
    _ = settle(untilNanoseconds: 0)
    Self.handles.take(OpaquePointer(bitPattern: handle))
  }

  var statistics: [(group: String, name: String, value: Int64)] {
    let wrong = instance.wrongAnswers.load(ordering: .relaxed)
    return parts.flatMap(\.statistics) + lane.statistics + [("provider", "wrong_answers", wrong)]
  }
}
