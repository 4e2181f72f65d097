import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

private typealias Service = BackendService

/// What a change of a few flags costs, and what changes with them (protocol B.8, B.9).
@Suite("Streamed changes cost what they change") struct StreamedFlagTests {
  private static func flag(_ name: String, isOn: Bool = true, _ more: String = "") -> String {
    "{\"name\":\"\(name)\",\"enabled\":\(isOn)\(more)}"
  }

  private static func updated(_ flags: String...) -> String {
    Service.batch(flags.map { "{\"type\":\"feature-updated\",\"eventId\":8,\"feature\":\($0)}" }.joined(separator: ","))
  }

  private func streaming(_ rig: ClientRig?, flags: String, segments: String = "") throws -> (ClientRig, ScriptedExchange) {
    let rig = try #require(rig)
    rig.begin()
    let stream = try #require(rig.transport.streams.last)
    stream.openAsEvents()
    let hydration = "{\"type\":\"hydration\",\"eventId\":7,\"features\":[\(flags)],\"segments\":[\(segments)]}"
    stream.say("unleash-connected", id: 7, Service.batch(hydration))
    rig.scheduler.run()
    return (rig, stream)
  }

  private func streaming(flags: String, segments: String = "") throws -> (ClientRig, ScriptedExchange) {
    try streaming(ClientRig(Service.options("streaming")), flags: flags, segments: segments)
  }

  private func base(_ rig: ClientRig) -> UnsafeRawPointer? { rig.client.withSnapshot { $0?.base } }

  private func changed(_ rig: ClientRig) -> Locked<[[String]]> {
    let told = Locked<[[String]]>([])
    _ = rig.client.observe(.configurationChanged, key: nil, ClosureObserver { news in told.change { $0.append(news.keys) } })
    return told
  }

  @Test("One flag of the stream takes its place among the others, which stay where they are (UNL-93; ready)")
  func oneFlagLeavesTheOthersWhereTheyAre() throws {
    let flags = (0..<100).map { Self.flag("f\($0)") }.joined(separator: ",")
    let (rig, stream) = try streaming(flags: flags)
    let (before, told) = (base(rig), changed(rig))
    stream.say("unleash-updated", id: 8, Self.updated(Self.flag("f7", isOn: false)))
    rig.scheduler.run()
    #expect(base(rig) == before && rig.on("f6", "f7", "f8") == ["f6", "f8"])
    // The same again is no change; another description is none either.
    stream.say("unleash-updated", id: 9, Self.updated(Self.flag("f7", isOn: false, ",\"description\":\"new\"")))
    rig.scheduler.run()
    _ = rig.client.dispatch(limit: 0)
    #expect(told.value == [["f7"]] && base(rig) == before)
  }

  @Test("Flags of one batch change together: a view of before has none of them, and no moment shows one alone (UNL-93; ready)")
  func flagsOfOneBatchChangeTogether() throws {
    let (rig, stream) = try streaming(flags: "\(Self.flag("a")),\(Self.flag("b")),\(Self.flag("c"))")
    let (before, told) = (base(rig), changed(rig))
    stream.say("unleash-updated", id: 8, Self.updated(Self.flag("a", isOn: false), Self.flag("c", isOn: false)))
    rig.scheduler.run()
    _ = rig.client.dispatch(limit: 0)
    #expect(base(rig) != before && rig.on("a", "b", "c") == ["b"] && told.value == [["a", "c"]])
  }

  @Test("A parent that changes by stream changes what depends on it, in either order of the changes (UNL-93; ready)")
  func aParentTakesItsChildrenAlong() throws {
    let child = Self.flag("child", ",\"dependencies\":[{\"feature\":\"parent\"}]")
    let (rig, stream) = try streaming(flags: "\(Self.flag("parent")),\(child),\(Self.flag("other"))")
    let told = changed(rig)
    #expect(rig.on("parent", "child", "other") == ["parent", "child", "other"])
    stream.say("unleash-updated", id: 8, Self.updated(Self.flag("parent", isOn: false)))
    rig.scheduler.run()
    #expect(rig.on("parent", "child", "other") == ["other"])
    // `other` becomes a parent by what its new child says, and is one from then on.
    stream.say("unleash-updated", id: 9, Self.updated(Self.flag("child", ",\"dependencies\":[{\"feature\":\"other\"}]")))
    rig.scheduler.run()
    #expect(rig.on("child") == ["child"])
    stream.say("unleash-updated", id: 10, Self.updated(Self.flag("other", isOn: false)))
    rig.scheduler.run()
    _ = rig.client.dispatch(limit: 0)
    #expect(rig.on("child", "other").isEmpty && told.value == [["child", "parent"], ["child"], ["child", "other"]])
  }

