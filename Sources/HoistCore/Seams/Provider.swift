public import HoistBase

/// The state of a client; the numbers of `hoist_client_state`.
public enum ClientState: Int32, Sendable {
  case notReady = 0
  case ready, stale, error, fatal, reconciling, closed
}

/// A value the host tracks.
public struct TrackedEvent: Sendable {
  public var key: String
  public var context: ContextReference?
  public var value: Double?
  public var properties: [(name: String, value: AttributeValue)]
  public var unixMilliseconds: Int64

  public init(
    key: String, context: ContextReference?, value: Double?, properties: [(name: String, value: AttributeValue)],
    unixMilliseconds: Int64
  ) {
    self.key = key
    self.context = context
    self.value = value
    self.properties = properties
    self.unixMilliseconds = unixMilliseconds
  }
}

/// One service's life cycle: how its flags are obtained, kept fresh, and what is sent back.
///
/// All calls come on the scheduler's thread, one at a time, unless said otherwise; none may block or call
/// host code. It holds its host until `detach`.
public protocol Provider: AnyObject {
  /// Whether the provider sets the current context itself, in one step with the flags that belong to it. Otherwise
  /// `identify` finds it set. Fixed for the provider's life.
  var ownsCurrentContext: Bool { get }
  /// Whether `beginIdentify` and `identify` are called for a context that equals the current one too: to record that it was
  /// given, or to tell hooks of it. Nothing is fetched for it. Fixed for the provider's life.
  var hearsOfEqualContexts: Bool { get }
  /// Leads the provider's parts through the client's life.
  var life: PartLife { get }
  /// The service's own hooks, which run after the host's. Fixed for the provider's life.
  var evaluationHooks: [any EvaluationHook] { get }
  /// Whether a context that the host identifies with is the current one already, where not every difference counts.
  func isSame(_ context: FrozenContext, as current: FrozenContext) -> Bool
  /// The client is opened, for the first time or again: on the caller's thread, before `start` is asked for.
  func opens()
  /// Reads bootstrap and store, and begins to fetch when online.
  func start()
  /// Ends timers and requests. What is recorded stays recorded; `start` may follow.
  func stop()
  func setOnline(_ online: Bool)
  /// Fetches now.
  func refresh()
  /// A change of the context begins, on the caller's thread, before anything is done for it.
  /// - Parameter timeoutMilliseconds: how long the caller waits; negative for no limit.
  /// - Returns: a function to call at its end, once, on the delivery lane or inside the call that closes the client;
  ///   nil for none.
  func beginIdentify(_ context: ContextReference, timeoutMilliseconds: Int64) -> (@Sendable (Status) -> Void)?
  /// The client's current context has changed, or is to change: see `ownsCurrentContext`. `completion` runs once, on
  /// the scheduler's thread. In a group every environment's provider is asked, one after the other in one piece of work.
  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void)
  /// Sends what is recorded. `completion` runs once.
  func flush(completion: @escaping @Sendable (FlushResult) -> Void)
  /// The process was forked: what was counted is the parent's to send. On the thread of the first call in the
  /// child, before that call counts anything; nothing else of this client's runs yet.
  func forgetCountsAfterFork()
  /// The process was forked: what was in flight belongs to the parent. `start` follows.
  func abandonAfterFork()
  /// The client is being freed: stops, and lets go of the host. The last call on this thread. Others may still be in a
  /// reading section that found the client before.
  func detach()
  /// The client closes, and `stop` has run or is under way: waits for running host calls, until the deadline at most,
  /// and prevents further ones before `start`. On the closing thread.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: whether nothing was left.
  func settle(untilNanoseconds deadline: Int64) -> Bool

  // Called on evaluating threads; must be quick, take no lock that is held during work, and not trap.

  /// An evaluation of a flag that the snapshot does not have, or before there was one.
  /// - Parameters:
  ///   - fallback: what the caller gets in its place; nil for null, and where the caller named none.
  ///   - context: of the call, else the client's own; nil for none. Valid for the call.
  func countUnknown(_ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?)
  /// The notification for observers of impressions; nil for none.
  func impression(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?)
    -> Notification?
  /// An evaluation with the effect `.record`; its `fallback` is set.
  func record(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?)
  /// What the service says of a flag beyond its value, as a JSON object.
  func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8]
  /// Evaluates with every step written down, as JSON; counts nothing. `evaluation` holds the question.
  func explain(_ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?) -> [UInt8]
  /// Ends a registration in the service's own words; any thread.
  /// - Returns: false for a token that is not in use.
  func unobserve(_ token: UInt64) -> Bool
  /// Whether flags and events may be those of a context of one call; false for others than the current one where the
  /// service evaluates. Inside a reading section.
  func accepts(_ context: FrozenContext, current: FrozenContext?, in snapshot: Snapshot?) -> Bool
  /// Records an event of the host; any thread.
  func track(_ event: TrackedEvent) -> Status
  /// The same for an event in the host's memory. By default it is copied and given to the other function.
  /// - Parameter subject: the subject of the event, for a provider that needs it.
  func track(_ event: EventView, of subject: EventSubject) -> Status
  /// Counters of the provider's own by group and name; any thread.
  var statistics: [(group: String, name: String, value: Int64)] { get }
}

