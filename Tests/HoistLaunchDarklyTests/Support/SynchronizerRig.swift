import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport

@testable import HoistLaunchDarkly

/// A synchronizer over a scripted network and a clock that stands still, and notes of what it tells.
final class SynchronizerRig: SynchronizerDelegate, @unchecked Sendable {
  static let key = "mob-4242"

  let host: TestHost
  let settings: LaunchDarklySettings
  let connection: ConnectionState
  let synchronizer: Synchronizer
  let context: LDContext
  /// In order: messages, "confirmed", "unauthorized", "shut down".
  private(set) var told: [String] = []
  let outcomes = Locked<[SynchronizerOutcome]>([])
  private let seen = SeenModes()
  var modes: [ConnectionInformation.Mode] { seen.modes.value }
  /// The connection's mode at the moment the attempt settled.
  private(set) var modesWhenSettled: [ConnectionInformation.Mode?] = []
  private(set) var tries: [String] = []

  init(
    _ properties: [String: String] = [:], user: String = "user-1", manager: (any CacheManager)? = nil,
    plugins: Plugins = Plugins()
  ) throws {
    host = TestHost(manager: manager)
    host.plugins = plugins
    let values = try TestHost.values(
      ["mobile_key": Self.key].merging(properties) { $1 }, table: LaunchDarklyProperties.table)
    settings = try LaunchDarklySettings(values)
    let observers = ChangeObservers { $0() }
    _ = observers.add(seen, for: .connectionMode)
    connection = ConnectionState(host: host, observers: observers)
    synchronizer = Synchronizer(
      host: host, settings: settings, headers: RequestHeaders(settings: settings, host: host), connection: connection)
    context = try Self.context(of: user)
    synchronizer.delegate = self
    connection.start()
    host.time.run()
  }

  private static func context(of user: String) throws -> LDContext {
    let context = EvaluationContext()
    context.setTargetingKey(Array(user.utf8))
    guard let reference = context.reference() else { throw Missing() }
    return try LDContext.read(reference)
  }
  private struct Missing: Error {}

  /// Goes online and runs what is due.
  func begin(entityTag: String = "", updated: Int64? = nil) {
    let outcomes = outcomes
    synchronizer.begin(
      SynchronizedContext(context: context, entityTag: entityTag, updatedUnixMilliseconds: updated)
    ) { [unowned self] outcome in
      outcomes.change { $0.append(outcome) }
      modesWhenSettled.append(modes.last)
    }
    host.time.run()
  }

  /// The newest stream, opened.
  func openedStream() -> ScriptedExchange? {
    host.time.run()
    let stream = host.network.streams.last
    stream?.open()
    host.time.run()
    return stream
  }

  func say(_ text: String, on stream: ScriptedExchange?) {
    stream?.receive(text)
    host.time.run()
  }

  var polls: [ScriptedExchange] { host.network.exchanges.filter { !$0.isStream } }
  var information: ConnectionInformation { connection.information }
  var dataSource: DataSourceStatus { connection.dataSource }
  var state: ClientState { host.life.state }
  var topics: [Topic] { host.notifications.value.map(\.topic) }
  var now: Int64 { host.clock.unixMilliseconds }

  // MARK: SynchronizerDelegate

  /// Takes what is an object.
  func take(
    _ message: FlagMessage, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FlagOutcome) -> Void
  ) {
    completion(take(message))
  }

  private func take(_ message: FlagMessage) -> FlagOutcome {
    let (name, bytes): (String, [UInt8])
    switch message {
    case .put(let data, let tag): (name, bytes) = (tag.map { "poll[\($0)]" } ?? "put", data)
    case .patch(let data): (name, bytes) = ("patch", data)
    case .delete(let data): (name, bytes) = ("delete", data)
    }
    guard let document = try? JSONDocument(parsing: bytes), document.withRoot({ $0.object != nil }) else {
      told.append("\(name) refused")
      return .refused("it is no JSON object")
    }
    told.append("\(name) \(String(decoding: bytes, as: UTF8.self))")
    return .applied
  }

  func confirmed() { told.append("confirmed") }

  func unauthorized() {
    told.append("unauthorized")
    synchronizer.end()
  }

  func streamShutDown() { told.append("shut down") }
  func environmentTold(_ id: String) {}

  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool) {
    tries.append("\(durationMilliseconds) ms \(failed ? "failed" : "opened")")
  }
}

private final class SeenModes: ChangeObserver {
  let modes = Locked<[ConnectionInformation.Mode]>([])

  func changed(_ changes: [FlagChange]) {}
  func unchanged() {}
  func rulesChanged(_ keys: [CText]) {}
  func connectionModeChanged(_ mode: Int32) {
    modes.change { $0 += ConnectionInformation.Mode(rawValue: mode).map { [$0] } ?? [] }
  }
}

extension HTTPRequest {
  func header(_ name: String) -> String? { headers.value(of: name) }
}
