public import HoistBase
public import HoistCore

/// What a provider's parts are offered, without a client: a scripted network, a clock that stands still, and notes of
/// what they say of themselves.
public final class TestHost: ProviderHost, @unchecked Sendable {
  public let time: ManualScheduler
  public let scheduler: any Scheduler
  public let network: ScriptedTransport
  public let transport: any Transport
  public let log: Log
  public let lines = RecordingLogSink()
  public let store: Store
  public let compiler: DocumentCompiler
  public let entropy: any Entropy
  public var plugins = Plugins()
  public var fetchSharing: FetchSharing?
  /// What the client would make of what is reported.
  public let life: ClientLife
  private let online = Locked(true)
  private let context = Locked<ContextReference?>(nil)
  /// Every state in which the client was to be, in order.
  public let states = Locked<[ClientState]>([])
  /// How often counts were asked for.
  public let drains = Locked(0)
  public let notifications = Locked<[HoistCore.Notification]>([])

  /// - Parameters:
  ///   - manager: nil keeps nothing.
  ///   - seed: two processes on one store draw differently.
  ///   - share: see `SeededEntropy`.
  ///   - scheduler: goes by `time`; nil for that itself.
  ///   - storing: options of the store.
  ///   - around: what is put around the network.
  public init(
    manager: (any CacheManager)? = nil, seed: UInt64 = 7, share: Double? = 0.5, time: ManualScheduler = ManualScheduler(),
    scheduler: (any Scheduler)? = nil, storing: Store.Options = Store.Options(),
    around: (ScriptedTransport) -> any Transport = { $0 }
  ) {
    self.time = time
    self.scheduler = scheduler ?? time
    entropy = SeededEntropy(seed: seed, share: share)
    network = ScriptedTransport(scheduler: self.scheduler)
    transport = around(network)
    life = ClientLife(clock: time, isOnline: true)
    let lines = lines
    log = Log(threshold: .debug, clock: time) { lines.write($0, $1) }
    store = Store(
      manager: manager, log: log, clock: time, scheduler: self.scheduler, entropy: entropy, options: storing)
    compiler = DocumentCompiler(clock: time, scheduler: self.scheduler)
  }

  public var builtInTransport: any Transport { transport }
  public var clock: any Clock { time }
  public var isOnline: Bool {
    get { online.value }
    set {
      online.value = newValue
      _ = life.setOnline(newValue)
    }
  }
  public var currentContext: ContextReference? { context.value }
  public func setCurrentContext(_ context: ContextReference) { self.context.value = context }
  public var regex: (any RegexEngine)? { nil }
  /// What was too costly to evaluate.
  public var excesses: [String] { excessNames.withLock { $0 } }
  private let excessNames = LockedValue<[String]>([])
  public func noteExcess(of name: String) { excessNames.withLock { $0.append(name) } }

  public func publish(_ snapshot: Snapshot, changed: [String]) { snapshot.destroy() }
  public func publish(_ patch: SnapshotPatch, changed: [String]) -> Bool { true }
  public func drainCounts(_ body: (Snapshot, UnsafeRawPointer, UInt32, UInt64) -> Void) { drains.change { $0 += 1 } }
  public func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result { body(nil) }
  public func beginContextChange() { life.beginContextChange() }
  public func takeUpContextChange() { life.takeUpContextChange() }
  public func awaitContext() { tell(life.awaitContext()) }
  public func endContextChange(_ status: Status) { tell(life.endContextChange(status)) }
  public func report(_ report: LifeReport) { tell(life.take(report)) }
  private func tell(_ news: LifeNews) {
    for line in news.lines { log.write(line.level, line.text) }
    for notification in news.notifications { notify(notification) }
    states.change { if $0.last != life.state { $0.append(life.state) } }
  }
  public func notify(_ notification: HoistCore.Notification) { notifications.change { $0.append(notification) } }
  public func dynamicHeaders(
    from provider: (any HeaderProvider)?, for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void
  ) {
    let headers = provider?.headers(for: url) ?? []
    scheduler.post { completion(headers) }
  }
  public func onPluginLane(_ work: @escaping @Sendable () -> Void) { work() }
  public func onDeliveryLane(_ call: @escaping @Sendable () -> Void) { call() }
  public var delivery: any EventSink { plugins.eventSink ?? TransportEventSink(transport) }

  public func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) {
    time.settle(file: file, line: line, until: isDone)
  }

  /// Properties of a client, over the defaults.
  public static func values(_ properties: [String: String] = [:], table: [Property]) throws -> PropertyValues {
    var values = PropertyValues(table: CoreProperties.table + table)
    for (name, value) in properties { try values.set(name, value) }
    return values
  }
}

/// A value that several threads share.
public final class Locked<Value>: @unchecked Sendable {
  private let lock = Lock()
  private var kept: Value
  public init(_ value: Value) { kept = value }
  public var value: Value {
    get { lock.withLock { kept } }
    set { lock.withLock { kept = newValue } }
  }
  public func change(_ body: (inout Value) -> Void) { lock.withLock { body(&kept) } }
}

extension HTTPRequest {
  /// The body as text.
  public var text: String { String(decoding: body ?? [], as: UTF8.self) }
}

public func answer(_ status: Int, _ body: String = "", _ headers: [HTTPHeader] = []) -> ScriptedTransport.Answer {
  .success(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
}

public let noAnswer = ScriptedTransport.Answer.failure(TransportFailure(.unreachable, "unreachable"))

extension ProviderHost {
  /// Reports what leads to a state.
  public func setState(_ state: ClientState, _ message: String) {
    switch state {
    case .ready: report(.answered(message))
    case .stale:
      report(.serving(message))
      report(.failed(.network, message))
    case .error: report(.failed(.network, message))
    case .fatal: report(.stopped(.network, message))
    case .notReady, .reconciling, .closed: break
    }
  }
}
