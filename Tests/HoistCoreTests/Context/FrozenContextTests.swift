import CShims
import HoistBase
@testable import HoistCore
import Testing

@Suite("A frozen context is what evaluators read") struct FrozenContextTests {
  @Test func everyTypeHasItsKindItsTextAndItsNumber() throws {
    let cases: [(AttributeValue, AttributeKind, String, Int64, Double)] = [
      (.null, .null, "null", 0, .nan),
      (.bool(true), .bool, "true", 1, 1),
      (.bool(false), .bool, "false", 0, 0),
      (.int(-42), .int, "-42", -42, -42),
      (.int(.max), .int, "9223372036854775807", .max, 0x1p63),
      (.int(.min), .int, "-9223372036854775808", .min, -0x1p63),
      (.double(0.5), .double, "0.5", 0, 0.5),
      (.double(3), .double, "3.0", 0, 3),
      (.string(Array("grüße".utf8)), .string, "grüße", 0, .nan),
      (.string([]), .string, "", 0, .nan),
      (.date(0), .date, "1970-01-01T00:00:00Z", 0, .nan),
      (.date(1_700_000_000_123), .date, "2023-11-14T22:13:20.123Z", 1_700_000_000_123, .nan),
      (.strings([Array("a\"b".utf8), []]), .strings, #"["a\"b",""]"#, 0, .nan),
      (.strings([]), .strings, "[]", 0, .nan),
      (.json(Array(#"{"a":[1]}"#.utf8)), .json, #"{"a":[1]}"#, 0, .nan),
    ]
    let context = EvaluationContext()
    for (index, row) in cases.enumerated() { try context.set("attribute-\(index)", row.0) }
    let held = try #require(context.reference())
    #expect(held.frozen.attributeCount == cases.count)
    for (index, row) in cases.enumerated() {
      let found = try #require(held.frozen.find("attribute-\(index)"))
      #expect(found.kind == row.1)
      #expect(UTF8Text.repaired(found.textBytes) == row.2)
      #expect(found.integer == row.3)
      #expect(found.number == row.4 || found.number.isNaN && row.4.isNaN)
      #expect(found.textHash == Hash64.hash(found.textBytes))
      #expect(found.nameHash == Hash64.hash(found.nameBytes))
      // In the order of setting, and C can read it.
      #expect(held.frozen.attribute(at: index).pointee.text == found.text)
      #expect(found.text[Int(found.textCount)] == 0 && found.name[Int(found.nameCount)] == 0)
    }
  }

  @Test func aCopyOfItsBytesIsTheContext() throws {
    let context = EvaluationContext(targetingKey: "user")
    try context.set("country", .string(Array("de".utf8)))
    try context.set("age", .int(42))
    var held = context.reference()
    let frozen = try #require(held?.frozen)
    let (bytes, address) = (Array(frozen.bytes), UInt(bitPattern: frozen.base))
    // Nothing in the copy may point into the original.
    try context.set("country", .string(Array("fr".utf8)))
    held = nil
    let texts = bytes.withUnsafeBytes { bytes in
      FrozenContext.withCopy(bytes, of: address) { copy in
        [copy.targetingKey, copy.find("country")?.textBytes, copy.find("age")?.textBytes].map { $0.map { UTF8Text.repaired($0) } }
      }
    }
    #expect(texts == ["user", "de", "42"])
    for count in 0..<bytes.count {
      let cut = bytes.prefix(count).withUnsafeBytes { FrozenContext.withCopy($0, of: address) { _ in true } }
      #expect(cut == nil)
    }
  }

  @Test func extremeDatesHaveText() throws {
    let context = EvaluationContext()
    try context.set("first", .date(.min))
    try context.set("last", .date(.max))
    try context.set("before", .date(-1))
    let held = try #require(context.reference())
    #expect(held.frozen.find("before").map { UTF8Text.repaired($0.textBytes) } == "1969-12-31T23:59:59.999Z")
    #expect(held.frozen.find("first")?.integer == .min)
    #expect(held.frozen.find("last")?.integer == .max)
  }

  @Test(arguments: [0, 1, 2, 3, 17, 1_000, 10_000])
  func everyAttributeIsFoundAndNoOther(count: Int) throws {
    let context = EvaluationContext(
      attributes: (0..<count).map { Attribute(name: Array("name-\($0)".utf8), value: .int(Int64($0))) })
    let held = try #require(context.reference())
    #expect(held.frozen.attributeCount == count)
    for number in 0..<count { #expect(held.frozen.find("name-\(number)")?.integer == Int64(number)) }
    for name in ["", "name-", "name-\(count)", "NAME-0"] { #expect(held.frozen.find(name) == nil) }
  }

  @Test func namesAreBytes() throws {
    let context = EvaluationContext()
    try context.set("caf\u{E9}", .int(1))
    try context.set("cafe\u{301}", .int(2))
    let held = try #require(context.reference())
    #expect(held.frozen.attributeCount == 2)
    #expect(held.frozen.find("caf\u{E9}")?.integer == 1)
    #expect(held.frozen.find("cafe\u{301}")?.integer == 2)
  }

  @Test func aMissingKeyIsNotAnEmptyOne() throws {
    let without = try #require(EvaluationContext().reference())
    let empty = try #require(EvaluationContext(targetingKey: "").reference())
    #expect(without.frozen.targetingKey == nil)
    #expect(empty.frozen.targetingKey?.count == 0)
    #expect(without.frozen.fingerprint != empty.frozen.fingerprint)
  }

  @Suite("Fingerprints tell contexts apart") struct Fingerprints {
    func fingerprint(_ key: String?, _ attributes: [(String, AttributeValue)]) throws -> UInt64 {
      let context = EvaluationContext(targetingKey: key.map { Array($0.utf8) })
      for (name, value) in attributes { try context.set(name, value) }
      return try #require(context.reference()).frozen.fingerprint
    }

    @Test func theOrderOfSettingDoesNotMatter() throws {
      let attributes: [(String, AttributeValue)] = [
        ("plan", .string(Array("pro".utf8))), ("age", .int(30)), ("beta", .bool(true)), ("country", .null),
      ]
      let first = try fingerprint("u", attributes)
      #expect(try fingerprint("u", attributes.reversed()) == first)
      #expect(try fingerprint("u", [attributes[2], attributes[0], attributes[3], attributes[1]]) == first)
    }

    @Test func whatWasSetAndTakenBackDoesNotMatter() throws {
      let plain = EvaluationContext(targetingKey: "u")
      try plain.set("a", .int(1))
      let changed = EvaluationContext(targetingKey: "u")
      try changed.set("b", .int(2))
      try changed.set("a", .int(7))
      try changed.set("a", .int(1))
      #expect(changed.remove(Array("b".utf8)))
      #expect(plain.reference()?.frozen.fingerprint == changed.reference()?.frozen.fingerprint)
    }

    @Test func everyDifferenceMatters() throws {
      let all = [
        try fingerprint(nil, []), try fingerprint("", []), try fingerprint("u", []), try fingerprint("v", []),
        try fingerprint("u", [("a", .int(1))]), try fingerprint("u", [("a", .int(2))]),
        try fingerprint("u", [("b", .int(1))]), try fingerprint("u", [("a", .string(Array("1".utf8)))]),
        try fingerprint("u", [("a", .double(1))]), try fingerprint("u", [("a", .bool(true))]),
        try fingerprint("u", [("a", .string(Array("true".utf8)))]), try fingerprint("u", [("a", .null)]),
        try fingerprint("u", [("a", .string(Array("null".utf8)))]),
        try fingerprint("u", [("a", .string(Array("b".utf8))), ("b", .string(Array("a".utf8)))]),
        try fingerprint("u", [("a", .string(Array("a".utf8))), ("b", .string(Array("b".utf8)))]),
        try fingerprint("u", [("a", .strings([Array("b".utf8)]))]),
        try fingerprint("u", [("a", .json(Array(#"["b"]"#.utf8)))]),
      ]
      #expect(Set(all).count == all.count)
    }
  }
}

extension EvaluationContext {
  func set(_ name: String, _ value: AttributeValue) throws { try set(Array(name.utf8), value) }
}

extension FrozenContext {
  func find(_ name: String) -> FrozenAttribute? { name.withBytes { find($0, hash: Hash64.hash($0))?.pointee } }
}
