import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Calls of the core: the shared visitor is the client's current context (FS-31; ready)")
struct CoreCallsTests {
  private static func answer(_ color: String) -> ScriptedTransport.Answer {
    .status(
      200,
      #"{"campaigns":[{"id":"c1","variationGroupId":"g1","variation":{"id":"v1","modifications":{"type":"JSON","value":{"color":"\#(color)"}}}}]}"#
    )
  }

  private func rig() throws -> FlagshipRig {
    try FlagshipRig { $0.url.contains("/campaigns") ? Self.answer("blue") : .status(204) }
  }

  private func context(_ key: String, plan: String? = nil) -> EvaluationContext {
    EvaluationContext(
      targetingKey: Array(key.utf8),
      attributes: plan.map { [Attribute(name: Array("plan".utf8), value: .string(Array($0.utf8)))] } ?? [])
  }

  private func identify(_ rig: FlagshipRig, _ context: EvaluationContext) -> Status? {
    let ended = Locked<Status?>(nil)
    let status = rig.client.identify(context.reference()) { ended.value = $0 }
    if status != .ok { return status }
    rig.settle { ended.value != nil }
    return ended.value
  }

  /// nil when the fallback serves.
  private func color(_ rig: FlagshipRig, _ context: EvaluationContext?) -> String? {
    "color".withBytes {
      rig.client.evaluate($0, context?.subject, .string, .counted) { evaluation, _ in
        evaluation.kind == .string ? String(decoding: evaluation.text, as: UTF8.self) : nil
      }
    }
  }

  @Test(
    "In Decision API mode an identify fetches, and its context is answered for, with what the SDK adds to it (FS-06, FS-31; ready)"
  )
  func identifying() throws {
    let rig = try rig()
    let gold = context("u1", plan: "gold")
    #expect(color(rig, gold) == nil)
    #expect(identify(rig, gold) == .ok)
    #expect(rig.transport.requests.filter { $0.url.contains("/campaigns") }.count == 1)
    #expect(color(rig, nil) == "blue")
    #expect(color(rig, gold) == "blue")
    #expect(color(rig, context("u1", plan: "gold")) == "blue")
  }

