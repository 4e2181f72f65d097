import Testing

@testable import HoistLaunchDarkly

@Suite("Builders of contexts (LD-71, protocols/launchdarkly.md 3.2; no client)") struct LDContextBuilderTests {
  @Test func anEmptyKindIsUser() throws {
    #expect(try LDContextBuilder(kind: "", key: "k").build().kind == "user")
    #expect(try LDContextBuilder(key: "k").build().kind == "user")
  }

  @Test(
    "each rule has its own refusal",
    arguments: [
      ("kind", "k", 1200), ("multi", "k", 1204), ("a/b", "k", 1200), ("caf\u{E9}", "k", 1200), ("org", "", 1201),
    ] as [(String, String, Int32)]) func refusals(_ kind: String, _ key: String, _ status: Int32)
  {
    #expect(failure { _ = try LDContextBuilder(kind: kind, key: key).build() }?.status.rawValue == status)
  }

  @Test func everyLatinLetterOutsideTheSetIsRefused() {
    for byte in UInt8(1)...255 {
      let letter = Character(UnicodeScalar(byte))
      let isAllowed = letter.isASCII && (letter.isLetter || letter.isNumber) || "._-".contains(letter)
      #expect((failure { _ = try LDContextBuilder(kind: "x\(letter)", key: "k").build() } == nil) == isAllowed, "\(byte)")
    }
  }

  @Test func refusedAttributesLeaveTheOldValue() throws {
    var builder = LDContextBuilder(kind: "org", key: "k")
    try builder.set("name", "n")
    try builder.set("anonymous", true)
    for (attribute, value) in [
      ("", 1), ("kind", 1), ("key", .null), ("name", 3), ("name", .null), ("anonymous", "true"), ("anonymous", .null),
      ("_meta", [:]),
    ] as [(String, LDValue)] {
      #expect(failure { try builder.set(attribute, value) }?.status.rawValue == 1205, "\(attribute)")
    }
    #expect(text(try builder.build().requestJSON) == #"{"anonymous":true,"key":"k","kind":"org","name":"n"}"#)
  }

  @Test func nullRemovesACustomAttribute() throws {
    var builder = LDContextBuilder(key: "k")
    try builder.set("a", 1)
    try builder.set("a", .null)
    #expect(try builder.build().value(at: AttributeReference("a")) == nil)
  }

  @Test func removedPartsAreGone() throws {
    var builder = LDContextBuilder(key: "k")
    builder.name = "n"
    builder.isAnonymous = true
    try builder.set("a", 1)
    let removed = ["a", "name", "anonymous"].map { builder.remove($0) }
    let again = ["a", "name", "anonymous"].map { builder.remove($0) }
    #expect(removed == [true, true, true] && again == [false, false, false])
    #expect(text(try builder.build().requestJSON) == #"{"key":"k","kind":"user"}"#)
  }

  @Test("private references are removed in any spelling, literal ones too (3.5)") func privateReferences() throws {
    var builder = LDContextBuilder(key: "k")
    try builder.addPrivate(AttributeReference(literal: "/address/street"))
    try builder.addPrivate(AttributeReference("name"))
    let removed = ["/address/street", "/~1address~1street", "/name"].map { builder.removePrivate(AttributeReference($0)) }
    #expect(removed == [false, true, true])
    #expect(text(try builder.build().requestJSON) == #"{"key":"k","kind":"user"}"#)
  }

  @Test func withoutAKeyTheContextIsAnonymousAndWaitsForOne() throws {
    let context = try LDContextBuilder(kind: "org").build()
    #expect(context.needsKeys && context.hasAnonymousPart && context.key == nil)
    #expect(try !LDContextBuilder(kind: "org", key: "k").build().needsKeys)
  }

  @Test func severalContextsAreFlattenedAndSorted() throws {
    var inner = LDMultiContextBuilder()
    try inner.add(LDContextBuilder(kind: "user", key: "u").build())
    try inner.add(LDContextBuilder(kind: "org", key: "o").build())
    var outer = LDMultiContextBuilder()
    try outer.add(inner.build())
    try outer.add(LDContextBuilder(kind: "device", key: "d").build())
    #expect(try outer.build().fullyQualifiedKey == "device:d:org:o:user:u")
  }

  @Test func oneContextAloneIsItself() throws {
    var builder = LDMultiContextBuilder()
    let only = try LDContextBuilder(kind: "org", key: "o").build()
    try builder.add(only)
    #expect(try builder.build() == only)
    #expect(try !builder.build().isMulti)
  }

  @Test func noneAndTwoOfAKindAreRefused() throws {
    var builder = LDMultiContextBuilder()
    #expect(failure { _ = try builder.build() }?.status.rawValue == 1202)
    try builder.add(LDContextBuilder(kind: "org", key: "1").build())
    try builder.add(LDContextBuilder(kind: "org", key: "2").build())
    let refusal = failure { _ = try builder.build() }
    #expect(refusal?.status.rawValue == 1203 && refusal?.message.contains("org") ?? false)
  }

  @Test func tooMuchIsRefusedBeforeItIsWritten() throws {
    var value: LDValue = .string(String(repeating: "x", count: 1000))
    for _ in 0..<40 { value = [value, value] }  // 2^40 kilobytes, shared
    var builder = LDContextBuilder(key: "k")
    #expect(failure { try builder.set("a", value) }?.status == .limit)
    for index in 0..<3 { try builder.set("a\(index)", .string(String(repeating: "x", count: 400_000))) }
    #expect(failure { _ = try builder.build() }?.status == .limit)
  }
}
