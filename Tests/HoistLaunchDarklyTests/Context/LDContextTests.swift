import HoistBase
import Testing

@testable import HoistLaunchDarkly

func context(_ json: String) throws -> LDContext { try Array(json.utf8).withUnsafeBytes { try LDContext.read(json: $0) } }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// What a call refuses, or nil.
func failure(_ body: () throws -> Void) -> ContextFailure? {
  do {
    try body()
    return nil
  } catch {
    return error as? ContextFailure
  }
}

@Suite("Contexts (LD-71, protocols/launchdarkly.md 3; no client)") struct LDContextTests {
  @Test(
    "the worked examples of 3.5 hold",
    arguments: [
      (
        #"{"kind":"user","key":"a"}"#, "a", "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=",
        "QJdnAXv4dzcrt+YZybligzFkMHDjgcGZx481QKkPsXc="
      ),
      (#"{"kind":"user","key":"a:b%c"}"#, "a:b%c", nil, nil),
      (#"{"kind":"org","key":"a:b%c"}"#, "org:a%3Ab%25c", nil, nil),
      (#"{"kind":"multi","org":{"key":"o"},"user":{"key":"a:b"}}"#, "org:o:user:a%3Ab", nil, nil),
      (
        #"{"kind":"org","key":"x"}"#, "org:x", "Mm/r5vcLZNawxENuQGjGwl+Dbsj5b+KAm1xf7iqVy9c=$",
        "+F04Kh3dP8JZBrrqALqRhfA7g0otTuis1h2pTwWivec="
      ),
      (#"{"key":""}"#, "", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", nil),
    ] as [(String, String, String?, String?)])
  func workedExamples(_ json: String, _ key: String, _ hashed: String?, _ fingerprint: String?) throws {
    let context = try HoistLaunchDarklyTests.context(json)
    #expect(context.fullyQualifiedKey == key)
    if let hashed { #expect(context.hashedKey == hashed) }
    if let fingerprint { #expect(context.fingerprint == fingerprint) }
  }

  @Test func fingerprintTellsThatThereArePrivateAttributesButNotWhich() throws {
    let one = try context(#"{"kind":"user","key":"a","b":1,"c":2,"_meta":{"privateAttributes":["b"]}}"#)
    let other = try context(#"{"kind":"user","key":"a","b":1,"c":2,"_meta":{"privateAttributes":["c"]}}"#)
    let none = try context(#"{"kind":"user","key":"a","b":1,"c":2}"#)
    #expect(one.fingerprint == other.fingerprint)
    #expect(one.fingerprint != none.fingerprint)
    #expect(one != other)
  }

  @Test func requestsHoldMembersInTheOrderOfTheirNames() throws {
    let context = try HoistLaunchDarklyTests.context(
      #"{"z":1.0,"kind":"org","key":"k","name":"n","anonymous":true,"A":{"y":1,"x":[]},"_meta":{"privateAttributes":["z","A"]}}"#)
    #expect(
      text(context.requestJSON)
        == #"{"A":{"x":[],"y":1},"_meta":{"privateAttributes":["A","z"]},"anonymous":true,"key":"k","kind":"org","name":"n","z":1}"#
    )
  }

  @Test func pathSegmentIsPaddedBase64ForURLs() throws {
    #expect(try context(#"{"kind":"user","key":"a"}"#).pathSegment == "eyJrZXkiOiJhIiwia2luZCI6InVzZXIifQ==")
    #expect(try context(#"{"kind":"user","key":"???>>>"}"#).pathSegment.contains("_"))
  }

  @Test func partsStandInTheOrderOfTheirKinds() throws {
    let context = try HoistLaunchDarklyTests.context(#"{"kind":"multi","user":{"key":"u"},"Zoo":{"key":"z"},"org":{"key":"o"}}"#)
    #expect(context.kinds == ["Zoo", "org", "user"])
    #expect(context.kind == "multi" && context.isMulti && context.key == nil)
    #expect(context.part(ofKind: "org")?.key == "o")
    #expect(try context == HoistLaunchDarklyTests.context(text(context.requestJSON)))
  }

  @Test("a text that says the same by canonical equivalence is another one") func textsAreBytes() throws {
    let composed = try context("{\"kind\":\"user\",\"key\":\"\u{E9}\"}")
    let decomposed = try context("{\"kind\":\"user\",\"key\":\"e\u{301}\"}")
    #expect(composed != decomposed)
    #expect(composed.fingerprint != decomposed.fingerprint)
  }

  @Test(
    "equality takes everything in but order and spelling",
    arguments: [
      (#"{"kind":"a","key":"k","x":1,"y":{"p":1,"q":2}}"#, #"{"y":{"q":2,"p":1.0},"x":1,"key":"k","kind":"a"}"#, true),
      (#"{"kind":"a","key":"k"}"#, #"{"kind":"b","key":"k"}"#, false),
      (#"{"kind":"a","key":"k"}"#, #"{"kind":"a","key":"l"}"#, false),
      (#"{"kind":"a","key":"k","name":""}"#, #"{"kind":"a","key":"k"}"#, false),
      (#"{"kind":"a","key":"k","anonymous":true}"#, #"{"kind":"a","key":"k"}"#, false),
      (#"{"kind":"a","key":"k","x":true}"#, #"{"kind":"a","key":"k","x":1}"#, false),
      (
        #"{"kind":"a","key":"k","_meta":{"privateAttributes":["b","c","b"]}}"#,
        #"{"kind":"a","key":"k","_meta":{"privateAttributes":["/c","b"]}}"#, true
      ),
      (#"{"kind":"a","key":"k","_meta":{"privateAttributes":["b"]}}"#, #"{"kind":"a","key":"k"}"#, false),
      (#"{"kind":"multi","a":{"key":"1"},"b":{"key":"2"}}"#, #"{"kind":"multi","b":{"key":"2"},"a":{"key":"1"}}"#, true),
      (#"{"kind":"multi","a":{"key":"1"}}"#, #"{"kind":"a","key":"1"}"#, true),
    ]) func equality(_ left: String, _ right: String, _ expected: Bool) throws
  {
    #expect(try (context(left) == context(right)) == expected)
    #expect(try (context(right) == context(left)) == expected)
  }

  @Test func referencesLeadToValues() throws {
    let single = try context(
      #"{"kind":"org","key":"k","name":"n","a":{"b":{"c":3}},"/s":"slash","list":[1],"~":{"/":true}}"#)
    #expect(single.value(at: AttributeReference("kind")) == "org")
    #expect(single.value(at: AttributeReference("/key")) == "k")
    #expect(single.value(at: AttributeReference("name")) == "n")
    #expect(single.value(at: AttributeReference("anonymous")) == false)
    #expect(single.value(at: AttributeReference("/a/b/c")) == 3)
    #expect(single.value(at: AttributeReference("/~1s")) == "slash")
    #expect(single.value(at: AttributeReference("/~0/~1")) == true)
    #expect(single.value(at: AttributeReference("/list/0")) == nil)
    #expect(single.value(at: AttributeReference("/a//b")) == nil)
    #expect(single.value(at: AttributeReference("nobody")) == nil)
    let several = try context(#"{"kind":"multi","a":{"key":"1"},"b":{"key":"2"}}"#)
    #expect(several.value(at: AttributeReference("kind")) == "multi")
    #expect(several.value(at: AttributeReference("key")) == nil)
  }

  @Test(
    "what is no context is refused by its name",
    arguments: [
      (#"{"kind":"org"}"#, 1201, "org"), (#"{"kind":"org","key":""}"#, 1201, "org"), (#"{"name":"x"}"#, 1201, "key"),
      (#"{"kind":"","key":"k"}"#, 1200, "empty"), (#"{"kind":"kind","key":"k"}"#, 1200, "kind"),
      (#"{"kind":"a b","key":"k"}"#, 1200, "a b"), (#"{"kind":"multi"}"#, 1202, "multi"),
      (#"{"kind":3,"key":"k"}"#, 1205, "kind"), (#"{"kind":"org","key":3}"#, 1205, "key"),
      (#"{"kind":"org","key":"k","name":3}"#, 1205, "name"),
      (#"{"kind":"org","key":"k","anonymous":null}"#, 1205, "anonymous"),
      (#"{"kind":"org","key":"k","":1}"#, 1205, "empty name"),
      (#"{"kind":"org","key":"k","_meta":[]}"#, 1205, "_meta"),
      (#"{"kind":"org","key":"k","_meta":{"privateAttributes":[3]}}"#, 1205, "_meta.privateAttributes"),
      (#"{"kind":"multi","org":3}"#, 1205, "org"), (#"{"kind":"multi","org":{"key":"k","kind":"user"}}"#, 1205, "kind"),
      (#"{"kind":"multi","a":{"key":"k"},"multi":{"key":"k"}}"#, 1204, "multi"),
      (#"{"key":"k","custom":3}"#, 1205, "custom"), (#"{"key":"k","email":3}"#, 1205, "email"),
      (#"{"key":"k","privateAttributeNames":"a"}"#, 1205, "privateAttributeNames"),
      ("[]", 5, "object"), ("{", 5, "byte 1"), ("", 5, "read"),
    ] as [(String, Int32, String)]) func refusals(_ json: String, _ status: Int32, _ naming: String)
  {
    let failure = failure { _ = try context(json) }
    #expect(failure?.status.rawValue == status)
    #expect(failure?.message.contains(naming) ?? false, "\(failure?.message ?? "-")")
  }

  @Test func nestedTooDeeplyIsRefusedNotFollowed() {
    let deep = String(repeating: #"{"a":"#, count: 100_000) + "1" + String(repeating: "}", count: 100_000)
    #expect(failure { _ = try context(deep) }?.status == .limit)
    #expect(failure { _ = try context(#"{"kind":"user","key":"k","a":"# + deep + "}") }?.status == .limit)
  }

  @Test func usersOfOldTimesKeepTheirOwnOverCustomAttributes() throws {
    let user = try context(
      #"{"key":"k","name":"n","email":"e","secondary":"s","custom":{"kind":"x","key":"y","name":"z","email":"f","c":1,"d":null},"privateAttributeNames":["c"]}"#
    )
    #expect(
      text(user.requestJSON) == #"{"_meta":{"privateAttributes":["c"]},"c":1,"email":"e","key":"k","kind":"user","name":"n"}"#)
  }
}
