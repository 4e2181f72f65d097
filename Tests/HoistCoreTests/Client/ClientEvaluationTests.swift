import CShims
import HoistBase
@testable import HoistCore
import HoistJSON
import Testing

@Suite("A client evaluates, whatever it is asked (G1, G8)") struct ClientEvaluationTests {
  let flags: [(String, TestAnswer)] = [
    ("on", .bool(true)), ("off", .bool(false)), ("count", .int(-3)), ("rate", .double(0.25)),
    ("text", .string("hello")), ("json", .json(#"{"a":[1]}"#)), ("who", .targetingKey), ("plan", .attribute("plan")),
    ("broken", .failing(.parseError)),
  ]

  /// (ready) A context that is made for one call is not sent the slow way.
  @Test func theFirstUseOfAContextTakesTheFastPath() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags)
    let context = EvaluationContext(targetingKey: "someone")
    #expect(fixture.fast("on", context) == true)
    try context.set("plan", .bool(true))
    #expect(fixture.fast("on", context) == true)
    #expect(fixture.provider.counts() == ["on/0": 2])
  }

  @Test func everyKindIsAnswered() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags)
    let values = ["on", "off", "count", "rate", "text", "json"].map { fixture.evaluate($0).value.string }
    #expect(values == ["true", "false", "-3", "0.25", #""hello""#, #"{"a":[1]}"#])
    let detail = fixture.evaluate("on")
    #expect(detail.key.string == "on" && detail.enabled && detail.reason == .static && detail.code == "")
    #expect(detail.metadata.string == #"{"source":"fake"}"#)
    #expect(fixture.fast("on") == true && fixture.fast("off") == false)
  }

  @Test func anotherTypeThanTheFlagHasIsAMismatchWithACounterOfItsOwn() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags)
    let detail = fixture.evaluate("text", nil, .bool)
    #expect(detail.code == "TYPE_MISMATCH" && detail.value.string == "null" && detail.reason == .error)
    #expect(fixture.provider.counts() == ["text/0": 1, "text/1": 1])
  }

  @Test func beforeTheFirstFlagsTheAnswerSaysSo() throws {
    let fixture = try ClientFixture()
    #expect(fixture.evaluate("on").code == "PROVIDER_NOT_READY")
    #expect(fixture.fast("on") == nil)
    fixture.client.setState(.fatal, "key refused")
    let detail = fixture.evaluate("on")
    #expect(detail.code == "PROVIDER_FATAL" && !detail.words.isEmpty)
    #expect(fixture.provider.unknownCounts() == ["on": 2])
  }

  @Test func unknownFlagsAreCountedOnceForEachEvaluation() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags)
    #expect(fixture.fast("nope") == nil)
    #expect(fixture.evaluate("nope").code == "FLAG_NOT_FOUND")
    #expect(fixture.evaluate("nope").reason == .error)
    fixture.evaluate("nope", nil, .any, .explained)
    fixture.evaluate("nope", nil, .any, [])
    #expect(fixture.provider.unknownCounts() == ["nope": 2])
    #expect(fixture.provider.counts() == [:])
  }

  @Test func aKeyThatIsNoneIsAnErrorOfTheEvaluationOnly() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags)
    let missing = fixture.client.evaluate(nil, nil, .bool, .counted) { _, detail in detail() }
    #expect(missing.code == "GENERAL" && missing.words.contains("NULL") && missing.key.string == "")
    let longest = String(repeating: "k", count: Client.maximumKeyBytes)
    #expect(fixture.evaluate(longest).code == "FLAG_NOT_FOUND")
    #expect(fixture.evaluate(longest + "k").code == "GENERAL")
    #expect(fixture.evaluate(String(repeating: "k", count: 1 << 20)).words.contains("4096"))
    #expect(fixture.evaluate("").code == "FLAG_NOT_FOUND")
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] {
      let detail = bytes.withBytes { fixture.client.evaluate($0, nil, .any, .counted) { _, detail in detail() } }
      #expect(detail.code == "GENERAL" && detail.words.contains("UTF-8"))
      #expect((try? JSONDocument(parsing: detail.json())) != nil)
    }
    // None of these is a name to be counted and sent.
    #expect(fixture.provider.unknownCounts() == [longest: 1, "": 1])
  }

  @Test func theContextOfTheCallIsUsedElseTheClientsOwn() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags)
    #expect(fixture.evaluate("who").code == "TARGETING_KEY_MISSING")
    #expect(fixture.client.identify(EvaluationContext(targetingKey: "current").reference(), completion: nil) == .ok)
    #expect(fixture.evaluate("who").value.string == #""current""#)
    let other = EvaluationContext(targetingKey: "other")
    #expect(fixture.evaluate("who", other).value.string == #""other""#)
    // What the call's context lacks, rules may look up in the client's own.
    let mine = EvaluationContext(targetingKey: "current")
    try mine.set("plan", .string(Array("pro".utf8)))
    _ = fixture.client.identify(mine.reference(), completion: nil)
    #expect(fixture.evaluate("plan", other).value.string == #""pro""#)
    try other.set("plan", .string(Array("free".utf8)))
    #expect(fixture.evaluate("plan", other).value.string == #""free""#)
  }

  /// Never silently somebody else's values.
  @Test func aContextThatCannotBeReadIsNotReplacedByTheClientsOwn() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags)
    _ = fixture.client.identify(EvaluationContext(targetingKey: "current").reference(), completion: nil)
    var stray = shim_subject(magic: ContextMagic.value, frozen: nil, object: nil)
    let detail = "who".withBytes { key in fixture.client.evaluate(key, &stray, .any, .counted) { _, detail in detail() } }
    #expect(detail.code == "INVALID_CONTEXT" && detail.value.string == "null")
  }

  @Test func anExplanationCountsAndAnnouncesNothing() throws {
    let fixture = try ClientFixture()
    try fixture.serve(flags, announced: ["on"], recorded: ["on"])
    let (heard, _) = fixture.observe(.impression)
    let detail = fixture.evaluate("on", nil, .any, .explained)
    fixture.dispatchAll()
    #expect(detail.explanation.string == #"["evaluated"]"# && detail.value.string == "true")
    #expect(heard.all == [] && fixture.provider.recorded == [] && fixture.provider.counts() == [:])
  }

  @Test func impressionsAreAnnouncedOnlyWhileSomebodyListens() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("a", .bool(true)), ("b", .bool(true)), ("quiet", .bool(true))], announced: ["a", "b"])
    fixture.fast("a")
    fixture.evaluate("a")
    let (all, token) = fixture.observe(.impression)
    let (onlyB, _) = fixture.observe(.impression, key: "b")
    for key in ["a", "b", "quiet"] { fixture.fast(key) }
    fixture.evaluate("a")
    fixture.dispatchAll()
    #expect(all.all == ["impression a ", "impression b ", "impression a "])
    #expect(onlyB.all == ["impression b "])
    #expect(fixture.client.unobserve(token))
    fixture.fast("a")
    fixture.dispatchAll()
    #expect(all.all.count == 3)
    #expect(fixture.provider.counts() == ["a/0": 5, "b/0": 1, "quiet/0": 1])
  }

  @Test func whatAProviderRecordsReachesItFromEveryPath() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("a", .bool(true)), ("b", .bool(true))], recorded: ["a"])
    fixture.fast("a")
    fixture.fast("b")
    fixture.evaluate("a")
    let view = FlagView(fixture.client, nil)
    _ = "a".withBytes { view.evaluate($0, .bool) { _ in } }
    #expect(fixture.provider.recorded == ["a", "a", "a"])
  }

  @Test func allFlagsAreOneObjectAndCountNothing() throws {
    let fixture = try ClientFixture()
    #expect(String(decoding: fixture.client.allFlags(nil), as: UTF8.self) == "{}")
    try fixture.serve(flags, announced: ["on"])
    let context = EvaluationContext(targetingKey: "u")
    let document = try JSONDocument(parsing: withExtendedLifetime(context) { fixture.client.allFlags(context.subject) })
    document.withRoot { root in
      #expect(root.object?.count == flags.count)
      #expect(root["on"]?["value"]?.bool == true && root["who"]?["value"]?.string == "u")
      #expect(root["broken"]?["errorCode"]?.string == "PARSE_ERROR")
    }
    #expect(fixture.provider.counts() == [:] && fixture.provider.unknownCounts() == [:])
    #expect(fixture.close() == .ok)
    #expect(String(decoding: fixture.client.allFlags(nil), as: UTF8.self) == "{}")
  }

  @Test func allFlagsAreOfOneMomentWhileFlagsAreReplaced() throws {
    let fixture = try ClientFixture()
    let generations = [(0..<200).map { "old-\($0)" }, (0..<200).map { "new-\($0)" }]
    try fixture.serve(generations[0].map { ($0, .bool(true)) })
    let isDone = Flag()
    inThreads(2) { index in
      if index == 0 {
        for round in 1...200 {
          if let next = TestFlags.switches(generations[round % 2]) { fixture.client.publish(next, changed: []) }
        }
        isDone.raise()
      } else {
        repeat {
          let text = String(decoding: fixture.client.allFlags(nil), as: UTF8.self)
          #expect(!text.contains("FLAG_NOT_FOUND"))
        } while !isDone.isRaised
      }
    }
  }

  @Test func trackingGoesToTheProvider() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    let event = TrackedEvent(key: "bought", context: nil, value: 1, properties: [], unixMilliseconds: 0)
    #expect(fixture.client.track(event) == .ok)
    #expect(fixture.provider.calls == ["track bought"])
  }

  @Test func statisticsAreGroupsOfNumbers() throws {
    let fixture = try ClientFixture()
    try fixture.serve()
    _ = fixture.observe(.error)
    fixture.client.notify(Notification(.error))
    let document = try JSONDocument(parsing: fixture.client.statisticsJSON())
    document.withRoot { root in
      #expect(root["events"]?["sent"]?.int64 == 7 && root["events"]?["lost"]?.int64 == 0)
      #expect(root["network"]?["fetches"]?.int64 == 1)
      #expect(root["observers"]?["waiting"]?.int64 == 1 && root["observers"]?["dropped"]?.int64 == 0)
      #expect(root["store"]?["written"]?.int64 == 0 && root["plugins"]?["answered"]?.int64 == 0)
    }
  }

  @Test("A context that is refused is warned of once per flag, whichever path reads") func refusedContextsAreWarnedOf() throws {
    let fixture = try ClientFixture()
    try fixture.serve([("a", .failing(.invalidContext)), ("b", .failing(.invalidContext)), ("c", .failing(.typeMismatch))])
    let other = EvaluationContext(targetingKey: "other")
    for key in ["a", "b", "c", "a"] {
      fixture.fast(key, other)
      fixture.evaluate(key, other)
    }
    fixture.dispatchAll()
    let warnings = fixture.log.messages(.warning)
    #expect(warnings.count == 2 && warnings.allSatisfy { $0.contains("as the test wants it") && !$0.contains("other") })
    fixture.evaluate("a", other, .any, .explained)
    fixture.dispatchAll()
    #expect(fixture.log.messages(.warning).count == 2)
  }

  @Test("Where the service evaluates, an event of another context is refused, with a line") func foreignEventsAreRefused() throws
  {
    let fixture = try ClientFixture()
    try fixture.serve()
    fixture.provider.setOnlyCurrent()
    let (own, other) = (EvaluationContext(targetingKey: "own").reference(), EvaluationContext(targetingKey: "other").reference())
    fixture.client.setCurrentContext(try #require(own))
    func track(_ context: ContextReference?) -> Status {
      fixture.client.track(TrackedEvent(key: "e", context: context, value: nil, properties: [], unixMilliseconds: 0))
    }
    #expect(track(nil) == .ok && track(EvaluationContext(targetingKey: "own").reference()) == .ok)
    #expect(track(other) == .unsupported)
    fixture.dispatchAll()
    #expect(fixture.provider.calls == ["track e", "track e"] && fixture.log.messages(.warning).count == 1)
  }

  @Test("Flags that the snapshot lacks before the first ones have come: the client is not ready") func missingBeforeTheFirst()
    throws
  {
    let fixture = try ClientFixture()
    fixture.client.open()
    fixture.scheduler.run()
    fixture.client.publish(try #require(TestFlags.snapshot([])), changed: [])
    let before = fixture.evaluate("on")
    #expect(before.errorCode == .providerNotReady && before.isMissing)
    fixture.client.setState(.ready, "flags")
    let after = fixture.evaluate("on")
    #expect(after.errorCode == .flagNotFound && after.isMissing)
  }
}
