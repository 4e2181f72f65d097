import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

/// A client that serves rules, over a scripted network and a clock that stands still.
final class RulesRig: @unchecked Sendable {
  static let key = "sdk-4242"
  private let host: TestClient
  let rules: ServedRules

  init(_ properties: [String: String] = [:], filter: String = "", isOnline: Bool = true) throws {
    let base = ["mobile_key": Self.key, "store": "none", "dispatch": "manual", "log.level": "debug", "online": isOnline ? "true" : "false"]
    host = try TestClient(RulesFactory(filter: filter), base, properties)
    rules = try #require(host.client.provider as? RulesProvider).rules
    host.open()
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

  static func put(_ flags: [String: String]) -> String {
    "event: put\ndata: {\"path\":\"/\",\"data\":\(ServerRules.set(flags: flags))}\n\n"
  }

  /// JSON of a flag's value for somebody, or the error's code.
  func value(of key: String) -> String {
    let context = EvaluationContext(targetingKey: "k")
    return key.withBytes { key in
      host.client.evaluate(key, context.subject, .json, []) { evaluation, _ in
        evaluation.errorCode == .none ? String(decoding: evaluation.text, as: UTF8.self) : "\(evaluation.errorCode.text)"
      }
    }
  }
}

private struct RulesFactory: ProviderFactory {
  let filter: String
  var name: String { "launchdarkly" }
  var properties: [Property] { LaunchDarklyProperties.table }
  func storeIdentity(_ values: PropertyValues) -> String { "rules" }

  func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    RulesProvider(try LaunchDarklySettings(values, isServer: true), filter, host)
  }
}

private final class RulesProvider: Provider, @unchecked Sendable {
  let rules: ServedRules
  let life: PartLife

  init(_ settings: LaunchDarklySettings, _ filter: String, _ host: any ProviderHost) {
    let headers = RequestHeaders(settings: settings, host: host, role: .server)
    let connection = ConnectionState(host: host, observers: ChangeObservers { $0() })
    let synchronizer = Synchronizer(host: host, settings: settings, headers: headers, connection: connection)
    rules = ServedRules(host: host, feed: RulesFeed(settings: settings, headers: headers, filter: filter), synchronizer: synchronizer)
    life = PartLife([connection, synchronizer, rules])
  }

  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) { completion(.ok) }
  func detach() { stop() }
  func countUnknown(_ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?) {}
  func impression(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?) -> HoistCore.Notification? { nil }
  func record(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?) {}
  func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    ServerMetadata.json(evaluation, snapshot, record)
  }
  func explain(_ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?) -> [UInt8] { [] }
  func track(_ event: TrackedEvent) -> Status { .ok }
  func forgetCountsAfterFork() {}
}
