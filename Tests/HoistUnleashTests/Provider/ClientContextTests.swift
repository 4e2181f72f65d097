import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

/// What a client's context is made of, and who is served with it: protocols/unleash.md B.2, C.1, D.6.
struct ClientContextTests {
  private func isOn(_ rig: ClientRig, _ name: String, _ context: EvaluationContext) -> Bool {
    name.withBytes {
      rig.client.evaluate($0, context.subject, .bool, []) { evaluation, _ in evaluation.kind == .bool && evaluation.integer != 0 }
    }
  }

  @Test("The very context that a client was given, or begins with, is served when it comes with a call (UNL-41, D.6; ready)")
  func theGivenContextIsServed() throws {
    let rig = try #require(ClientRig(frontend.merging(["context": #"{"userId":"u"}"#]) { $1 }))
    rig.transport.setResponder { _ in toggles("a") }
    rig.start()
    #expect(isOn(rig, "a", EvaluationContext(targetingKey: "u")) && isOn(rig, "a", user("u")))
    #expect(!isOn(rig, "a", user("v")) && !isOn(rig, "a", context(["tier": "gold"], key: "u")))
    _ = rig.face.updateContext(["userId": "v", "tier": "gold"], properties: [:]) { _ in }
    // Also before its flags have come.
    let given = context(["tier": "gold"], key: "v")
    #expect(isOn(rig, "a", given))
    rig.scheduler.run()
    #expect(isOn(rig, "a", given) && !isOn(rig, "a", user("v")))
    let session = try #require(rig.face.flattenedContext["sessionId"])
    #expect(isOn(rig, "a", context(["tier": "gold", "sessionId": session, "appName": "any"], key: "v")))
    #expect(!isOn(rig, "a", context(["tier": "gold", "sessionId": session + "x"], key: "v")))
  }

  @Test("In backend mode too properties are laid over the context's, and never over its fields (UNL-42, B.2; before start)")
  func propertiesAreLaidOver() throws {
    let initial = ["context": #"{"userId":"u","plan":"free"}"#, "properties": #"{"userId":"shadow","plan":"pro"}"#]
    let rig = try #require(ClientRig(BackendService.options(nil, initial)))
    #expect(rig.face.flattenedContext == ["userId": "u", "plan": "pro"])
    _ = rig.face.updateContext(["sessionId": "s", "plan": "free"], properties: ["sessionId": "shadow", "plan": "team"]) { _ in }
    #expect(rig.face.flattenedContext == ["sessionId": "s", "plan": "team"])
  }

  @Test("An impression tells of all that decided the flag: the call's context and what it inherits (UNL-56; ready)")
  func impressionsTellOfTheInheritedContext() throws {
    let initial = ["context": #"{"region":"eu","plan":"free","userId":"own"}"#, "impression_data_all": "true"]
    let rig = try #require(ClientRig(BackendService.options(nil, initial)))
    rig.transport.setResponder { _ in BackendService.ok(BackendService.document("a")) }
    rig.start()
    let news = rig.news(of: .impression)
    let call = context(["plan": "pro"], key: "u")
    _ = "a".withBytes { rig.client.evaluate($0, call.subject, .bool, .counted) { _, _ in 0 } }
    _ = rig.takeEvents()
    let text = String(decoding: try #require(news.all.first).json, as: UTF8.self)
    #expect(text.contains(#""environment":"default","plan":"pro","region":"eu","userId":"u"}"#))
  }

  @Test("D.2: a changed field tries a refused key again, in backend mode too")
  func aChangedFieldTriesARefusedKeyAgain() throws {
    let rig = try #require(ClientRig(BackendService.options(nil, ["refresh_interval": "15"])))
    rig.transport.setResponder { _ in BackendService.status(401) }
    rig.start()
    #expect(rig.transport.requests.count == 1 && rig.client.state == .error)
    rig.transport.setResponder { _ in BackendService.ok(BackendService.document("a")) }
    for name in ["userId", "tier"] { _ = rig.face.setContextField(name, "x") }
    rig.scheduler.run()
    #expect(rig.transport.requests.count == 2 && rig.client.state == .ready)
  }
}
