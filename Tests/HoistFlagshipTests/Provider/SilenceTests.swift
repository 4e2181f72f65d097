import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Calls of the core get fallbacks whenever the SDK has none but these (protocols/flagship.md 5.1)")
struct SilenceTests {
  private static let blue =
    #"{"campaigns":[{"id":"c1","variationGroupId":"g1","variation":{"id":"v1","modifications":{"type":"JSON","value":{"color":"blue"}}}}]}"#
  /// What an earlier run has kept of visitor u1.
  private static let record =
    #"{"version":1,"data":{"visitorId":"u1","anonymousId":null,"consent":true,"context":{},"campaigns":[{"campaignId":"c1","variationGroupId":"g1","variationId":"v1","flags":{"color":"blue"}}],"assignationHistory":{"g1":"v1"}}}"#

  private func answering(_ body: String) -> @Sendable (HTTPRequest) -> ScriptedTransport.Answer? {
    { $0.url.contains("/campaigns") ? .status(200, body) : .status(204) }
  }

  /// nil when the fallback serves.
  private func color(_ rig: FlagshipRig) -> String? {
    "color".withBytes {
      rig.client.evaluate($0, nil, .string, []) { evaluation, _ in
        evaluation.kind == .string ? String(decoding: evaluation.text, as: UTF8.self) : nil
      }
    }
  }

  private func plugins(_ cache: ScriptedCache) -> Plugins {
    var plugins = Plugins()
    plugins.vendor[FlagshipPlugins.visitorCache] = cache as any VisitorCache
    return plugins
  }

  private func told(_ changes: HeardChanges, _ rig: FlagshipRig) -> [[String]] {
    rig.scheduler.run()
    _ = rig.client.dispatch(limit: 100)
    return changes.all
  }

  @Test("Panic that another visitor sees silences them, and its end gives the shared visitor's flags back (FS-42; panic)")
  func panicOfAnother() throws {
    let rig = try FlagshipRig(respond: answering(Self.blue))
    let shared = try rig.visitor("u1")
    let own = try rig.visitor("u2") { $0.isShared = false }
    #expect(rig.fetch(shared) == .ok)
    let changes = HeardChanges()
    _ = rig.client.observe(.configurationChanged, key: nil, changes)
    #expect(color(rig) == "blue")

    rig.transport.setResponder(answering(#"{"campaigns":[],"panic":true}"#))
    #expect(rig.fetch(own) == .flagshipPanic)
    #expect(rig.client.state == .error)
    #expect(color(rig) == nil)
    #expect(told(changes, rig) == [["color"]])

    rig.transport.setResponder(answering(#"{"campaigns":[]}"#))
    #expect(rig.fetch(own) == .ok)
    #expect(rig.client.state == .ready)
    #expect(shared.fetchStatus == .fetched, "nobody has taken its flags away")
    #expect(color(rig) == "blue")
    #expect(told(changes, rig) == [["color"], ["color"]])
  }

  @Test("A panicking visitor's own flags are gone; the client's are fetched again when it is over (FS-42, FS-53, 5.3; panic)")
  func panicOfItsOwn() throws {
    let rig = try FlagshipRig(respond: answering(Self.blue))
    let shared = try rig.visitor("u1")
    let own = try rig.visitor("u2") { $0.isShared = false }
    #expect(rig.fetch(shared) == .ok)
    rig.transport.setResponder(answering(#"{"campaigns":[],"panic":true}"#))
    #expect(rig.fetch(shared) == .flagshipPanic)
    #expect(rig.fetch(own) == .flagshipPanic)
    #expect(shared.snapshotOfState.flags.count == 0 && own.snapshotOfState.flags.count == 0)
    rig.transport.setResponder(answering(Self.blue))
    #expect(rig.fetch(try rig.visitor("u3") { $0.isShared = false }) == .ok)
    rig.scheduler.run()
    #expect(color(rig) == "blue" && own.fetchStatus == .panic)
  }

  @Test("What becomes the shared visitor's in panic is served once it is over (FS-42; panic)")
  func sharedInPanic() throws {
    let rig = try FlagshipRig(respond: answering(#"{"campaigns":[],"panic":true}"#))
    let own = try rig.visitor("u2") { $0.isShared = false }
    #expect(rig.fetch(own) == .flagshipPanic)
    let shared = try rig.visitor("u1") { $0.record = Array(Self.record.utf8) }
    #expect(shared.snapshotOfState.flags.count == 1)
    #expect(color(rig) == nil)
    rig.transport.setResponder(answering(#"{"campaigns":[]}"#))
    #expect(rig.fetch(own) == .ok)
    #expect(color(rig) == "blue")
  }

  @Test("Kept flags are not served before the start, and from then on they are (FS-39, FS-51; before start)")
  func beforeTheStart() throws {
    let cache = ScriptedCache(.answered(["u1": Self.record]))
    let rig = try FlagshipRig(["autostart": "false"], plugins: plugins(cache))
    var options = VisitorOptions(id: Array("u1".utf8), hasConsented: true)
    options.record = Array(Self.record.utf8)
    let visitor = try #require(rig.face.visitor(options))
    #expect(visitor.snapshotOfState.flags.count == 1)
    #expect(rig.face.status == .notInitialized)
    #expect(color(rig) == nil)
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(color(rig) == "blue")
  }

  @Test("A close drops the shared visitor, and the next start serves nothing of it (FS-43, 5.8; reopened)")
  func afterAClose() throws {
    let rig = try FlagshipRig(respond: answering(Self.blue))
    #expect(rig.fetch(try rig.visitor("u1")) == .ok)
    #expect(color(rig) == "blue")
    let closing = rig.close()
    #expect(closing == .ok)
    #expect(rig.face.start() == .ok)
    rig.scheduler.run()
    #expect(rig.face.status == .initialized && rig.face.sharedVisitor == nil)
    #expect(color(rig) == nil)
  }

  @Test(
    "Whom an identify makes the shared visitor has the flags of an earlier run, also when nothing can be fetched (FS-10, FS-51; failing)"
  )
  func identifiedWithoutNetwork() throws {
    let cache = ScriptedCache(.answered(["u1": Self.record]))
    let rig = try FlagshipRig(plugins: plugins(cache)) { _ in .noAnswer }
    let ended = Locked<Status?>(nil)
    let status = rig.client.identify(EvaluationContext(targetingKey: "u1").reference()) { ended.value = $0 }
    #expect(status == .ok)
    rig.settle { ended.value != nil }
    #expect(ended.value == .network)
    #expect(rig.face.sharedVisitor?.snapshotOfState.flags.count == 1)
    #expect(color(rig) == "blue")
  }

  @Test("In bucketing mode a file that says panic silences them, too (FS-42; panic)")
  func bucketing() throws {
    let rig = try FlagshipRig.bucketing(["polling_interval": "1"]) { _ in Bucketing.answer() }
    #expect(rig.string("color", visitor: "anybody") == "blue")
    rig.transport.setResponder { _ in Bucketing.answer(Bucketing.panic) }
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.face.status == .panic)
    #expect(rig.string("color", visitor: "anybody") == nil)
    rig.transport.setResponder { _ in Bucketing.answer() }
    rig.scheduler.advance(milliseconds: 1_000)
    #expect(rig.string("color", visitor: "anybody") == "blue")
  }
}
