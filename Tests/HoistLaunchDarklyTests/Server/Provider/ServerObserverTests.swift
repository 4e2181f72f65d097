import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Flag change and flag value change listeners of mode server (protocols/launchdarkly-server.md 11.1)")
struct ServerObserverTests {
  private let told = Locked<[String]>([])
  private let someone = EvaluationContext(targetingKey: "k")

  /// What was told since the last look.
  private func news(_ rig: RulesRig) -> [String] {
    while rig.client.dispatch(limit: 0) > 0 {}
    defer { told.value = [] }
    return told.value
  }

  private func patch(_ rig: RulesRig, _ stream: ScriptedExchange?, _ path: String, _ data: String) {
    rig.say("event: patch\ndata: {\"path\":\"\(path)\",\"data\":\(data)}\n\n", on: stream)
  }

  private func face(_ rig: RulesRig) throws -> LaunchDarklyServerFace { try #require(LaunchDarklyServerFace(rig.client)) }

  @discardableResult
  private func watch(_ rig: RulesRig, _ key: String, _ name: String = "value", for context: EvaluationContext? = nil) throws
    -> UInt64?
  {
    try face(rig).observeValue(Array(key.utf8), (context ?? someone).reference(), NotingObserver(name, told))
  }

  @Test(
    "Keys of an update are told once, with what refers to them; old versions and equal sets are not told (LDS-62; starting, ready)"
  )
  func rules() throws {
    let rig = try RulesRig()
    let token = try face(rig).observeRules(NotingObserver("o", told))
    let flags = [
      "a": ServerRules.flag("a", version: 2), "b": ServerRules.flag("b", #""prerequisites":[{"key":"a","variation":1}]"#),
      "s": ServerRules.flag("s", ServerRules.rule(inSegments: ["t"])),
    ]
    let stream = rig.serve(flags)
    #expect(news(rig) == ["o: rules a,b,s"])
    rig.say(RulesRig.put(flags), on: stream)
    patch(rig, stream, "/flags/a", ServerRules.flag("a", version: 2))
    #expect(news(rig).isEmpty)
    patch(rig, stream, "/flags/a", ServerRules.flag("a", version: 3))
    patch(rig, stream, "/segments/t", ServerRules.segment("t"))
    rig.say("event: delete\ndata: {\"path\":\"/flags/b\",\"version\":7}\n\n", on: stream)
    #expect(news(rig) == ["o: rules a,b", "o: rules s", "o: rules b"])
    #expect(rig.client.unobserve(token) && !rig.client.unobserve(token))
    patch(rig, stream, "/flags/a", ServerRules.flag("a", version: 4))
    #expect(news(rig).isEmpty)
  }

  @Test("A value is told when it is another one than before, from null on, and is not counted (LDS-62; starting, ready)")
  func values() throws {
    let rig = try RulesRig(["send_events": "true", "diagnostic_opt_out": "true"])
    rig.network.setResponder { $0.url.hasSuffix("/bulk") ? answer(202) : nil }
    let token = try #require(try watch(rig, "a"))
    #expect(news(rig).isEmpty)
    let stream = rig.serve(["a": ServerRules.flag("a"), "b": ServerRules.flag("b")])
    #expect(news(rig) == [#"value: a null>"on""#])
    patch(rig, stream, "/flags/b", ServerRules.flag("b", version: 2, #""on":false"#))
    patch(rig, stream, "/flags/a", ServerRules.flag("a", version: 2))
    #expect(news(rig).isEmpty)
    patch(rig, stream, "/flags/a", ServerRules.flag("a", version: 3, #""on":false"#))
    #expect(news(rig) == [#"value: a "on">"off""#])
    rig.say("event: delete\ndata: {\"path\":\"/flags/a\",\"version\":7}\n\n", on: stream)
    #expect(news(rig) == [#"value: a "off">null"#])
    #expect(rig.client.unobserve(token))
    rig.serve(["a": ServerRules.flag("a")])
    #expect(news(rig).isEmpty)
    rig.client.onScheduler { $0.provider?.flush { _ in } }
    rig.time.advance(milliseconds: 60_000)
    #expect(!rig.network.requests.contains { $0.url.hasSuffix("/bulk") })
  }

  @Test("A segment changes the value for the one context, and equal objects are one value (LDS-62; ready)") func contexts() throws
  {
    let rig = try RulesRig()
    func object(_ text: String) -> String { #""variations":[0,\#(text)]"# }
    let stream = rig.serve([
      "s": ServerRules.flag("s", ServerRules.rule(inSegments: ["t"])), "o": ServerRules.flag("o", object(#"{"x":1,"y":[2]}"#)),
    ])
    try watch(rig, "s")
    try watch(rig, "s", "other", for: EvaluationContext(targetingKey: "other"))
    try watch(rig, "o")
    patch(rig, stream, "/segments/t", ServerRules.segment("t", #""included":["k"]"#))
    patch(rig, stream, "/flags/o", ServerRules.flag("o", version: 2, object(#"{"y":[2.0],"x":1}"#)))
    #expect(news(rig) == [#"value: s "on">"off""#])
  }

  @Test("Without a context it is the one that is current at registration; what is none is refused (LDS-62; ready)")
  func currentContext() throws {
    let rig = try RulesRig()
    let stream = rig.serve(["s": ServerRules.flag("s", ServerRules.rule(inSegments: ["t"]))])
    let none = NotingObserver("none", told)
    #expect(try face(rig).observeValue(Array("s".utf8), nil, none) == nil)
    #expect(try face(rig).observeValue(Array("s".utf8), EvaluationContext().reference(), none) == nil)
    #expect(rig.host.settle { rig.log.messages(.error).filter { $0.contains("observer of flag \"s\" is refused") }.count == 2 })
    for key in ["k", "later"] {
      _ = rig.client.identify(EvaluationContext(targetingKey: key).reference(), completion: nil)
      rig.time.run()
      if key == "k" { _ = try face(rig).observeValue(Array("s".utf8), nil, NotingObserver("value", told)) }
    }
    patch(rig, stream, "/segments/t", ServerRules.segment("t", #""included":["k"]"#))
    #expect(news(rig) == [#"value: s "on">"off""#])
  }

  @Test(
    "Observers outlive close and reopen, and are told nothing meanwhile; a failing service changes nothing (LDS-62; failing, closed, reopened)"
  )
  func closed() throws {
    let rig = try RulesRig()
    let stream = rig.serve(["a": ServerRules.flag("a")])
    _ = try face(rig).observeRules(NotingObserver("o", told))
    try watch(rig, "a")
    rig.say("event: put\ndata: {\n\n", on: stream)
    #expect(news(rig).isEmpty)
    rig.close()
    #expect(news(rig).isEmpty)
    #expect(rig.client.reopen() == .ok)
    rig.serve(["a": ServerRules.flag("a", version: 2, #""on":false"#)])
    #expect(news(rig) == ["o: rules a", #"value: a "on">"off""#])
  }
}
