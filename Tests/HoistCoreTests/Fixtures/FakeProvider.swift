import HoistBase
@testable import HoistCore

/// A service that does what the test says, and writes down what the client asked of it.
final class FakeProvider: Provider, @unchecked Sendable {
  typealias Tell = @Sendable (Status) -> Void

  private let lock = Lock()
  private var callList: [String] = []
  private var held: [Tell] = []
  private var flushStatus: Status? = .ok
  private var identifyStatus: Status? = .ok
  private var waitingEvents: Int64 = 0
  private var hostObject: (any ProviderHost)?
  private var startWork: (@Sendable (FakeProvider) -> Void)?
  private var trackWork: (@Sendable () -> Void)?
  private var isOnlyCurrent = false
  private var recordedKeys: [String] = []
  private var fallbackTexts: [String] = []
  private var unknownKeys: [String] = []
  let unknown = CountTable(columns: 1)
  let ownsCurrentContext: Bool

  init(_ host: any ProviderHost, ownsCurrentContext: Bool = false) {
    hostObject = host
    self.ownsCurrentContext = ownsCurrentContext
  }

  // MARK: The test's side

  var host: (any ProviderHost)? { lock.withLock { hostObject } }
  /// What the client asked, in order.
  var calls: [String] { lock.withLock { callList } }
  func forgetCalls() { lock.withLock { callList = [] } }
  /// What `flush` is answered with; nil holds the answer back.
  func setFlush(_ status: Status?) { lock.withLock { flushStatus = status } }
  /// How many events the statistics say are left.
  func setWaiting(_ count: Int64) { lock.withLock { waitingEvents = count } }
  func setIdentify(_ status: Status?) { lock.withLock { identifyStatus = status } }
  func setStart(_ work: @escaping @Sendable (FakeProvider) -> Void) { lock.withLock { startWork = work } }
  /// What happens while an event is tracked.
  func setTrack(_ work: @escaping @Sendable () -> Void) { lock.withLock { trackWork = work } }
  /// Gives the answers that were held back.
  func answerHeld(_ status: Status) {
    let tells = lock.withLock {
      defer { held = [] }
      return held
    }
    for tell in tells { tell(status) }
  }
  var heldCount: Int { lock.withLock { held.count } }
  var recorded: [String] { lock.withLock { recordedKeys } }
  /// What callers would have got, of recorded evaluations and of unknown flags.
  var fallbacks: [String] { lock.withLock { fallbackTexts } }
  /// Of the contexts that unknown flags were asked for with; "" for none.
  var unknownSubjects: [String] { lock.withLock { unknownKeys } }

  /// What the client counted since the last call, by flag and cell.
  func counts() -> [String: UInt64] {
    var totals: [String: UInt64] = [:]
    host?.drainCounts { snapshot, record, cell, count in
      totals["\(snapshot.text(of: record))/\(cell)", default: 0] += count
    }
    return totals
  }
  func unknownCounts() -> [String: UInt64] {
    Dictionary(uniqueKeysWithValues: unknown.take().map { (UTF8Text.repaired($0.name), $0.counts[0]) })
  }

  // MARK: The client's side

  private func note(_ call: String) { lock.withLock { callList.append(call) } }

  func start() {
    note("start")
    lock.withLock { startWork }?(self)
  }
  func stop() { note("stop") }
  func setOnline(_ online: Bool) { note("online \(online)") }
  func refresh() { note("refresh") }

  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    note("identify \(context.frozen.targetingKey.map { UTF8Text.repaired($0) } ?? "nobody")")
    answer(lock.withLock { identifyStatus }, completion)
  }

  func flush(completion: @escaping @Sendable (FlushResult) -> Void) {
    note("flush")
    answer(lock.withLock { flushStatus }) { completion($0 == .ok ? .accepted : $0 == .rejected ? .refused : .left) }
  }

  private func answer(_ status: Status?, _ completion: @escaping Tell) {
    if let status { completion(status) } else { lock.withLock { held.append(completion) } }
  }

  func forgetCountsAfterFork() {}
  func abandonAfterFork() { note("abandon") }

  func detach() {
    note("detach")
    lock.withLock { hostObject = nil }
  }

  func countUnknown(_ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?) {
    unknown.add(key, column: 0)
    lock.withLock { unknownKeys.append(context?.targetingKey.map { UTF8Text.repaired($0) } ?? "") }
    note(fallback, isDetailed: false)
  }

  private func note(_ fallback: UnsafePointer<EvaluationFallback>?, isDetailed: Bool) {
    let text = fallback.map {
      "\($0.pointee.kind) \($0.pointee.integer) \($0.pointee.number) \(UTF8Text.repaired($0.pointee.text))"
    }
    lock.withLock { fallbackTexts.append((text ?? "nothing") + (isDetailed ? " detailed" : "")) }
  }

  func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? {
    Notification(.impression, keys: [snapshot.text(of: record)], json: Array("{}".utf8))
  }

  func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {
    let name = snapshot.text(of: record)
    lock.withLock { recordedKeys.append(name) }
    note(evaluation.fallback, isDetailed: evaluation.isDetailed)
  }

  func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    Array(#"{"source":"fake"}"#.utf8)
  }

  func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    snapshot.head.pointee.evaluate(snapshot.base, record, context?.base, &evaluation)
    return Array(#"["evaluated"]"#.utf8)
  }

  /// Where the service evaluates.
  func setOnlyCurrent() { lock.withLock { isOnlyCurrent = true } }

  func accepts(_ context: FrozenContext, current: FrozenContext?, in snapshot: Snapshot?) -> Bool {
    !lock.withLock { isOnlyCurrent } || context.fingerprint == current?.fingerprint
  }

  func track(_ event: TrackedEvent) -> Status {
    note("track \(event.key)")
    lock.withLock { trackWork }?()
    return .ok
  }

  var statistics: [(group: String, name: String, value: Int64)] {
    let waiting = lock.withLock { waitingEvents }
    return [("events", "sent", 7), ("network", "fetches", 1), ("events", "lost", 0)]
      + (waiting > 0 ? [("events", "waiting", waiting)] : [])
  }
}

/// Makes fake providers and remembers the last.
final class FakeFactory: ProviderFactory, @unchecked Sendable {
  let name = "fake"
  let properties = [Property("must_be", .text, default: "right", "Anything else is refused.")]
  private(set) weak var last: FakeProvider?

  func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    guard values.text("must_be") == "right" else { throw ConfigurationFailure("must_be", "property \"must_be\" is wrong") }
    let provider = FakeProvider(host)
    last = provider
    return provider
  }

  func storeIdentity(_ values: PropertyValues) -> String { "fake" }
}
