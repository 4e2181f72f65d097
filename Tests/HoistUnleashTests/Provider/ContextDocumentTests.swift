import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

/// A document that describes a context is read the same way everywhere, and nothing of it is lost unsaid (contract 4 and 10).
struct ContextDocumentTests {
  private func read(_ json: String) throws -> EvaluationContext {
    try json.withBytes { bytes in Result { () throws(ContextJSON.Failure) in try ContextJSON.context(bytes) } }.get()
  }

  private func open(_ context: String, _ mode: UnleashSettings.Mode = .frontend) throws -> ClientRig {
    let options = mode == .frontend ? frontend : BackendService.options()
    let rig = try #require(ClientRig(options.merging(["context": context]) { $1 }))
    rig.transport.setResponder { _ in mode == .frontend ? toggles("a") : BackendService.ok(BackendService.document("a")) }
    rig.start()
    return rig
  }

  private func members(_ rig: ClientRig) -> [String: String] {
    rig.face.flattenedContext.filter { $0.key != "sessionId" && $0.key != "appName" && $0.key != "environment" }
  }

  private func evaluate(_ rig: ClientRig, _ name: String, _ context: EvaluationContext) -> (code: ErrorCode, isOn: Bool) {
    name.withBytes {
      rig.client.evaluate($0, context.subject, .bool, .counted) { evaluation, _ in (evaluation.errorCode, evaluation.integer != 0)
      }
    }
  }

  @Test(
    "Contract 4: each form of a document says the same as a property, to identify and with a call",
    arguments: [
      #"{"userId":"u","properties":{"tier":"gold","age":20}}"#, #"{"targetingKey":"u","tier":"gold","age":20}"#,
      #"{"userId":"u","tier":"gold","age":"20"}"#, #"{"userId":"u","age":20,"other":null,"properties":{"tier":"gold"}}"#,
    ], [UnleashSettings.Mode.frontend, .backend])
  func formsSayTheSame(_ json: String, _ mode: UnleashSettings.Mode) throws {
    let expected = ["userId": "u", "tier": "gold", "age": "20"]
    let rig = try open(json, mode)
    #expect(members(rig) == expected)
    let given = try read(json)
    #expect(evaluate(rig, "a", given) == (.none, true))
    let other = try open("{}", mode)
    _ = other.client.identify(given.reference(), completion: nil)
    other.scheduler.run()
    #expect(members(other) == expected)
    let updated = try open("{}", mode)
    _ = updated.face.updateContext(updated.face.members(of: given), properties: [:]) { _ in }
    updated.scheduler.run()
    #expect(members(updated) == expected)
  }

  @Test(
    "Contract 4: what has no form at the service is refused in the property by the member's name",
    arguments: [
      #"{"userId":"u","roles":["a"]}"#, #"{"sessionId":"s","roles":{"a":"b"}}"#,
    ])
  func formlessMembersAreRefused(_ json: String) throws {
    var values = PropertyValues(table: CoreProperties.table + UnleashProperties.table)
    for (name, value) in frontend { try values.set(name, value) }
    try values.set("context", json)
    let refused = #expect(throws: ConfigurationFailure.self) { try UnleashSettings(values, entropy: SeededEntropy(seed: 1)) }
    #expect(refused?.property == "context" && refused?.message.contains("\"roles\"") == true)
  }

  @Test(
    "Contract 10: elsewhere it is left out with a warning that names it, once; state: ready",
    arguments: [UnleashSettings.Mode.frontend, .backend])
  func formlessMembersAreWarnedOf(_ mode: UnleashSettings.Mode) throws {
    let rig = try open("{}", mode)
    for json in [#"{"targetingKey":"u","properties":{"secret":"gold"}}"#, #"{"targetingKey":"v","properties":{"secret":"red"}}"#]
    {
      _ = rig.client.identify(try read(json).reference(), completion: nil)
      rig.scheduler.run()
    }
    _ = rig.face.members(of: try read(#"{"roles":["secret"]}"#))
    _ = rig.takeEvents()
    let warnings = rig.log.messages(.warning)
    #expect(
      warnings.count == 2 && warnings.first?.contains("\"properties\"") == true && warnings.last?.contains("\"roles\"") == true)
    #expect(!warnings.contains { $0.contains("secret") })
  }

  @Test(
    "Contract 4 and 10: an empty context is another one than the current one, and each flag that is read with it is warned of by its name, listed or not"
  )
  func anEmptyContextLeavesATrace() throws {
    let rig = try open(#"{"userId":"u"}"#)
    for _ in 0..<2 {
      for name in ["a", "off", "gone"] { #expect(evaluate(rig, name, EvaluationContext()).code == .invalidContext) }
    }
    _ = rig.takeEvents()
    let warnings = rig.log.messages(.warning)
    #expect(warnings.count == 3)
    for name in ["a", "off", "gone"] { #expect(warnings.filter { $0.contains("flag \"\(name)\"") }.count == 1) }
    let view = FlagView(rig.client, EvaluationContext().reference())
    _ = "new".withBytes { view.evaluate($0, .bool) { _ in } }
    _ = rig.takeEvents()
    #expect(rig.log.messages(.warning).last?.contains("flag \"new\"") == true)
  }

  @Test("Contract 4: an empty context is the current one where that is empty, and inherits it in backend mode")
  func anEmptyContextThatIsServed() throws {
    #expect(evaluate(try open("{}"), "a", EvaluationContext()) == (.none, true))
    #expect(evaluate(try open(#"{"userId":"u"}"#, .backend), "a", EvaluationContext()) == (.none, true))
  }

  @Test(
    "Application and environment are the options' in frontend mode: to set them there is refused, and nothing is fetched (UNL-87, B.2; ready)",
    arguments: ["appName", "environment"])
  func optionsAreNoFields(_ name: String) throws {
    let rig = try open(#"{"userId":"u"}"#)
    let before = rig.face.flattenedContext
    for value in ["x", nil] { #expect(rig.face.setContextField(name, value) == .argument) }
    rig.scheduler.run()
    #expect(rig.face.flattenedContext == before && rig.transport.requests.count == 1)
    // Where flags are evaluated here, the current context may name others.
    let backend = try open("{}", .backend)
    #expect(backend.face.setContextField(name, "x") == .ok && backend.face.flattenedContext[name] == "x")
  }
}