  @Test("Another context than the current one gets the fallback, never somebody else's values")
  func otherContexts() throws {
    let rig = try rig()
    #expect(identify(rig, context("u1", plan: "gold")) == .ok)
    for other in [context("u2", plan: "gold"), context("u1", plan: "free"), context("u1")] { #expect(color(rig, other) == nil) }
    #expect(identify(rig, context("u1")) == .ok)
    #expect(color(rig, context("u1")) == "blue")
    #expect(color(rig, context("u1", plan: "gold")) == nil)
  }

  @Test("What visitors' contexts do not take does not make a context another one")
  func refusedPairs() throws {
    let rig = try rig()
    let pairs = [
      Attribute(name: Array("since".utf8), value: .strings([Array("a".utf8)])),
      Attribute(name: Array("fs_users".utf8), value: .string(Array("me".utf8))),
      Attribute(name: Array("sdk_osName".utf8), value: .string(Array("Other".utf8))),
      Attribute(name: Array("sdk_city".utf8), value: .string(Array("Lyon".utf8))),
    ]
    let odd = EvaluationContext(targetingKey: Array("u1".utf8), attributes: pairs)
    #expect(identify(rig, odd) == .ok)
    #expect(color(rig, odd) == "blue")
    let wrong = [
      Attribute(name: Array("sdk_city".utf8), value: .int(5)), Attribute(name: [], value: .int(1)),
      Attribute(name: Array("sdk_ip".utf8), value: .string(Array("nowhere".utf8))),
    ]
    for pairs in [wrong, (0..<10_000).map { Attribute(name: Array("k\($0)".utf8), value: .int(1)) }] {
      let refused = EvaluationContext(targetingKey: Array("u1".utf8), attributes: pairs)
      #expect(identify(rig, refused) == .ok)
      let asked = decisions(rig)
      #expect(color(rig, EvaluationContext(targetingKey: Array("u1".utf8), attributes: pairs)) == "blue")
      #expect(identify(rig, EvaluationContext(targetingKey: Array("u1".utf8), attributes: pairs)) == .ok)
      #expect(decisions(rig) == asked)
    }
    #expect(identify(rig, odd) == .ok)
    let elsewhere = EvaluationContext(
      targetingKey: Array("u1".utf8), attributes: [Attribute(name: Array("sdk_city".utf8), value: .string(Array("Paris".utf8)))])
    #expect(color(rig, elsewhere) == nil)
  }

  @Test("The same targeting key changes the shared visitor's context, another one is another visitor")
  func sharedVisitor() throws {
    let rig = try rig()
    #expect(identify(rig, context("u1")) == .ok)
    let first = try #require(rig.face.sharedVisitor)
    #expect(text(first.id) == "u1")
    #expect(identify(rig, context("u1", plan: "gold")) == .ok)
    #expect(rig.face.sharedVisitor === first)
    #expect(text(first.contextText).contains(#""plan":"gold""#))
    #expect(identify(rig, context("u2")) == .ok)
    #expect(rig.face.sharedVisitor !== first)
    #expect(rig.face.sharedVisitor.map { text($0.id) } == "u2")
  }

  @Test("In panic every call gets its fallback (FS-42; panic)")
  func panic() throws {
    let rig = try rig()
    #expect(identify(rig, context("u1")) == .ok)
    rig.transport.setResponder { $0.url.contains("/campaigns") ? .status(200, #"{"panic":true}"#) : .status(204) }
    refresh(rig)
    #expect(color(rig, nil) == nil)
    #expect(rig.client.state == .error)
    rig.transport.setResponder { _ in Self.answer("green") }
    let asked = decisions(rig)
    refresh(rig)
    #expect(color(rig, nil) == "green")
    #expect(decisions(rig) - asked == 1)
  }

  @Test("A start that is told of late does not bring back flags that a panic has taken (FS-41, FS-42; starting, panic)")
  func startToldLate() throws {
    let rig = try FlagshipRig(["autostart": "false"]) { $0.url.contains("/campaigns") ? Self.answer("blue") : .status(204) }
    let follower = LateFollower(rig.provider.visitors)
    rig.provider.status.connect(follower)
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(identify(rig, context("u1")) == .ok)
    rig.transport.setResponder { $0.url.contains("/campaigns") ? .status(200, #"{"panic":true}"#) : .status(204) }
    #expect(rig.fetch(try rig.visitor("other") { $0.isShared = false }) == .flagshipPanic)
    for start in follower.late.value { rig.provider.visitors.statusChanged(from: .notInitialized, to: start) }
    #expect(follower.late.value.count == 1 && color(rig, nil) == nil)
  }

  @Test(
    "When another visitor finds the end of a panic, the client's flags are fetched at once, and only where they are gone (FS-42; panic)",
    arguments: ["u1", "other"])
  func endOfPanic(foundBy panicked: String) throws {
    let rig = try rig()
    #expect(identify(rig, context("u1")) == .ok)
    let other = try rig.visitor("other") { $0.isShared = false }
    rig.transport.setResponder { $0.url.contains("/campaigns") ? .status(200, #"{"panic":true}"#) : .status(204) }
    if panicked == "u1" { refresh(rig) } else { #expect(rig.fetch(other) == .flagshipPanic) }
    #expect(color(rig, nil) == nil)
    rig.transport.setResponder { $0.url.contains("/campaigns") ? Self.answer("green") : .status(204) }
    let asked = decisions(rig)
    #expect(rig.fetch(other) == .ok)
    for _ in 0..<4 { rig.scheduler.run() }
    #expect(color(rig, nil) == (panicked == "u1" ? "green" : "blue"))
    #expect(decisions(rig) - asked == (panicked == "u1" ? 2 : 1))
    #expect(rig.client.state == .ready)
  }

  private func decisions(_ rig: FlagshipRig) -> Int { rig.transport.requests.filter { $0.url.contains("/campaigns") }.count }

  @Test("A fetch that fails leaves the flags as they are (FS-10; failing)")
  func timeoutKeepsFlags() throws {
    let rig = try rig()
    #expect(identify(rig, context("u1")) == .ok)
    rig.transport.setResponder { _ in .failure(TransportFailure(.timeout, "no answer in time")) }
    refresh(rig)
    #expect(color(rig, nil) == "blue")
    #expect(rig.client.state == .stale)
    #expect(identify(rig, context("u1", plan: "gold")) == .network)
    #expect(color(rig, nil) == "blue")
  }

  @Test(
    "An identify takes the place of one that is under way, and calls its request off (FS-31; ready)", arguments: ["u2", "u1"])
  func superseded(key: String) throws {
    let rig = try FlagshipRig()
    let ended = Locked<[Status]>([])
    for next in [context("u1"), context(key, plan: "gold")] {
      #expect(rig.client.identify(next.reference()) { status in ended.change { $0.append(status) } } == .ok)
      rig.scheduler.run()
    }
    let asked = rig.transport.exchanges.filter { $0.request.url.contains("/campaigns") }
    #expect(asked.map(\.isCancelled) == [true, false])
    asked.last?.complete(Self.answer("blue"))
    rig.settle { ended.value.count == 2 }
    #expect(ended.value == [.superseded, .ok] && color(rig, nil) == "blue")
  }

  @Test("An identify with the context whose flags are being fetched awaits them, and asks for nothing (FS-31; ready)")
  func equalMeanwhile() throws {
    let rig = try FlagshipRig()
    let ended = Locked<[Status]>([])
    for _ in 0..<3 {
      #expect(
        rig.client.identify(context("u1", plan: "gold").reference()) { status in ended.change { $0.append(status) } } == .ok)
      rig.scheduler.run()
    }
    let asked = rig.transport.exchanges.filter { $0.request.url.contains("/campaigns") }
    #expect(asked.map(\.isCancelled) == [false])
    asked.last?.complete(Self.answer("blue"))
    rig.settle { ended.value.count == 3 }
    #expect(ended.value == [.ok, .ok, .ok] && color(rig, nil) == "blue")
  }

  @Test("A flag changes without its siblings, wherever it is decided (FLAG_CHANGED)", arguments: ["decision_api", "bucketing"])
  func siblings(mode: String) throws {
    @Sendable func flags(_ color: String) -> String { #""modifications":{"type":"JSON","value":{"color":"\#(color)","size":1}}"# }
    let rig = try FlagshipRig(["mode": mode]) { _ in nil }
    let changes = HeardChanges()
    _ = rig.client.observe(.flagChanged, key: nil, changes)
    for color in ["blue", "green"] {
      rig.transport.setResponder { request in
        let variation = #"{"id":"v1","allocation":100,\#(flags(color))}"#
        if request.url.contains("/campaigns") {
          return .status(200, #"{"campaigns":[{"id":"c1","variationGroupId":"g1","variation":\#(variation)}]}"#)
        }
        guard request.url.hasSuffix("bucketing.json") else { return .status(200) }
        let targeting = #"{"targetingGroups":[{"targetings":[]}]}"#
        return Bucketing.answer(
          #"{"campaigns":[{"id":"c1","variationGroups":[{"id":"g1","targeting":\#(targeting),"variations":[\#(variation)]}]}]}"#)
      }
      for exchange in rig.transport.open { exchange.complete(.noAnswer) }
      #expect(identify(rig, context("u1")) == .ok)
      refresh(rig)
      rig.settle { self.color(rig, nil) == color }
    }
    rig.settle { changes.all.count >= 3 }
    #expect(changes.all.map { $0.joined() } == ["color", "size", "color"])
  }

  private func refresh(_ rig: FlagshipRig) {
    #expect(rig.client.refresh() == .ok)
    rig.scheduler.run()
  }

  @Test("Ready: an equal context is done at once, without a request")
  func equalContext() throws {
    let rig = try rig()
    #expect(identify(rig, context("u1", plan: "gold")) == .ok)
    let asked = rig.transport.requests.count
    #expect(identify(rig, context("u1", plan: "gold")) == .ok)
    #expect(rig.transport.requests.count == asked)
    #expect(identify(rig, context("u1", plan: "free")) == .ok)
    #expect(rig.transport.requests.count > asked)
  }

  @Test(
    "Starting with property context: ready when that visitor's flags are there, and failures are tried again (FS-31; starting, failing)"
  )
  func contextOfTheProperties() throws {
    let rig = try FlagshipRig(["context": #"{"targetingKey":"u1","plan":"gold"}"#]) { _ in .noAnswer }
    rig.settle { rig.client.state == .error }
    #expect(rig.client.waitReady(timeoutMilliseconds: 0) == .timeout)
    rig.transport.setResponder { _ in Self.answer("green") }
    rig.scheduler.advance(milliseconds: 3_000)
    #expect(rig.client.state == .ready)
    #expect(rig.client.waitReady(timeoutMilliseconds: 0) == .ok)
    #expect(color(rig, nil) == "green")
    #expect(rig.face.sharedVisitor.map { text($0.id) } == "u1")
  }

  @Test("Starting without property context: ready as soon as visitors can be made; nobody's flags are read (FS-31; starting)")
  func noContext() throws {
    let rig = try rig()
    #expect(rig.client.state == .ready)
    #expect(color(rig, nil) == nil)
    #expect(throws: ConfigurationFailure.self) { try FlagshipRig(["context": "[]"]) }
  }

  @Test("In bucketing mode any context is decided at once; none means the shared visitor (FS-07, FS-31; ready)")
  func bucketing() throws {
    let rig = try FlagshipRig.bucketing { $0.url.hasSuffix("bucketing.json") ? Bucketing.answer() : .status(200) }
    #expect(color(rig, context("somebody", plan: "any")) == "blue")
    #expect(color(rig, nil) == nil)
    #expect(identify(rig, context("u1")) == .ok)
    #expect(color(rig, nil) == "blue")
    #expect(rig.transport.requests.allSatisfy { !$0.url.contains("/campaigns") })
  }
}

/// Passes on what it is told but for the start.
private final class LateFollower: StatusFollower {
  let late = Locked<[SDKStatus]>([])
  private let next: any StatusFollower

  init(_ next: any StatusFollower) { self.next = next }

  func statusChanged(from before: SDKStatus, to now: SDKStatus) {
    if before == .notInitialized { late.change { $0.append(now) } } else { next.statusChanged(from: before, to: now) }
  }
}
