import Glibc
import Synchronization
import HoistCore
import HoistTestSupport
import Testing

@testable import Hoist

/// The face for server-side Swift, over a client that reads its flags from a text.
@Suite("Swift programs use the library without C") struct SwiftFaceTests {
  static let features = """
    {"version":2,"features":[
    {"name":"on","enabled":true,"strategies":[{"name":"default"}]},
    {"name":"norway","enabled":true,"strategies":[{"name":"default","constraints":[
      {"contextName":"country","operator":"IN","values":["NO"]}]}]},
    {"name":"size","enabled":true,"strategies":[{"name":"default"}],"variants":[
      {"name":"large","weight":1000,"payload":{"type":"number","value":"12"}}]},
    {"name":"theme","enabled":true,"strategies":[{"name":"default"}],"variants":[
      {"name":"dark","weight":1000,"payload":{"type":"json","value":"{\\"night\\":true}"}}]},
    {"name":"hello","enabled":true,"strategies":[{"name":"default"}],"variants":[
      {"name":"long","weight":1000,"payload":{"type":"string","value":"Good day"}}]}]}
    """

  static func open(
    _ properties: [String: String] = [:], plugins: HoistPlugins = HoistPlugins()
  ) throws -> HoistClient {
    let all = ["mode": "backend", "online": "false", "store": "none", "bootstrap": features, "log.level": "none"]
    return try HoistClient("unleash", all.merging(properties) { $1 }, plugins: plugins)
  }

  @Test func flagsAreReadByType() throws {
    let client = try Self.open()
    #expect(client.waitReady(within: .seconds(5)) == .ok)
    #expect(client.bool("on", default: false))
    #expect(client.int("size", default: 1) == 12)
    #expect(client.double("size", default: 1) == 12)
    #expect(client.string("hello", default: "Hi") == "Good day")
    #expect(client.json("theme") == #"{"night":true}"#)
  }

  @Test func whatIsMissingOrOfAnotherTypeIsTheDefaultAndSaysWhy() throws {
    let client = try Self.open()
    #expect(client.string("nobody", default: "mine") == "mine")
    #expect(client.int("hello", default: 7) == 7)
    let detail = client.evaluate("nobody")
    #expect(detail.errorCode == "FLAG_NOT_FOUND")
    #expect(detail.value == "null" && detail.variation == nil && !detail.isEnabled)
  }

  @Test func aContextBelongsToTheCallAndCopiesChangeOnTheirOwn() throws {
    let client = try Self.open()
    var traveller = HoistContext("u", ["country": "NO"])
    let before = traveller
    #expect(client.bool("norway", for: traveller, default: false))
    traveller.set("country", "SE")
    #expect(!client.bool("norway", for: traveller, default: true))
    #expect(client.bool("norway", for: before, default: false))
    #expect(traveller != before)
    #expect(traveller.remove("country") && !traveller.remove("country"))
  }

  @Test func aContextPassesThroughJSON() throws {
    let context = HoistContext("u", ["plan": "pro", "age": 30, "ratio": 0.5, "beta": true, "tags": ["a", "b"]])
    #expect(try HoistContext(json: context.json) == context)
    #expect(throws: HoistError.self) { try HoistContext(json: "[]") }
    var other = context
    #expect(other.set("ratio", .double(.nan)) == .argument)
    #expect(other == context)
  }

  @Test func aViewKeepsItsFlagsAndContext() throws {
    let client = try Self.open()
    let view = client.view(for: HoistContext("u", ["country": "NO"]))
    #expect(view.bool("norway", default: false))
    #expect(view.string("hello", default: "") == "Good day")
    #expect(view.variation("size") == "large" && view.variation("nobody") == nil)
    #expect(view.int("nobody", default: 3) == 3)
    client.close(within: .zero)
    #expect(view.bool("norway", default: false))
    #expect(!client.bool("on", default: false))
  }

  @Test func explanationsAndListingsAreJSON() throws {
    let client = try Self.open()
    let detail = client.explain("norway", for: HoistContext("u", ["country": "SE"]))
    #expect(detail.explanation.contains("country") && detail.explanation.contains("NO"))
    #expect(client.allFlags().contains(#""hello""#))
    #expect(client.statistics.contains(#""events""#))
  }

  @Test func wrongPropertiesAreNamed() {
    let unknown = #expect(throws: HoistError.self) { try HoistClient("unleash", ["colour": "red"]) }
    #expect(unknown?.property == "colour")
    let nobody = #expect(throws: HoistError.self) { try HoistClient("nobody") }
    #expect(nobody?.message.contains("unleash") == true)
  }

  @Test func observersAreToldWhenTheHostDispatches() throws {
    let client = try Self.open(["dispatch": "manual"])
    let told = Told()
    let observation = client.observe(.impression, key: nil) { _ in }
    observation.cancel()
    _ = client.observe(.contextChanged) { _ in told.note() }
    #expect(client.dispatchDescriptor >= 0)
    #expect(client.identify(HoistContext("u")) == .ok)
    var waiting = pollfd(fd: client.dispatchDescriptor, events: Int16(POLLIN), revents: 0)
    while told.count == 0, poll(&waiting, 1, 5_000) == 1 { client.dispatch() }
    #expect(told.count == 1)
  }

  @Test func theHostsOwnHookAndLogAreUsed() throws {
    let hook = CountingHook()
    let log = RecordingLogSink()
    var plugins = HoistPlugins()
    plugins.hooks = [hook]
    plugins.logSink = log
    let client = try Self.open(["log.level": "debug", "dispatch": "manual"], plugins: plugins)
    #expect(client.bool("on", default: false))
    #expect(hook.began.count == 1 && hook.ended.count == 1)
    client.close(within: .seconds(1))
  }

  @Test func aClosedClientMayOpenAgain() throws {
    let client = try Self.open()
    #expect(client.close(within: .seconds(5)) == .ok)
    #expect(client.state == .closed)
    #expect(client.track("late") == .state)
    #expect(client.reopen() == .ok)
    #expect(client.waitReady(within: .seconds(5)) == .ok)
    #expect(client.bool("on", default: false))
  }

  @Test(arguments: [
    (Duration.zero, Int64(0)), (.nanoseconds(1), 1), (.milliseconds(1500), 1500), (.seconds(-3), 0),
    (.seconds(Int64.max), Int64.max),
  ]) func durationsAreRoundedUp(duration: Duration, milliseconds: Int64) {
    #expect(HoistClient.milliseconds(duration) == milliseconds)
  }
}

/// How often something was told.
final class Told: Sendable {
  private let counter = Atomic<Int>(0)
  func note() { counter.wrappingAdd(1, ordering: .relaxed) }
  var count: Int { counter.load(ordering: .relaxed) }
}

final class CountingHook: EvaluationHook, Sendable {
  let began = Told()
  let ended = Told()
  func before(_ call: HookCall) -> Bool {
    began.note()
    return true
  }
  func after(_ call: HookCall, _ detail: EvaluationDetail) {}
  func error(_ call: HookCall, _ detail: EvaluationDetail) {}
  func finally(_ call: HookCall) { ended.note() }
}
