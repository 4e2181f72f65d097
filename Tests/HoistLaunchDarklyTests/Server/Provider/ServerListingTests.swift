import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("All flags' state and the secure mode hash of a client in mode server (protocols/launchdarkly-server.md 6)")
struct ServerListingTests {
  private static let invalid = #"{"$flagsState":{},"$valid":false}"#
  private let someone = EvaluationContext(targetingKey: "k").reference()

  private func state(
    _ rig: RulesRig, _ context: ContextReference?, _ options: FlagsStateOptions = []
  ) throws -> String {
    String(decoding: try #require(LaunchDarklyServerFace(rig.client)).allFlagsState(context, options), as: UTF8.self)
  }

  private func hash(_ rig: RulesRig, _ context: ContextReference?) throws -> String? {
    try #require(LaunchDarklyServerFace(rig.client)).secureModeHash(context).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "Before there are rules, and after close, the state is not valid, and the log says why (LDS-03, LDS-32; starting, closed)")
  func notReady() throws {
    let rig = try RulesRig()
    #expect(try state(rig, someone) == Self.invalid)
    #expect(
      rig.host.settle {
        rig.log.messages(.warning).contains { $0.contains("state of all flags is not valid: there are no rules yet") }
      })
    rig.serve([:])
    #expect(try state(rig, someone) == #"{"$flagsState":{},"$valid":true}"#)
    rig.close()
    #expect(try state(rig, someone) == Self.invalid)
    #expect(rig.client.reopen() == .ok)
    rig.time.run()
    #expect(try state(rig, someone).hasSuffix(#""$valid":true}"#), "the rules of before are there")
  }

  @Test("Every flag is in it, by the options, and nothing is counted; offline, too (LDS-32; ready, offline)") func ready() throws
  {
    let rig = try RulesRig(["send_events": "true", "diagnostic_opt_out": "true"])
    rig.network.setResponder { $0.url.hasSuffix("/bulk") ? answer(202) : nil }
    rig.serve([
      "a": ServerRules.flag("a", version: 3, #""clientSide":true,"trackEvents":true"#),
      "b": ServerRules.flag("b", #""on":false"#),
      "c": ServerRules.flag("c", #""fallthrough":{"variation":9}"#),
    ])
    let all =
      #"{"a":"on","b":"off","c":null,"$flagsState":{"a":{"variation":1,"version":3,"trackEvents":true},"b":{"variation":0,"version":1},"c":{"version":1}},"$valid":true}"#
    #expect(try state(rig, someone) == all)
    #expect(
      try state(rig, someone, .clientSideOnly)
        == #"{"a":"on","$flagsState":{"a":{"variation":1,"version":3,"trackEvents":true}},"$valid":true}"#)
    #expect(try state(rig, someone, [.withReasons, .detailsOnlyForTrackedFlags]).contains(#""reason":{"kind":"FALLTHROUGH"}"#))
    rig.setOnline(false)
    #expect(try state(rig, someone) == all)
    rig.setOnline(true)
    rig.client.onScheduler { $0.provider?.flush { _ in } }
    rig.time.advance(milliseconds: 60_000)
    #expect(!rig.network.requests.contains { $0.url.hasSuffix("/bulk") })
  }

  @Test("Of no context there is neither, also where there are no flags; the current one stands for none (LDS-32, LDS-33; ready)")
  func contexts() throws {
    let rig = try RulesRig()
    rig.serve([:])
    for context in [nil, EvaluationContext().reference(), EvaluationContext(targetingKey: "").reference()] {
      #expect(try state(rig, context) == Self.invalid)
      #expect(try hash(rig, context) == nil)
    }
    _ = rig.client.identify(someone, completion: nil)
    rig.time.run()
    #expect(try state(rig, nil) != Self.invalid)
    #expect(try hash(rig, nil) == hash(rig, someone))
  }

  @Test("A hash needs no rules, and an SDK key (LDS-33; starting, offline, closed)") func hashes() throws {
    let rig = try RulesRig(["mobile_key": "sdk-01234567-89ab-cdef-0123-456789abcdef"])
    let (user, other) = (EvaluationContext(targetingKey: "user-key-123"), EvaluationContext(targetingKey: "user-key-123"))
    try other.set(Array("kind".utf8), .string(Array("other".utf8)))
    #expect(try hash(rig, user.reference()) == "73df666a13f2c474e50aa34ca5a761e89abb737fb139ff65fdde7fa85c9dcacd")
    rig.close()
    #expect(try hash(rig, other.reference()) == "98a933ca26d2951547fc021981ebcdeda95fbca2ac3f767ae67f7042d5458f72")
    #expect(!rig.log.lines.contains { $0.message.contains("user-key-123") })
    let without = try RulesRig(["mobile_key": "", "bootstrap": "{}"])
    #expect(try hash(without, someone) == nil)
    #expect(without.host.settle { without.log.messages(.warning).contains { $0.contains("there is no SDK key") } })
  }
}
