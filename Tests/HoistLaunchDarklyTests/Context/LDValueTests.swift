import HoistBase
import HoistJSON
import Testing

@testable import HoistLaunchDarkly

@Suite("Values (LD-72, protocols/launchdarkly.md 4.1; no client)") struct LDValueTests {
  private func value(_ json: String) throws -> LDValue { try Array(json.utf8).withUnsafeBytes { try LDValue(json: $0) } }

  @Test(
    "equality",
    arguments: [
      ("1", "1.0", true), ("true", "1", false), ("false", "0", false), ("null", "0", false), ("null", "null", true),
      (#"{"a":1,"b":[true]}"#, #"{"b":[true],"a":1e0}"#, true), ("[1,2]", "[2,1]", false), ("[]", "{}", false),
      (#"{"a":1}"#, #"{"a":1,"b":null}"#, false), (#""a""#, #""a""#, true), (#""a""#, #""A""#, false),
      (#""\u00e9""#, #""e\u0301""#, false), (#"{"a":1,"a":2}"#, #"{"a":2}"#, true),
    ]) func equality(_ left: String, _ right: String, _ expected: Bool) throws
  {
    #expect(try (value(left) == value(right)) == expected)
    #expect(try (value(right) == value(left)) == expected)
  }

  @Test func wholeNumbersAreWrittenAsIntegers() throws {
    #expect(text(try value("[1.0,-0.5,1e2,9007199254740993]").json) == "[1,-0.5,100,9007199254740992]")
  }

  @Test func textGoesThereAndBack() throws {
    let json = #"{"":null,"a":[[],{},[{"b":"\u0000\"é"}]],"z":{"y":{"x":[false,true]}}}"#
    #expect(text(try value(json).json) == json)
    #expect(text(try value("  3 ").json) == "3")
  }

  @Test("numbers convert to whole ones without their fraction, where they fit (4.2.2)") func conversions() {
    #expect(LDValue.number(3.7).int64 == 3)
    #expect(LDValue.number(-3.7).int64 == -3)
    #expect(LDValue.number(1e30).int64 == nil)
    #expect(LDValue.number(0x1p63).int64 == nil)
    #expect(LDValue.number(-0x1p63).int64 == .min)
    #expect(LDValue.bool(true).int64 == nil && LDValue.string("1").number == nil && LDValue.number(1).bool == nil)
  }

  @Test func literalsMakeValues() {
    let value: LDValue = ["b": [1, 2.5, "s", true, .null], "a": [:]]
    #expect(text(value.json) == #"{"a":{},"b":[1,2.5,"s",true,null]}"#)
  }

  @Test func depthIsLimited() throws {
    let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(LDValueSize(try value(deepest), maximumBytes: 1000, maximumDepth: 128)?.depth == 128)
    #expect(throws: JSONFailure.self) { try value("[" + deepest + "]") }
  }

  @Test func membersAreFoundByBytes() {
    var object = LDObject()
    for name in ["b", "a", "é", "", "B"] { object.set(name, .string(name)) }
    #expect(object.map(\.name) == ["", "B", "a", "b", "é"])
    #expect(object["e\u{301}"] == nil && object["é"] == "é")
    object.set("a", nil)
    object.set("b", 1)
    #expect(object["a"] == nil && object["b"] == 1 && object.count == 4)
    #expect(object.member(at: 4) == nil && object.member(at: -1) == nil)
  }

  @Test("a value that C holds is changed alone") func heldValuesAreCopies() throws {
    let list = OwnedValue(small: [])
    #expect(list.append(list) == .ok)
    #expect(list.append(OwnedValue(small: 1)) == .ok)
    #expect(text(list.value.json) == "[[],1]")
    let object = OwnedValue(small: [:])
    #expect(object.append(list) == .argument && list.set("a", object) == .argument)
    #expect(object.set("a", list) == .ok && object.remove("b") == .notFound)
    #expect(list.append(OwnedValue(small: 2)) == .ok)
    #expect(text(object.value.json) == #"{"a":[[],1]}"#)
    #expect(object.remove("a") == .ok && object.value == [:])
  }

  @Test("what C doubles again and again ends at a limit") func heldValuesAreLimited() {
    let deep = OwnedValue(small: [])
    var status = deep.append(deep)
    for _ in 0..<200 where status == .ok { status = deep.append(deep) }
    #expect(status == .limit)
    let object = OwnedValue(small: [:])
    for _ in 0..<100_000 { #expect(object.set("a", OwnedValue(small: 1)) == .ok) }
    #expect(text(object.value.json) == #"{"a":1}"#)
  }
}