extension Provider {
  public var ownsCurrentContext: Bool { false }
  public var hearsOfEqualContexts: Bool { ownsCurrentContext }
  public func isSame(_ context: FrozenContext, as current: FrozenContext) -> Bool { context.fingerprint == current.fingerprint }
  public func accepts(_ context: FrozenContext, current: FrozenContext?, in snapshot: Snapshot?) -> Bool { true }
  public var evaluationHooks: [any EvaluationHook] { [] }
  public func unobserve(_ token: UInt64) -> Bool { false }
  public func beginIdentify(_ context: ContextReference, timeoutMilliseconds: Int64) -> (@Sendable (Status) -> Void)? { nil }
  public func settle(untilNanoseconds deadline: Int64) -> Bool { true }
  public func forgetCountsAfterFork() {}
  public var life: PartLife { PartLife([]) }
  public func opens() {}
  public func start() { life.open() }
  public func stop() { life.stop() }
  public func setOnline(_ online: Bool) { life.setOnline(online) }
  public func refresh() { life.refresh() }
  public func flush(completion: @escaping @Sendable (FlushResult) -> Void) { life.flush(completion) }
  public func abandonAfterFork() { life.abandonAfterFork() }
  public var statistics: [(group: String, name: String, value: Int64)] { life.statistics }
}

/// A provider whose flags the host may keep in its own store, which every read asks first.
public protocol ExternalFlags: Provider {
  /// Whether there is such a store; fixed for the provider's life.
  var hasExternalFlags: Bool { get }
  /// The flag of that name as a snapshot of its own, owned by the caller; nil when the store has none. Any thread.
  func external(_ key: ByteView) -> Snapshot?
  /// Takes the counts of such a snapshot and frees it.
  func finish(external snapshot: Snapshot)
}

/// A provider whose host keeps what is known of people in a service of its own, which is asked before an evaluation.
public protocol RecallingProvider: Provider {
  /// Whether there is such a service; fixed for the provider's life.
  var asksHost: Bool { get }
  /// Asks it about a context's subject: host code, on the evaluating thread, outside reading sections.
  func recall(_ context: ContextReference) -> any RecalledSubject
}

/// What the host knows of one context's subject. Thread-safe.
public protocol RecalledSubject: AnyObject, Sendable {
  var context: ContextReference { get }
  /// What becomes `Evaluation.subject`; valid as long as this object.
  var state: UnsafeRawPointer { get }
  /// An evaluation has ended: hands the host what it has left to be kept. Host code, outside reading sections.
  func settle()
}

/// Makes a service's provider.
public protocol ProviderFactory: Sendable {
  /// What hosts call the service, e.g. "unleash".
  var name: String { get }
  /// The service's own properties, beside the core's.
  var properties: [Property] { get }
  /// Checks the values as a whole and builds a provider that has not started.
  func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider
  /// How the service is used, for the log; "" where there is one way only.
  func mode(_ values: PropertyValues) -> String
  /// What identifies the store of these values: clients with the same text share one file.
  func storeIdentity(_ values: PropertyValues) -> String
  /// The same where plug-ins have a say in it. By default they have none.
  func storeIdentity(_ values: PropertyValues, _ plugins: Plugins) -> String
  /// Further environments that live one life with a client of these values: each is a client of its own, with its own
  /// provider, flags, observers and events, while store, network and lanes are shared. What opens, closes, flushes,
  /// identifies or switches one of them online or offline does so to all. By default there are none.
  func environments(_ values: PropertyValues) -> [(name: String, values: PropertyValues)]
  /// Whether what clients of these values fetch is one document for all of them: property `fetch.shared`. By default it is not.
  func sharesFetches(_ values: PropertyValues) -> Bool
  /// Which levels are logged. By default those up to `log.level`.
  func logLevels(_ values: PropertyValues) -> LogLevels
}

extension ProviderFactory {
  public func storeIdentity(_ values: PropertyValues, _ plugins: Plugins) -> String { storeIdentity(values) }
  public func sharesFetches(_ values: PropertyValues) -> Bool { false }
  public func environments(_ values: PropertyValues) -> [(name: String, values: PropertyValues)] { [] }
  public func mode(_ values: PropertyValues) -> String { "" }
  public func logLevels(_ values: PropertyValues) -> LogLevels { .upTo(LogLevel(name: values.text("log.level"))) }
}

