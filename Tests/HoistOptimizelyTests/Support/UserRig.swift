import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Glibc

@testable import HoistOptimizely

/// A client that serves a given datafile, for what is asked of users.
final class UserRig {
  let scheduler: ManualScheduler
  let transport: ScriptedTransport
  let log = RecordingLogSink()
  private var host: TestClient!
  private(set) var face: OptimizelyFace!

  /// - Parameters:
  ///   - datafile: nil for a client that has none yet.
  ///   - properties: over those that make a client stand still, offline from the start, without profiles.
  init(
    _ datafile: String? = TwoRules.datafile, _ properties: [String: String] = [:], profiles: (any UserProfileService)? = nil,
    cacheManager: (any CacheManager)? = nil, scheduler: ManualScheduler = ManualScheduler()
  ) throws {
    self.scheduler = scheduler
    transport = ScriptedTransport(scheduler: scheduler)
    var fixed = [
      "autostart": "\(datafile != nil)", "dispatch": "manual", "store": "none", "background_fetch": "false",
      "user_profiles": "false",
    ]
    fixed["datafile"] = datafile
    var plugins = Plugins()
    if let profiles { plugins.vendor[OptimizelyPlugins.profileService] = profiles }
    host = try TestClient(
      OptimizelyFactory(), fixed, properties, plugins: plugins, scheduler: scheduler, transport: transport, log: log,
      makeCacheManager: { _ in cacheManager })
    face = OptimizelyFace(host.client)
    host.open()
  }

  /// Frees the client; users may stay.
  func free() {
    face = nil
    host = nil
  }

  var client: Client! { host?.client }
  var provider: OptimizelyProvider { face.provider }

  func user(_ id: String = "u1", _ attributes: KeyValuePairs<String, AttributeValue> = [:]) throws -> OptimizelyUser {
    guard let user = face.user(Array(id.utf8), attributes: visitor("", attributes)) else { throw Project.Missing() }
    return user
  }

  func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) -> Bool {
    scheduler.settle(file: file, line: line, until: isDone)
  }

  /// Events that wait for delivery.
  var recorded: Int64 { provider.events.statistics.first { $0.name == "recorded" }?.value ?? -1 }

  /// What an observer of a kind is told, in order, after `hear`.
  func listen(_ kind: NotificationKind) -> Heard {
    let heard = Heard()
    heard.token = face.observe(kind, heard)
    return heard
  }

  func hear() { _ = client.dispatch(limit: 0) }
}

final class Heard: OptimizelyObserver, @unchecked Sendable {
  private let lock = Lock()
  private var texts: [String] = []
  var token: UInt64 = 0
  func notify(_ kind: NotificationKind, _ json: CText) { lock.withLock { texts.append(json.string) } }
  var all: [String] { lock.withLock { texts } }
}

/// A flag `shop` with an experiment for Germans and a delivery rule for everybody, and one, `other`, that is delivered.
enum TwoRules {
  static let audience =
    #"{"id":"7","name":"de","conditions":["and",{"type":"custom_attribute","name":"country","match":"exact","value":"de"}]}"#

  static let datafile = datafile()
  static func datafile(revision: String = "7", more: String = "") -> String {
    let project = Project.datafile(
      flags: [
        flag(
          "shop", ["e"], rollout: "r",
          variables:
            #"{"id":"v1","key":"color","type":"string","defaultValue":"red"},{"id":"v2","key":"size","type":"integer","defaultValue":"3"},{"id":"v3","key":"more","type":"json","defaultValue":"{\"a\":{\"b\":2.0}}"},{"id":"v4","key":"rate","type":"double","defaultValue":"1"}"#
        ),
        flag("other", [], rollout: "r"),
      ].joined(separator: ","),
      experiments: rule("e", values: #"{"id":"v1","value":"blue"}"#, #""audienceConditions":["or","7"]"#),
      rollouts: rollout("r", rule("d")), typed: audience, more: more)
    return project.replacing("\"revision\":\"7\"", with: "\"revision\":\"\(revision)\"")
  }
}

extension String {
  func replacing(_ part: String, with other: String) -> String {
    split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
  }
}

extension OptimizelyUser {
  func decide(_ key: String, _ options: DecideOptions = []) -> OwnedDecision { key.withBytes { decide($0, options) } }
}

extension OwnedDecision {
  var variation: String? { variationKey.map { HoistOptimizelyTests.text($0) } }
  var rule: String? { ruleKey.map { HoistOptimizelyTests.text($0) } }
  var reasonTexts: [String] { reasons.map(\.string) }
  var key: String { HoistOptimizelyTests.text(flagKey) }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