  @Test("A changed flag knows the segments there are, and a changed segment changes the flags that refer to it (UNL-93; ready)")
  func segmentsHoldForChangedFlags() throws {
    func segment(_ value: String) -> String {
      "{\"id\":1,\"constraints\":[{\"contextName\":\"appName\",\"operator\":\"IN\",\"values\":[\"\(value)\"]}]}"
    }
    let strategies = ",\"strategies\":[{\"name\":\"default\",\"segments\":[1]}]"
    let rig = ClientRig(Service.options("streaming", ["app_name": "shop"]))
    let (client, stream) = try streaming(rig, flags: "\(Self.flag("a")),\(Self.flag("b"))", segments: segment("other"))
    let before = base(client)
    stream.say("unleash-updated", id: 8, Self.updated(Self.flag("a", strategies)))
    client.scheduler.run()
    #expect(base(client) == before && client.on("a", "b") == ["b"])
    stream.say(
      "unleash-updated", id: 9, Service.batch("{\"type\":\"segment-updated\",\"eventId\":9,\"segment\":\(segment("shop"))}"))
    client.scheduler.run()
    #expect(client.on("a", "b") == ["a", "b"])
  }

  @Test("A broken flag is off and warned of, and its repair is served (UNL-93; ready)")
  func aBrokenFlagIsOffUntilItsRepair() throws {
    let (rig, stream) = try streaming(flags: Self.flag("a"))
    let before = base(rig)
    stream.say(
      "unleash-updated", id: 8, Self.updated(Self.flag("a", ",\"strategies\":[{\"name\":\"default\",\"segments\":[5]}]")))
    rig.scheduler.run()
    _ = rig.takeEvents()
    #expect(rig.on("a").isEmpty && rig.log.messages(.warning).contains { $0.contains("there is no segment 5") })
    stream.say("unleash-updated", id: 9, Self.updated(Self.flag("a")))
    rig.scheduler.run()
    #expect(rig.on("a") == ["a"] && base(rig) == before)
  }

  @Test(
    "Whole definitions are compiled in a part of the time: what comes meanwhile is compiled in one, or not at all after a stop (UNL-93; ready, closed)"
  )
  func compilationsHaveTheirPace() throws {
    let scheduler = ManualScheduler()
    let engine = SlowEngine(scheduler)
    let rule =
      ",\"strategies\":[{\"name\":\"default\",\"constraints\":[{\"contextName\":\"x\",\"operator\":\"REGEX\",\"value\":\"y\"}]}]"
    let rig = ClientRig(Service.options("streaming"), regex: engine, scheduler: scheduler)
    let (client, stream) = try streaming(rig, flags: Self.flag("slow", rule))
    #expect(engine.compilations.value == 1)
    for number in 0..<50 {
      stream.say("unleash-updated", id: 10 + number, Self.updated(Self.flag("new-\(number)")))
      client.scheduler.run()
    }
    #expect(engine.compilations.value == 1 && client.on("new-0").isEmpty)
    client.scheduler.advance(milliseconds: 79)
    #expect(engine.compilations.value == 1)
    client.scheduler.advance(milliseconds: 1)
    #expect(engine.compilations.value == 2 && client.on("new-0", "new-49") == ["new-0", "new-49"])
    stream.say("unleash-updated", id: 90, Self.updated(Self.flag("late")))
    client.scheduler.run()
    _ = client.scheduler.turning(while: { client.client.close(timeoutMilliseconds: 0) })
    client.scheduler.advance(milliseconds: 1_000)
    #expect(engine.compilations.value == 2)
  }
}

/// Takes 20 ms for every expression, and knows none.
private final class SlowEngine: RegexEngine, @unchecked Sendable {
  let compilations = Locked(0)
  private let scheduler: ManualScheduler
  init(_ scheduler: ManualScheduler) { self.scheduler = scheduler }

  func compile(pattern: UnsafeBufferPointer<UInt8>, caseInsensitive: Bool) -> Result<CompiledRegex, RegexFailure> {
    scheduler.pass(milliseconds: 20)
    compilations.change { $0 += 1 }
    return .failure(RegexFailure("unknown"))
  }
}