/// What a client offers its provider. Thread-safe.
public protocol ProviderHost: AnyObject, Sendable {
  var scheduler: any Scheduler { get }
  var transport: any Transport { get }
  /// The network, also where the host brings a transport of its own.
  var builtInTransport: any Transport { get }
  var clock: any Clock { get }
  var log: Log { get }
  var plugins: Plugins { get }
  var store: Store { get }
  /// A store over a manager of the provider's own, which closes and works again with the client's.
  func store(over manager: any CacheManager) -> Store
  /// Compiles what is served.
  var compiler: DocumentCompiler { get }
  /// How the processes over the store share what is fetched; nil where each fetches for itself.
  var fetchSharing: FetchSharing? { get }
  var isOnline: Bool { get }
  /// The client's current context.
  var currentContext: ContextReference? { get }
  /// Evaluations see it at once.
  func setCurrentContext(_ context: ContextReference)
  var entropy: any Entropy { get }
  /// The name of this environment in the client's group; "" for the first.
  var environment: String { get }
  /// The client itself, for handles of the provider's own; nil when it is gone.
  var client: Client? { get }
  /// The providers of the client's group, this one's included, the first environment's first; on the scheduler's
  /// thread. Empty when the client is gone.
  var providersOfGroup: [any Provider] { get }
  /// Compiles the expressions of rules; nil when the library was built without.
  var regex: (any RegexEngine)? { get }

  /// Serves a new snapshot from now on and frees the old one when it has no reader any more; the counters of the old
  /// one are handed to `drain` before. The client announces the change.
  /// - Parameter changed: keys that are new, gone or different.
  func publish(_ snapshot: Snapshot, changed: [String])
  /// Counts an evaluation that cost more than it may; the first of a name is warned of.
  /// - Parameter name: of what was evaluated, for people.
  func noteExcess(of name: String)
  /// The same for flags of the snapshot that is served, which keep their names, with the cost of those flags alone where
  /// there is but one and no view has pinned the snapshot.
  /// - Returns: false when memory has run out; nothing has changed then.
  func publish(_ patch: SnapshotPatch, changed: [String]) -> Bool
  /// Hands every count since the last call to `body`, of the current and of retired snapshots.
  func drainCounts(_ body: (_ snapshot: Snapshot, _ record: UnsafeRawPointer, _ cell: UInt32, _ count: UInt64) -> Void)
  /// Runs `body` while the current snapshot is kept alive.
  func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result
  /// The same for who reads several flags on another thread than the scheduler's: none of them changes meanwhile.
  func withPinnedSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result
  /// Reports a fact about the provider's flags or service; its consequences are logged and announced to observers.
  func report(_ report: LifeReport)
  /// A change of the current context begins, on the caller's thread; is taken up, on the scheduler's; waits for the service;
  /// or ends. The client does this around `Provider.identify`. Changes may overlap.
  func beginContextChange()
  func takeUpContextChange()
  func awaitContext()
  /// - Parameter status: `.ok` when the flags of the new context are served.
  func endContextChange(_ status: Status)
  func notify(_ notification: Notification)
  /// Asks a header provider of the host's, if there is one; `completion` runs on the scheduler's thread.
  func dynamicHeaders(
    from provider: (any HeaderProvider)?, for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void)
  /// Runs work that may call the host, e.g. the host's own store; never on the scheduler's thread.
  func onPluginLane(_ work: @escaping @Sendable () -> Void)
  /// Calls an observer of a kind that the core does not know: in order, on the delivery lane or in manual dispatch, and
  /// not after the client has closed.
  func onDeliveryLane(_ call: @escaping @Sendable () -> Void)
  /// Delivers prepared events: over the network, or through the host's dispatcher.
  var delivery: any EventSink { get }
  /// A pipeline of the provider's is made: what other processes have recorded for its like may be forwarded.
  func note(_ pipeline: EventPipeline)
}

extension ProviderHost {
  public var fetchSharing: FetchSharing? { nil }
  public func note(_ pipeline: EventPipeline) {}
  /// As `noteExcess(of:)`, of a flag.
  public func noteExcess(ofFlag key: ByteView) { noteExcess(of: "flag \"\(String(decoding: key, as: UTF8.self))\"") }

  public func withPinnedSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result { withSnapshot(body) }
  public var environment: String { "" }
  public var client: Client? { nil }
  public var providersOfGroup: [any Provider] { [] }
  public func store(over manager: any CacheManager) -> Store {
    Store(manager: manager, log: log, clock: clock, scheduler: scheduler, entropy: entropy)
  }

  /// Asks the client's header provider.
  public func dynamicHeaders(for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void) {
    dynamicHeaders(from: plugins.headerProvider, for: url, completion: completion)
  }
}
