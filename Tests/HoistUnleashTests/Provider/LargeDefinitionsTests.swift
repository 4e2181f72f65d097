import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

private typealias Service = BackendService

/// Definitions that are compiled elsewhere, and what happens meanwhile (contract 1, 5).
@Suite("While definitions are compiled, the client goes on") struct LargeDefinitionsTests {
  private static func large(_ id: Int, _ name: String) -> String {
    let padding = String(repeating: "x", count: DocumentCompiler.largeBytes)
    return Service.batch(
      "{\"type\":\"hydration\",\"eventId\":\(id),\"segments\":[],\"features\":["
        + "{\"name\":\"\(name)\",\"enabled\":true,\"description\":\"\(padding)\"}]}")
  }

  private func streaming() throws -> (ClientRig, ScriptedExchange) {
    let rig = try #require(ClientRig(Service.options("streaming")))
    rig.begin()
    let stream = try #require(rig.transport.streams.last)
    stream.openAsEvents()
    return (rig, stream)
  }

  private func answer(_ rig: ClientRig, _ body: String, _ headers: [String: String] = [:]) {
    rig.transport.open.last?.complete(Service.ok(body, headers))
    rig.scheduler.run()
  }

  @Test("Changes that the stream brings behind a large set wait for it, and none is lost (UNL-93; ready)") func order() throws {
    let (rig, stream) = try streaming()
    stream.say("unleash-connected", id: 7, Service.batch(Service.hydration(7, "old")))
    rig.scheduler.run()
    let held = rig.client.compiler.hold()
    stream.say("unleash-updated", id: 8, Self.large(8, "whole"))
    stream.say("unleash-updated", id: 9, Service.batch(Service.updated(9, "more")))
    stream.say("unleash-updated", id: 10, Service.batch(Service.removed(10, "whole")))
    rig.scheduler.run()
    #expect(rig.on("old", "whole", "more") == ["old"])
    held.give(true)
    rig.settle { rig.on("old", "whole", "more") == ["more"] }
  }

  @Test("A change that follows while all flags are compiled is served after them (UNL-93; ready)") func changesMeanwhile() throws
  {
    let (rig, stream) = try streaming()
    stream.say("unleash-connected", id: 7, Service.batch(Service.hydration(7, "old")))
    rig.scheduler.run()
    let held = rig.client.compiler.hold()
    // A new flag is more than a patch.
    stream.say("unleash-updated", id: 8, Service.batch(Service.updated(8, "new")))
    rig.scheduler.run()
    stream.say("unleash-updated", id: 9, Service.batch(Service.removed(9, "old")))
    rig.scheduler.run()
    #expect(rig.on("old", "new") == ["old"])
    held.give(true)
    rig.settle {
      rig.scheduler.advance(milliseconds: 10)
      return rig.on("old", "new") == ["new"]
    }
  }

  @Test("What is compiled when the client closes is not served, and a stream begins anew (closed, reopened)") func closed() throws
  {
    let (rig, stream) = try streaming()
    stream.say("unleash-connected", id: 7, Service.batch(Service.hydration(7, "old")))
    rig.scheduler.run()
    let held = rig.client.compiler.hold()
    stream.say("unleash-updated", id: 8, Self.large(8, "whole"))
    rig.scheduler.run()
    _ = rig.face.stop()
    rig.scheduler.run()
    held.give(true)
    rig.begin()
    let second = try #require(rig.transport.streams.last)
    second.openAsEvents()
    second.say("unleash-connected", id: 9, Service.batch(Service.hydration(9, "next")))
    rig.settle { rig.on("old", "whole", "next") == ["next"] }
  }

  @Test("A large set that cannot be read ends the connection, and what is behind it does not count (UNL-93, G3; failing)")
  func broken() throws {
    let (rig, stream) = try streaming()
    stream.say("unleash-connected", id: 7, Service.batch(Service.hydration(7, "old")))
    rig.scheduler.run()
    let held = rig.client.compiler.hold()
    stream.say("unleash-updated", id: 8, "{\"events\":[\(String(repeating: "x", count: DocumentCompiler.largeBytes))]}")
    stream.say("unleash-updated", id: 9, Service.batch(Service.updated(9, "more")))
    rig.scheduler.run()
    #expect(!stream.isCancelled)
    held.give(true)
    rig.settle { stream.isCancelled }
    #expect(rig.on("old", "more") == ["old"])
  }

  @Test("A fetch ends when its flags are compiled, and one that is called off serves nothing (D.1, D.2; ready, offline)")
  func fetched() throws {
    let rig = try #require(ClientRig(Service.options("polling")))
    rig.begin()
    answer(rig, Service.document("old"))
    #expect(rig.on("old") == ["old"])
    for isCalledOff in [false, true] {
      let held = rig.client.compiler.hold()
      let outcome = rig.fetch()
      answer(rig, isCalledOff ? Service.document("never") : Service.document("new"), ["ETag": "\"\(isCalledOff)\""])
      #expect(outcome.value == nil)
      if isCalledOff { _ = rig.client.setOnline(false) }
      rig.scheduler.run()
      held.give(true)
      rig.settle { outcome.value != nil }
      #expect(outcome.value == (isCalledOff ? .superseded : .ok))
      #expect(rig.on("old", "new", "never") == ["new"])
    }
    _ = rig.client.setOnline(true)
    rig.scheduler.run()
    #expect(rig.transport.requests.last?.headers.value(of: "If-None-Match") == "\"false\"", "what was not served names nothing")
  }

  @Test("Deltas that cannot be read leave what was there, and everything is asked for (B.8, G3; failing)") func deltas() throws {
    let rig = try #require(ClientRig(Service.options("delta")))
    rig.begin()
    answer(rig, Service.batch(Service.hydration(7, "old")), ["ETag": "\"7\""])
    let held = rig.client.compiler.hold()
    rig.fetch()
    answer(rig, Service.batch(Service.updated(8, "new"), "{\"type\":1}"))
    held.give(true)
    rig.settle { rig.transport.open.isEmpty && !rig.log.messages(.warning).isEmpty || rig.client.state == .stale }
    #expect(rig.on("old", "new") == ["old"])
    rig.fetch()
    #expect(rig.transport.requests.last?.headers.value(of: "If-None-Match") == nil)
  }

  @Test("Flags of a former context that are compiled when it changes are not served (D.5; ready)") func context() throws {
    let rig = try #require(ClientRig(["url": "https://flags.test/api/frontend", "key": "*:dev.secret"]))
    rig.begin()
    let held = rig.client.compiler.hold()
    answer(rig, "{\"toggles\":[{\"name\":\"former\",\"enabled\":true,\"variant\":{\"name\":\"disabled\",\"enabled\":false}}]}")
    let reference = try #require(EvaluationContext(targetingKey: "anna").reference())
    _ = rig.client.identify(reference) { _ in }
    rig.scheduler.run()
    held.give(true)
    rig.settle { rig.transport.open.count == 1 }
    answer(rig, "{\"toggles\":[{\"name\":\"current\",\"enabled\":true,\"variant\":{\"name\":\"disabled\",\"enabled\":false}}]}")
    rig.settle { rig.on("former", "current") == ["current"] }
  }
}
