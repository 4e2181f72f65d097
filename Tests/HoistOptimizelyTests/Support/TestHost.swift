import Glibc
import HoistBase
import HoistCore
import HoistTestSupport

/// What a provider's parts are offered, without a client: a scripted network and a clock that stands still.
final class TestHost: ProviderHost, @unchecked Sendable {
  let time = ManualScheduler()
  let network: ScriptedTransport
  let log: Log
  let lines = RecordingLogSink()
  let store: Store
  let entropy: any Entropy
  var plugins = Plugins()
  private let online = Locked(true)

  /// - Parameters:
  ///   - manager: nil keeps nothing.
  ///   - seed: two processes on one store draw differently.
  init(manager: (any CacheManager)? = nil, seed: UInt64 = 7) {
    entropy = SeededEntropy(seed: seed)
    network = ScriptedTransport(scheduler: time)
    let lines = lines
    log = Log(threshold: .debug, clock: time) { lines.write($0, $1) }
    store = Store(manager: manager, log: log, clock: time, scheduler: time, entropy: entropy)
  }

  var scheduler: any Scheduler { time }
  var transport: any Transport { network }
  var builtInTransport: any Transport { network }
  var clock: any Clock { time }
  var isOnline: Bool {
    get { online.value }
    set { online.value = newValue }
  }
  var currentContext: ContextReference? { nil }
  func setCurrentContext(_ context: ContextReference) {}
  var regex: (any RegexEngine)? { nil }
  func publish(_ snapshot: Snapshot, changed: [String]) { snapshot.destroy() }
  func drainCounts(_ body: (Snapshot, UnsafeRawPointer, UInt32, UInt64) -> Void) {}
  func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result { body(nil) }
  func setState(_ state: ClientState, _ message: String) {}
  func notify(_ notification: HoistCore.Notification) {}
  func dynamicHeaders(
    from provider: (any HeaderProvider)?, for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void
  ) {
    let headers = provider?.headers(for: url) ?? []
    time.post { completion(headers) }
  }
  func onPluginLane(_ work: @escaping @Sendable () -> Void) { work() }
  func onDeliveryLane(_ call: @escaping @Sendable () -> Void) { call() }
  var delivery: any EventSink { plugins.eventSink ?? TransportEventSink(network) }

  /// Runs what is due until `isDone`: lanes answer from threads of their own.
  func settle(until isDone: () -> Bool) {
    for _ in 0..<80_000 {
      time.run()
      if isDone() { return }
      usleep(250)
    }
  }

  /// Properties of an Optimizely client, over the defaults.
  static func values(_ properties: [String: String] = [:], table: [Property]) throws -> PropertyValues {
    var values = PropertyValues(table: CoreProperties.table + table)
    for (name, value) in properties { try values.set(name, value) }
    return values
  }
}

/// A value that several threads share.
final class Locked<Value>: @unchecked Sendable {
  private let lock = Lock()
  private var kept: Value
  init(_ value: Value) { kept = value }
  var value: Value {
    get { lock.withLock { kept } }
    set { lock.withLock { kept = newValue } }
  }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&kept) } }
}

extension HTTPRequest {
  var text: String { String(decoding: body ?? [], as: UTF8.self) }
}

func answer(_ status: Int, _ body: String = "", _ headers: [HTTPHeader] = []) -> ScriptedTransport.Answer {
  .success(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
}

let noAnswer = ScriptedTransport.Answer.failure(TransportFailure(.unreachable, "unreachable"))
