import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

/// The Decision API as a test has it: what it answers now, and what it was asked.
final class ScriptedDecisions: Sendable {
  static let one =
    #"{"visitorId":"v","campaigns":[{"id":"c1","name":"Campaign","slug":null,"type":"ab","variationGroupId":"g1","#
    + #""variationGroupName":"Group","variation":{"id":"v1","name":"Variation","reference":false,"#
    + #""modifications":{"type":"JSON","value":{"f":"x","n":null}}}}]}"#
  static let panic = #"{"visitorId":"v","campaigns":[],"panic":true}"#

  private let answers: Locked<ScriptedTransport.Answer>
  let bodies = Locked<[String]>([])

  init(_ answer: ScriptedTransport.Answer = .status(200, ScriptedDecisions.one)) { answers = Locked(answer) }

  func now(_ answer: ScriptedTransport.Answer) { answers.value = answer }

  var respond: @Sendable (HTTPRequest) -> ScriptedTransport.Answer? {
    { request in
      guard request.url.contains("/campaigns") else { return .status(204) }
      self.bodies.change { $0.append(request.text) }
      return self.answers.value
    }
  }
}

@Suite("Flagship's visitors (protocols/flagship.md 5.3)") struct FlagshipVisitorTests {
  @Test("A new visitor has to fetch, and its initial state is not announced (FS-30, FS-37, FS-52, 5.3; ready)")
  func aNewVisitorHasToFetch() throws {
    let rig = try FlagshipRig()
    let heard = HeardFetches()
    let visitor = try rig.visitor("v", listener: heard)
    #expect(visitor.fetchProgress == (.fetchRequired, .visitorCreate))
    #expect(rig.take(heard).isEmpty)
    #expect(text(visitor.id) == "v" && visitor.anonymousID == nil && visitor.hasConsented)
  }

  @Test("Fetching is announced, and its completion comes last (FS-36, FS-54 to FS-56; ready)")
  func fetchingIsAnnouncedAndItsEndComesLast() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let heard = HeardFetches()
    let visitor = try rig.visitor("v", listener: heard)
    let order = Locked<[String]>([])
    #expect(visitor.fetch { status in order.change { $0 = heard.take() + ["done \(status.rawValue)"] } } == .ok)
    rig.settle { !order.value.isEmpty }
    #expect(order.value == ["FETCHING NONE", "FETCHED NONE", "done 0"])
    #expect(visitor.snapshotOfState.flags.keys.map { text($0) } == ["f", "n"])
    #expect(decisions.bodies.value.count == 1)
  }

  @Test("A fetch that fails leaves the flags (FS-10, FS-50; failing)")
  func aFetchThatFailsLeavesTheFlags() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let heard = HeardFetches()
    let visitor = try rig.visitor("v", listener: heard)
    #expect(rig.fetch(visitor) == .ok)
    for answer in [.status(500), .noAnswer, .status(200, "no JSON"), .status(200, "[]")] as [ScriptedTransport.Answer] {
      decisions.now(answer)
      _ = rig.take(heard)
      #expect(rig.fetch(visitor) == .flagshipFetchFailed)
      #expect(rig.take(heard) == ["FETCHING NONE", "FETCH_REQUIRED FETCH_ERROR"])
      #expect(visitor.snapshotOfState.flags.count == 2)
    }
  }

  @Test("Panic removes the flags and refuses changes until it is over (FS-42, FS-53; panic)")
  func panicRemovesTheFlagsAndRefusesChangesUntilItIsOver() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let heard = HeardFetches()
    let visitor = try rig.visitor("v", listener: heard)
    #expect(rig.fetch(visitor) == .ok)
    decisions.now(.status(200, ScriptedDecisions.panic))
    _ = rig.take(heard)
    #expect(rig.fetch(visitor) == .flagshipPanic)
    #expect(rig.take(heard) == ["FETCHING NONE", "PANIC NONE"])
    #expect(visitor.snapshotOfState.flags.count == 0 && rig.face.status == .panic)
    #expect(visitor.updateContext([Attribute(name: [1], value: .int(1))]) == .flagshipPanic)
    #expect(visitor.clearContext() == .flagshipPanic)
    #expect(visitor.authenticate(as: [1]) == .flagshipPanic)
    #expect(visitor.unauthenticate() == .flagshipPanic)
    #expect(rig.take(heard).isEmpty, "what is refused is not announced (D-PANICCTX)")
    decisions.now(.status(200, ScriptedDecisions.one))
    #expect(rig.fetch(visitor) == .ok)
    #expect(visitor.fetchProgress == (.fetched, .none) && visitor.snapshotOfState.flags.count == 2)
  }

  @Test("Before the start nothing is fetched or changed: no request, and no reason (FS-39, FS-46, 5.1; before start)")
  func beforeTheStartNothingIsFetchedOrChanged() throws {
    let rig = try FlagshipRig(["autostart": "false"])
    let heard = HeardFetches()
    let visitor = try rig.visitor("v", listener: heard)
    #expect(rig.fetch(visitor) == .flagshipNotInitialized)
    #expect(rig.take(heard) == ["FETCHING NONE", "FETCH_REQUIRED NONE"])
    #expect(visitor.updateContext([Attribute(name: [1], value: .int(1))]) == .flagshipNotInitialized)
    #expect(visitor.authenticate(as: [1]) == .flagshipNotInitialized)
    #expect(rig.transport.requests.isEmpty)
  }

  @Test("Changes of the context are announced, also when no value is another (FS-47, FS-59 to FS-63; ready)")
  func changesOfTheContextAreAnnouncedAlsoWhenNoValueIsAnother() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let heard = HeardFetches()
    let visitor = try rig.visitor("v", listener: heard)
    let pair = [Attribute(name: Array("k".utf8), value: .int(1))]
    for _ in 0..<2 {
      #expect(rig.fetch(visitor) == .ok)
      _ = rig.take(heard)
      #expect(visitor.updateContext(pair) == .ok)
      #expect(rig.take(heard) == ["FETCH_REQUIRED UPDATE_CONTEXT"])
    }
    #expect(text(visitor.contextText).contains(#""k":1"#))
    #expect(rig.fetch(visitor) == .ok)
    #expect(visitor.updateContext([Attribute(name: Array("sdk_city".utf8), value: .int(1))]) == .flagshipContextRefused)
    #expect(visitor.updateContext([Attribute(name: PredefinedKey.locationCity.bytes, value: .string(Array("Lyon".utf8)))]) == .ok)
    #expect(visitor.fetchReason == .updateContext)
    #expect(rig.fetch(visitor) == .ok)
    #expect(visitor.clearContext() == .ok)
    #expect(visitor.fetchProgress == (.fetchRequired, .updateContext))
    let context = text(visitor.contextText)
    #expect(!context.contains("Lyon") && context.contains(#""sdk_osName":"Linux""#) && context.contains(#""fs_users":"v""#))
  }

  @Test("Authenticating and back have to be fetched (FS-48, FS-49, FS-68 to FS-70; ready)")
  func authenticatingAndBackHaveToBeFetched() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let visitor = try rig.visitor("anonymous")
    #expect(rig.fetch(visitor) == .ok)
    #expect(visitor.authenticate(as: []) == .argument)
    #expect(visitor.fetchStatus == .fetched)
    #expect(visitor.authenticate(as: Array("known".utf8)) == .ok)
    #expect(visitor.fetchProgress == (.fetchRequired, .authenticate))
    #expect(text(visitor.id) == "known" && visitor.anonymousID.map { text($0) } == "anonymous")
    #expect(text(visitor.contextText).contains(#""fs_users":"known""#))
    #expect(visitor.snapshotOfState.flags.count == 2, "flags stay until the next fetch")
    #expect(rig.fetch(visitor) == .ok)
    #expect(visitor.unauthenticate() == .ok)
    #expect(visitor.fetchProgress == (.fetchRequired, .unauthenticate))
    #expect(text(visitor.id) == "anonymous" && visitor.anonymousID == nil)
  }

  /// An answer for somebody else changes nothing.
  @Test func anAnswerForTheFormerVisitorIsOfNoUse() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let visitor = try rig.visitor("anonymous")
    let ended = Locked<Status?>(nil)
    #expect(visitor.fetch { ended.value = $0 } == .ok)
    #expect(visitor.authenticate(as: Array("known".utf8)) == .ok)
    rig.settle { ended.value != nil }
    #expect(ended.value == .superseded)
    #expect(visitor.snapshotOfState.flags.count == 0)
    #expect(visitor.fetchProgress == (.fetchRequired, .authenticate))
  }

  /// 5.3: what nobody wants any more is not asked on. State: a fetch is under way.
  @Test func supersededFetchesAreCalledOff() throws {
    let rig = try FlagshipRig()
    let visitor = try rig.visitor("anonymous")
    let ended = Locked<[Status]>([])
    func fetch() {
      #expect(visitor.fetch { status in ended.change { $0.append(status) } } == .ok)
      rig.scheduler.run()
    }
    func asked() -> [ScriptedExchange] { rig.transport.exchanges.filter { $0.request.url.contains("/campaigns") } }
    fetch()
    #expect(visitor.updateContext([Attribute(name: [65], value: .int(1))]) == .ok)
    fetch()
    #expect(asked().map(\.isCancelled) == [true, false], "another context")
    #expect(visitor.authenticate(as: Array("known".utf8)) == .ok)
    rig.settle { ended.value.count == 2 }
    #expect(asked().map(\.isCancelled) == [true, true] && ended.value == [.superseded, .superseded], "another visitor")
    #expect(visitor.fetchProgress == (.fetchRequired, .authenticate))
    fetch()
    asked().last?.complete(.status(200, ScriptedDecisions.one))
    rig.settle { ended.value.count == 3 }
    #expect(ended.value.last == .ok && visitor.fetchStatus == .fetched)
  }

  @Test func anAnswerForAFormerContextIsBetterThanNone() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let visitor = try rig.visitor("v")
    let ended = Locked<Status?>(nil)
    #expect(visitor.fetch { ended.value = $0 } == .ok)
    #expect(visitor.updateContext([Attribute(name: [65], value: .int(1))]) == .ok)
    rig.settle { ended.value != nil }
    #expect(ended.value == .ok)
    #expect(visitor.snapshotOfState.flags.count == 2)
    #expect(visitor.fetchProgress == (.fetchRequired, .updateContext))
  }

  @Test func fetchesOfOneVisitorAreOne() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let visitor = try rig.visitor("v")
    let ended = Locked(0)
    for _ in 0..<5 { #expect(visitor.fetch { _ in ended.change { $0 += 1 } } == .ok) }
    rig.settle { ended.value == 5 }
    #expect(ended.value == 5 && decisions.bodies.value.count == 1)
  }

  @Test("A fetch soon after another does nothing where that is wanted (FS-204; ready)")
  func aFetchSoonAfterAnotherDoesNothingWhereThatIsWanted() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(["fetch.buffering_ms": "2000"], respond: decisions.respond)
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    rig.scheduler.advance(milliseconds: 1999)
    #expect(rig.fetch(visitor) == .ok)
    #expect(decisions.bodies.value.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.fetch(visitor) == .ok)
    #expect(decisions.bodies.value.count == 2)
    #expect(visitor.updateContext([Attribute(name: [65], value: .int(1))]) == .ok)
    #expect(rig.fetch(visitor) == .ok)
    #expect(decisions.bodies.value.count == 3, "the window is for flags that are fetched")
  }

  @Test("The shared visitor is the last one that was to be (FS-31, FS-32; ready, closed)")
  func theSharedVisitorIsTheLastOneThatWasToBe() throws {
    let rig = try FlagshipRig()
    #expect(rig.face.sharedVisitor == nil)
    let first = try rig.visitor("a")
    #expect(rig.face.sharedVisitor === first)
    _ = try rig.visitor("b") { $0.isShared = false }
    #expect(rig.face.sharedVisitor === first)
    let third = try rig.visitor("c")
    #expect(rig.face.sharedVisitor === third)
    #expect(rig.client.currentContext?.frozen.targetingKey.map { text($0) } == "c")
    #expect(rig.client.close(timeoutMilliseconds: 0) != .state)
    #expect(rig.face.sharedVisitor == nil)
  }

  /// The client's current context is the shared visitor's.
  @Test func theClientFollowsItsSharedVisitor() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let visitor = try rig.visitor("a")
    #expect(visitor.updateContext([Attribute(name: Array("k".utf8), value: .int(7))]) == .ok)
    let name = Array("k".utf8)
    #expect(rig.client.currentContext?.frozen.find(name.withBytes { $0 }, hash: Hash64.hash(name)) != nil)
    #expect(visitor.authenticate(as: Array("b".utf8)) == .ok)
    #expect(rig.client.currentContext?.frozen.targetingKey.map { text($0) } == "b")
  }

  /// 5.3: a visitor without an id gets one, and a word about it.
  @Test func anEmptyIDIsGenerated() throws {
    let rig = try FlagshipRig()
    let (first, second) = (try rig.visitor(""), try rig.visitor(""))
    #expect(first.id.count == 36 && second.id.count == 36 && first.id != second.id)
    rig.settle { rig.log.messages(.warning).contains { $0.contains("without an id") } }
    #expect(rig.log.messages(.warning).contains { $0.contains("without an id") })
  }

  /// Generated ids are kept on request, for this run and the next.
  @Test func generatedIDsAreKeptWhereThatIsWanted() throws {
    let manager = MemoryCacheManager()
    func ids() throws -> [[UInt8]] {
      let rig = try FlagshipRig(["generated_ids.keep": "true"], cacheManager: manager)
      rig.settle { rig.provider.visitors.installation.isComplete }
      let visitor = try rig.visitor("") { $0.isAuthenticated = true }
      return [visitor.id, visitor.anonymousID ?? []]
    }
    let first = try ids()
    #expect(first.allSatisfy { $0.count == 36 } && first[0] != first[1])
    #expect(try ids() == first)
  }

  @Test("Of all runs with one store, the first visitor alone is the first (FS-109; ready, second process)")
  func onlyTheFirstVisitorOfAStoreIsTheFirst() throws {
    let manager = MemoryCacheManager()
    func contexts() throws -> [Bool] {
      let rig = try FlagshipRig(cacheManager: manager)
      rig.settle { rig.provider.visitors.installation.isComplete }
      let isFirst = try ["a", "b"].map { try text(rig.visitor($0).contextText).contains(#""sdk_firstTimeInit":true"#) }
      rig.settle { manager.load(key: "visited") != nil }
      return isFirst
    }
    #expect(try contexts() == [true, false])
    #expect(try contexts() == [false, false])
  }

  @Test("An identify, which may come before the store has told, is the first one only where it is (FS-109; starting)")
  func anIdentifyWaitsForTheStore() throws {
    let manager = MemoryCacheManager()
    manager.save(key: "visited", value: Array("1".utf8))
    let rig = try FlagshipRig(cacheManager: manager, respond: ScriptedDecisions().respond)
    let ended = Locked<Status?>(nil)
    #expect(rig.client.identify(EvaluationContext(targetingKey: "a").reference()) { ended.value = $0 } == .ok)
    rig.settle { ended.value != nil }
    #expect(ended.value == .ok)
    let context = rig.face.sharedVisitor.map { text($0.contextText) } ?? ""
    #expect(context.contains(#""sdk_firstTimeInit":false"#))
  }

  /// 4.6, 5.1: a change that is refused is told in the log.
  @Test func refusedChangesAreLogged() throws {
    let rig = try FlagshipRig(["autostart": "false"])
    let visitor = try rig.visitor("v")
    #expect(visitor.updateContext([Attribute(name: [65], value: .int(1))]) == .flagshipNotInitialized)
    #expect(visitor.clearContext() == .flagshipNotInitialized)
    #expect(visitor.authenticate(as: [65]) == .flagshipNotInitialized && visitor.unauthenticate() == .flagshipNotInitialized)
    rig.settle { rig.log.messages(.warning).count >= 4 }
    let lines = rig.log.messages(.warning).filter { $0.contains("is refused: ") }
    #expect(lines.count == 4)
    #expect(lines.first?.contains("a change of the context is refused: ") == true)
    #expect(lines.last?.contains("unauthenticating a visitor is refused: ") == true)
  }

  @Test("Of an update what is taken counts, also when it was so before, and another pair is refused (FS-33, FS-47; ready)")
  func anUpdateThatIsTakenInPartIsAChange() throws {
    let rig = try FlagshipRig(respond: ScriptedDecisions().respond)
    let visitor = try rig.visitor("v") { $0.context = [Attribute(name: [65], value: .int(1))] }
    #expect(rig.fetch(visitor) == .ok)
    let refused = Attribute(name: Array("fs_users".utf8), value: .int(1))
    #expect(visitor.updateContext([refused]) == .flagshipContextRefused && visitor.fetchStatus == .fetched)
    #expect(visitor.updateContext([Attribute(name: [65], value: .int(1)), refused]) == .flagshipContextRefused)
    #expect(visitor.fetchProgress == (.fetchRequired, .updateContext))
  }

  @Test("A visitor that outlives its client answers, and does no harm (FS-39, FS-64; handle outlives client)")
  func aVisitorOutlivesItsClient() throws {
    let decisions = ScriptedDecisions()
    var rig: FlagshipRig? = try FlagshipRig(respond: decisions.respond)
    guard let visitor = try rig?.visitor("v", { $0.isShared = false }) else { return #expect(Bool(false)) }
    #expect(rig?.fetch(visitor) == .ok)
    let scheduler = rig?.scheduler
    rig = nil
    scheduler?.run()
    #expect(visitor.withClient { _, _ in } == nil)
    #expect(visitor.fetch(completion: nil) == .state)
    #expect(visitor.fetchAndWait(timeoutMilliseconds: 10) == .state)
    #expect(visitor.updateContext([Attribute(name: [65], value: .int(1))]) == .flagshipNotInitialized)
    #expect(visitor.authenticate(as: [65]) == .flagshipNotInitialized)
    #expect(visitor.setConsent(false) == .ok && !visitor.hasConsented)
    #expect(!visitor.export.isEmpty && !visitor.contextText.isEmpty)
  }
}
