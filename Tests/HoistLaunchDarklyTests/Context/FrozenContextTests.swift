import HoistBase
import HoistCore
import Testing

@testable import HoistLaunchDarkly

@Suite("Contexts of the core (LD-71; no client)") struct FrozenContextTests {
  private func read(_ json: String) throws -> LDContext {
    let context = try Array(json.utf8).withUnsafeBytes { try ContextJSON.context($0) }
    return try LDContext.read(#require(context.reference()))
  }

  @Test(
    "a context of the core is one of the service",
    arguments: [
      (#"{"targetingKey":"k"}"#, #"{"key":"k","kind":"user"}"#),
      (
        #"{"targetingKey":"k","kind":"org","name":"n","anonymous":true,"a":1.5,"b":[1,"x"],"c":["x"],"d":{"e":null},"f":null}"#,
        #"{"a":1.5,"anonymous":true,"b":[1,"x"],"c":["x"],"d":{"e":null},"key":"k","kind":"org","name":"n"}"#
      ),
      (
        #"{"targetingKey":"k","a":1,"_meta":{"privateAttributes":["a"]}}"#,
        #"{"_meta":{"privateAttributes":["a"]},"a":1,"key":"k","kind":"user"}"#
      ),
      (
        #"{"kind":"multi","user":{"key":"u"},"org":{"key":"o","a":1}}"#,
        #"{"kind":"multi","org":{"a":1,"key":"o"},"user":{"key":"u"}}"#
      ),
    ]) func mapping(_ core: String, _ json: String) throws
  {
    let context = try read(core)
    #expect(text(context.requestJSON) == json)
    let reference = try #require(context.reference)
    #expect(try LDContext.read(reference) == context)
  }

  @Test func theWayBackHasTheFingerprintOfTheOriginal() throws {
    let json = #"{"targetingKey":"k","name":"n","a":1,"b":{"c":[2]}}"#
    let core = try Array(json.utf8).withUnsafeBytes { try ContextJSON.context($0) }
    let original = try #require(core.reference())
    let back = try #require(LDContext.read(original).reference)
    #expect(withExtendedLifetime((original, back)) { back.frozen.fingerprint == original.frozen.fingerprint })
  }

  @Test("A user of old with an empty key stays one, and nobody else becomes one (3.2)") func ofOld() throws {
    let old = try LDContext.read(json: Array(#"{"key":"","custom":{"a":1},"privateAttributeNames":["a"]}"#.utf8))
    let reference = try #require(old.reference)
    #expect(try LDContext.read(reference) == old && old.fullyQualifiedKey.isEmpty)
    let core = #"{"targetingKey":"","kind":null,"a":1}"#
    #expect(text(try read(core).requestJSON) == #"{"a":1,"key":"","kind":"user"}"#)
    #expect(failure { _ = try read(#"{"targetingKey":"k","kind":null}"#) }?.status.rawValue == 1205)
    #expect(failure { _ = try read(#"{"targetingKey":"","kind":"user"}"#) }?.status.rawValue == 1201)
  }

  @Test func datesAreTexts() throws {
    let context = EvaluationContext(targetingKey: "k")
    try context.set(Array("at".utf8), .date(0))
    #expect(try LDContext.read(#require(context.reference())).value(at: AttributeReference("at")) == "1970-01-01T00:00:00Z")
  }

  @Test func withoutATargetingKeyOneIsToBeMade() throws {
    let context = try read(#"{"kind":"org"}"#)
    #expect(context.needsKeys && context.hasAnonymousPart)
  }

  @Test(
    "what is no context is refused by its name",
    arguments: [
      (#"{"targetingKey":""}"#, 1201, "key"), (#"{"targetingKey":"k","kind":3}"#, 1205, "kind"),
      (#"{"targetingKey":"k","kind":"a b"}"#, 1200, "a b"), (#"{"targetingKey":"k","name":true}"#, 1205, "name"),
      (#"{"targetingKey":"k","anonymous":1}"#, 1205, "anonymous"), (#"{"targetingKey":"k","_meta":"x"}"#, 1205, "_meta"),
      (#"{"targetingKey":"k","key":"other"}"#, 1205, "key"), (#"{"kind":"multi"}"#, 1202, "multi"),
      (#"{"kind":"multi","org":"o"}"#, 1205, "org"), (#"{"kind":"multi","org":{"key":""}}"#, 1201, "org"),
    ] as [(String, Int32, String)]) func refusals(_ core: String, _ status: Int32, _ naming: String)
  {
    let failure = failure { _ = try read(core) }
    #expect(failure?.status.rawValue == status)
    #expect(failure?.message.contains(naming) ?? false, "\(failure?.message ?? "-")")
  }
}

@Suite("Tags of the application (protocols/launchdarkly.md 2.1)") struct ApplicationTagsTests {
  @Test func whatCannotBeSentIsLeftOutAndNamed() {
    let tags = ApplicationTags(ApplicationInfo(id: "my app", name: "caf\u{E9}", version: "", versionName: "1.0"))
    #expect(tags.header == "application-id/my-app application-version-name/1.0")
    #expect(tags.discarded == ["application-name", "application-version"])
    #expect(ApplicationTags(ApplicationInfo()).header == nil)
  }
}
