import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

/// A LaunchDarkly client on a scheduler that the test turns, with a scripted network; what is delivered to the host waits
/// for `dispatch`.
final class LifeFixture: @unchecked Sendable {
  private let host: TestClient
  let face: LaunchDarklyFace
  let told = Locked<[String]>([])

  init(_ properties: [String: String] = [:], hooks: [any LaunchDarklyHook] = []) throws {
    var plugins = Plugins()
    plugins.vendor[LaunchDarklyPlugins.hooks] = hooks
    let time = ManualScheduler()
    host = try TestClient(
      LaunchDarklyFactory(), ["mobile_key": "mob-1", "store": "none", "dispatch": "manual"], properties, plugins: plugins,
      scheduler: time, makeCacheManager: { $0.kind == "none" ? nil : MemoryCacheManager(clock: time) })
    face = try #require(LaunchDarklyFace(host.client))
  }

  func opened() -> LifeFixture {
    host.open()
    return self
  }

  var time: ManualScheduler { host.scheduler }
  var network: ScriptedTransport { host.transport }
  var log: RecordingLogSink { host.log }
  var client: Client { host.client }
  var provider: LaunchDarklyProvider { face.provider }

  func environment(_ name: String) throws -> LaunchDarklyFace {
    let client = try #require(face.environment(named: name))
    return try #require(LaunchDarklyFace(client))
  }

  func tell(_ name: String) -> @Sendable (Status) -> Void {
    let told = told
    return { status in told.change { $0.append("\(name) \(status.rawValue)") } }
  }

  /// What the host has been told since the last look.
  func heard() -> [String] {
    time.run()
    while client.dispatch(limit: 0) > 0 {}
    defer { told.value = [] }
    return told.value
  }

  /// Waits for what the store's lane was given: a clock that leaps meanwhile would have it seem to hang.
  func settleStore() {
    let isDone = Locked(false)
    client.store.load("nothing") { _ in isDone.value = true }
    time.settle { isDone.value }
  }

  func context(_ key: String) throws -> ContextReference { try #require(EvaluationContext(targetingKey: key).reference()) }

  var currentKey: String? { client.currentContext?.frozen.targetingKey.map { String(decoding: $0, as: UTF8.self) } }

  /// Without flushing.
  func close() {
    _ = client.close(timeoutMilliseconds: 0)
    time.run()
  }
}

extension LaunchDarklyFace {
  /// What clients of both modes can do.
  var common: LaunchDarklyAnyFace {
    guard let face = LaunchDarklyAnyFace(client) else { preconditionFailure("the client is LaunchDarkly's") }
    return face
  }
}
