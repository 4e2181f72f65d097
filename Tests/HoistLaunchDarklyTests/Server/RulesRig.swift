import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

/// A client that decides by itself, over a scripted network and a clock that stands still; what is delivered to the host
/// waits for `dispatch`.
final class RulesRig: @unchecked Sendable {
  static let key = "sdk-4242"
  let host: TestClient
  let provider: ServerProvider

  /// - Parameters:
  ///   - manager: nil keeps nothing.
  ///   - settles: whether what the store has is waited for.
  ///   - beforeStart: is run when the client has been made.
  init(
    _ properties: [String: String] = [:], filter: String = "", isOnline: Bool = true, manager: (any CacheManager)? = nil,
    time: ManualScheduler = ManualScheduler(), seed: UInt64 = 7, settles: Bool = true, plugins: Plugins = Plugins(),
    beforeStart: () throws -> Void = {}
  ) throws {
    let base = [
      "mode": "server", "mobile_key": Self.key, "store": manager == nil ? "none" : "memory", "dispatch": "manual",
      "log.level": "debug", "online": isOnline ? "true" : "false", "send_events": "false", "payload_filter_key": filter,
    ]
    host = try TestClient(
      LaunchDarklyFactory(), base, properties, plugins: plugins, scheduler: time, seed: seed, makeCacheManager: { _ in manager })
    provider = try #require(host.client.provider as? ServerProvider)
    try beforeStart()
    host.open()
    if settles { settleStore() }
  }

  var client: Client { host.client }
  var rules: ServedRules { provider.rules }
  var log: RecordingLogSink { host.log }

  /// Waits for what the store's lane was given.
  func settleStore() {
    let isDone = Locked(false)
    client.store.load("nothing") { _ in isDone.value = true }
    time.settle { isDone.value }
    time.run()
  }

  var time: ManualScheduler { host.scheduler }
  var network: ScriptedTransport { host.transport }
  var state: ClientState { host.client.state }
  /// Requests, of either kind.
  var asked: Int { network.exchanges.count }
  /// Of the rules that are served.
  var servedID: UInt64? { (host.client as any ProviderHost).withSnapshot { $0?.head.pointee.id } }

  func setOnline(_ isOnline: Bool) {
    _ = host.client.setOnline(isOnline)
    time.run()
  }

  /// The newest stream, opened.
  func openedStream() -> ScriptedExchange? {
    time.run()
    let stream = network.streams.last
    stream?.open()
    time.run()
    return stream
  }

  func say(_ text: String, on stream: ScriptedExchange?) {
    stream?.receive(text)
    time.run()
  }

  static func put(_ flags: [String: String], segments: [String: String] = [:]) -> String {
    "event: put\ndata: {\"path\":\"/\",\"data\":\(ServerRules.set(flags: flags, segments: segments))}\n\n"
  }

  static func patch(_ path: String, _ data: String) -> String {
    "event: patch\ndata: {\"path\":\"\(path)\",\"data\":\(data)}\n\n"
  }

  /// JSON of a flag's value, or the error's code.
  /// - Parameter context: nil for the client's own.
  @discardableResult
  func value(
    of key: String, for context: EvaluationContext? = EvaluationContext(targetingKey: "k"), _ mode: EvaluationMode = []
  ) -> String {
    key.withBytes { key in
      host.client.evaluate(key, context?.subject, .json, mode) { evaluation, _ in
        evaluation.errorCode == .none ? String(decoding: evaluation.text, as: UTF8.self) : "\(evaluation.errorCode.text)"
      }
    }
  }

  /// The reason of a flag's value, as JSON.
  func reason(of key: String, for context: EvaluationContext = EvaluationContext(targetingKey: "k")) -> String {
    key.withBytes { key in
      host.client.evaluate(key, context.subject, .any, .detailed) { _, detail in
        String(decoding: DetailReason.json(detail()) ?? [], as: UTF8.self)
      }
    }
  }

  /// The rules come by a stream.
  @discardableResult
  func serve(_ flags: [String: String], segments: [String: String] = [:]) -> ScriptedExchange? {
    let stream = openedStream()
    say(Self.put(flags, segments: segments), on: stream)
    settleCompiler()
    return stream
  }

  /// Waits for what is compiled.
  func settleCompiler() {
    let isDone = Locked(false)
    client.compiler.compile(bytes: DocumentCompiler.largeBytes) {
    } completion: {
      isDone.value = true
    }
    time.settle { isDone.value }
  }

  /// Without flushing.
  func close() {
    _ = client.close(timeoutMilliseconds: 0)
    time.run()
  }
}
