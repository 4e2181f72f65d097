import Testing

@testable import HoistLaunchDarkly

@Suite("Private attributes (LD-83, protocols/launchdarkly.md 3.6; no client)") struct RedactionTests {
  private func redacted(
    _ json: String, all: Bool = false, global: [String] = [], feature: Bool = false
  ) throws -> String {
    let redaction = Redaction(allAttributesPrivate: all, globalPrivate: global.map { AttributeReference($0) })
    let context = try RedactedContext(context(json), redaction)
    return text(feature ? context.featureJSON : context.json)
  }

  @Test func theExampleHolds() throws {
    #expect(
      try redacted(
        #"{"kind":"user","key":"k","name":"n","b":{"p":true,"q":3},"_meta":{"privateAttributes":["/b/p"]}}"#,
        global: ["name"]) == #"{"b":{"q":3},"key":"k","kind":"user","_meta":{"redactedAttributes":["/b/p","name"]}}"#)
  }

  @Test func withAllPrivateOnlyTheIdentityStays() throws {
    #expect(
      try redacted(#"{"kind":"org","key":"k","name":"n","anonymous":true,"/a":1,"b":{"c":2}}"#, all: true)
        == #"{"anonymous":true,"key":"k","kind":"org","_meta":{"redactedAttributes":["/~1a","b","name"]}}"#)
  }

  @Test func anonymousPartsLoseTheirAttributesInFeatureEventsAlone() throws {
    let json = #"{"kind":"multi","org":{"key":"o","a":1},"user":{"key":"u","anonymous":true,"a":1}}"#
    #expect(try redacted(json) == #"{"kind":"multi","org":{"a":1,"key":"o"},"user":{"a":1,"anonymous":true,"key":"u"}}"#)
    #expect(
      try redacted(json, feature: true)
        == #"{"kind":"multi","org":{"a":1,"key":"o"},"user":{"anonymous":true,"key":"u","_meta":{"redactedAttributes":["a"]}}}"#)
  }

  @Test func identityIsNeverRedacted() throws {
    #expect(
      try redacted(#"{"kind":"org","key":"k","anonymous":true}"#, global: ["kind", "key", "/anonymous", "_meta"])
        == #"{"anonymous":true,"key":"k","kind":"org"}"#)
  }

  @Test("paths are exact: a longer global reference hides nothing of the same name elsewhere") func exactPaths() throws {
    #expect(
      try redacted(#"{"kind":"o","key":"k","c":{"sub1":1,"prop2":{"sub1":2,"sub2":3}}}"#, global: ["/c/prop2/sub1"])
        == #"{"c":{"prop2":{"sub2":3},"sub1":1},"key":"k","kind":"o","_meta":{"redactedAttributes":["/c/prop2/sub1"]}}"#)
  }

  @Test func emptiedContainersAreStillSentAndArraysAreWhole() throws {
    #expect(
      try redacted(#"{"kind":"o","key":"k","a":{"b":1},"l":[{"b":1}]}"#, global: ["/a/b", "/l/0", "/l/b"])
        == #"{"a":{},"key":"k","kind":"o","l":[{"b":1}],"_meta":{"redactedAttributes":["/a/b"]}}"#)
  }

  @Test func referencesThatAreWrongOrMatchNothingAreNotListed() throws {
    let json =
      #"{"kind":"o","key":"k","a":{"b":1},"_meta":{"privateAttributes":["","/","//a","/a/","/a~2","nothing","/a/c","/a/b/c"]}}"#
    #expect(try redacted(json) == #"{"a":{"b":1},"key":"k","kind":"o"}"#)
  }

  @Test func onePartsReferencesDoNotReachTheNext() throws {
    let json = #"{"kind":"multi","a":{"key":"1","x":1,"_meta":{"privateAttributes":["x"]}},"b":{"key":"2","x":1}}"#
    #expect(
      try redacted(json)
        == #"{"kind":"multi","a":{"key":"1","_meta":{"redactedAttributes":["x"]}},"b":{"key":"2","x":1}}"#)
  }

  @Test func flagServicesGetEverything() throws {
    let json = #"{"_meta":{"privateAttributes":["a"]},"a":1,"key":"k","kind":"o"}"#
    #expect(text(try context(json).requestJSON) == json)
  }

  @Test func aReferenceToTheWholeHidesWhatIsBelow() throws {
    #expect(
      try redacted(#"{"kind":"o","key":"k","a":{"b":1}}"#, global: ["/a/b", "a"])
        == #"{"key":"k","kind":"o","_meta":{"redactedAttributes":["a"]}}"#)
  }
}

@Suite("References to attributes (protocols/launchdarkly.md 3.5)") struct AttributeReferenceTests {
  @Test func aLiteralNameEqualsItsSpelling() {
    #expect(AttributeReference(literal: "/address/street") == AttributeReference("/~1address~1street"))
    #expect(AttributeReference(literal: "a~b") == AttributeReference("a~b"))
    #expect(AttributeReference("/a~0b") == AttributeReference("a~b"))
    #expect(AttributeReference("a/b") != AttributeReference("/a/b"))
    #expect(AttributeReference("") == AttributeReference("/"))
    #expect(AttributeReference("") != AttributeReference("//"))
    #expect(AttributeReference("/\u{E9}") != AttributeReference("/e\u{301}"))
  }

  @Test(
    "faults",
    arguments: [
      ("", .empty), ("/", .empty), ("//", .emptyName), ("/a/", .emptyName), ("/a//b", .emptyName), ("/~", .invalidEscape),
      ("/a~2", .invalidEscape), ("a~2", nil), ("a//b", nil),
    ] as [(String, AttributeReference.Failure?)])
  func faults(_ text: String, _ failure: AttributeReference.Failure?) {
    #expect(AttributeReference(text).failure == failure)
  }
}
