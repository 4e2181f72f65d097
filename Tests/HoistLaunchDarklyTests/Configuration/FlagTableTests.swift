import HoistBase
import HoistCore
import HoistJSON
@testable import HoistLaunchDarkly
import Testing

@Suite("Flags are kept by version; what cannot be read changes nothing") struct FlagTableTests {
  let replay = FlagReplay()

  @discardableResult
  func apply(_ event: String, _ data: String) -> [String]? {
    guard case .applied(let changes) = data.withBytes({ replay.apply(event, $0) }) else { return nil }
    return changes.map { "\($0.key.string) \($0.oldValue?.string ?? "-") \($0.newValue?.string ?? "-")" }
  }

  var values: String { String(decoding: replay.values, as: UTF8.self) }

  @Test func aNewerVersionReplacesAnEqualOrOlderOneIsIgnored() {
    apply("put", #"{"f":{"value":1,"version":5}}"#)
    #expect(apply("patch", #"{"key":"f","value":2,"version":5}"#) == [])
    #expect(apply("patch", #"{"key":"f","value":2,"version":4}"#) == [])
    #expect(apply("patch", #"{"key":"f","value":2,"version":6}"#) == ["f 1 2"])
    #expect(apply("patch", #"{"key":"f","value":3}"#) == ["f 2 3"])
    #expect(apply("patch", #"{"key":"f","value":4,"version":1}"#) == ["f 3 4"])
    #expect(values == #"{"f":4}"#)
  }

  @Test func deletedFlagsAreRememberedByTheirVersion() {
    #expect(apply("delete", #"{"key":"f","version":3}"#) == [])
    #expect(apply("patch", #"{"key":"f","value":1,"version":3}"#) == [])
    #expect(apply("patch", #"{"key":"f","value":1,"version":4}"#) == ["f - 1"])
    #expect(apply("delete", #"{"key":"f","version":4}"#) == [])
    #expect(apply("delete", #"{"key":"f"}"#) == ["f 1 -"])
    #expect(replay.tombstones == [Array("f".utf8): 0])
    #expect(apply("put", "{}") == [] && replay.tombstones.isEmpty)
  }

  @Test(
    "Malformed messages are refused whole",
    arguments: [
      ("put", ""), ("put", "{"), ("put", "[]"), ("put", "null"), ("put", "{} x"), ("put", #"{"a":1}"#),
      ("put", #"{"b":{"value":2},"a":{"value":1,"version":1.5}}"#), ("put", #"{"a":{"version":"1"}}"#),
      ("put", #"{"a":{"variation":0.5}}"#), ("put", #"{"a":{"flagVersion":true}}"#), ("put", #"{"a":{"reason":"x"}}"#),
      ("put", #"{"a":{"key":"b"}}"#), ("put", #"{"a":{"key":1}}"#), ("put", #"{"a":{"trackEvents":1}}"#),
      ("put", #"{"a":{"trackReason":"x"}}"#), ("put", #"{"a":{"debugEventsUntilDate":"x"}}"#),
      ("put", #"{"a":{"prerequisites":[1]}}"#), ("put", #"{"a":{"prerequisites":"x"}}"#),
      ("patch", "[]"), ("patch", #"{"value":1}"#), ("patch", #"{"key":null,"value":1}"#),
      ("patch", #"{"key":"f","version":1e40}"#),
      ("delete", "{}"), ("delete", #"{"key":"f","version":0.5}"#), ("delete", "3"),
    ])
  func malformed(event: String, data: String) {
    apply("put", #"{"f":{"value":1,"version":5}}"#)
    #expect(apply(event, data) == nil)
    #expect(values == #"{"f":1}"#)
  }

  @Test func nullIsAsGoodAsMissingAndWholeNumbersMayHaveAFraction() {
    let nothing =
      #"{"a":{"key":null,"value":null,"variation":null,"version":null,"flagVersion":null,"trackEvents":null,"trackReason":null,"debugEventsUntilDate":null,"reason":null,"prerequisites":null}}"#
    #expect(apply("put", nothing) == ["a - null"])
    #expect(apply("put", #"{"a":{"key":"a","variation":1.0,"version":2.0,"flagVersion":3.0,"unknown":[]}}"#) == ["a null null"])
    #expect(
      String(decoding: replay.cacheDocument, as: UTF8.self)
        == #"{"flags":{"a":{"item":{"variation":1,"version":2,"flagVersion":3}}}}"#)
  }

  @Test func ofMembersOfOneNameTheLastCounts() {
    #expect(apply("put", #"{"a":{"value":1,"value":2},"a":{"value":3,"version":1,"version":null}}"#) == ["a - 3"])
    #expect(apply("patch", #"{"key":"b","key":"a","value":4}"#) == ["a 3 4"])
  }

  @Test(
    "Only value and variation count as changes, and values by what they mean (5.6)",
    arguments: [
      (#""value":1,"version":9,"flagVersion":2,"reason":{"kind":"OFF"},"trackEvents":true"#, false),
      (#""value":1.0"#, false), (#""value":1,"variation":0"#, true), (#""value":true"#, true), (#""value":"1""#, true),
      (#""value":null"#, true),
    ])
  func changes(after: String, isChange: Bool) {
    apply("put", #"{"f":{"value":1}}"#)
    #expect(apply("put", "{\"f\":{\(after)}}")?.isEmpty == !isChange)
  }

  @Test(
    "Objects are equal whatever the order of their members",
    arguments: [
      (#"{"a":1,"b":[1,2.0,{"c":null}]}"#, #"{"b":[1.0,2,{"c":null}], "a":1}"#, true),
      (#"{"a":1,"b":2}"#, #"{"a":1,"b":3}"#, false), (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
      (#"{"a":1,"a":2}"#, #"{"a":2}"#, true), (#"["\u0061"]"#, #"["a"]"#, true), ("[1,2]", "[2,1]", false),
      ("[true]", "[1]", false), ("[]", "{}", false),
    ])
  func equality(left: String, right: String, isEqual: Bool) {
    #expect(left.withBytes { left in right.withBytes { FlagValue.areEqual(left, $0) } } == isEqual)
  }

  @Test func patchesBuildOnEachOtherWhateverTheirNumber() throws {
    var expected: [String: Int] = [:]
    apply(
      "put",
      "{" + (0..<300).map { #""k\#($0)":{"value":\#($0),"version":1,"prerequisites":["k0"]}"# }.joined(separator: ",") + "}")
    for index in 0..<300 { expected["k\(index)"] = index }
    var generator = SplitMix(state: 7)
    for step in 2..<3000 {
      let number = Int(generator.next() % 500)
      if generator.next() % 4 == 0 {
        apply("delete", #"{"key":"k\#(number)","version":\#(step)}"#)
        expected["k\(number)"] = nil
      } else {
        apply("patch", #"{"key":"k\#(number)","value":\#(step),"version":\#(step)}"#)
        expected["k\(number)"] = step
      }
    }
    let snapshot = try #require(replay.snapshot)
    #expect(snapshot.flagCount == expected.count)
    for (key, value) in expected {
      #expect(replay.evaluate(key, .int) { evaluation, _ in evaluation.integer } == Int64(value))
    }
    // Waste is bounded, also of memory that no flag uses.
    #expect(snapshot.head.pointee.byteCount < 600_000)
    let cells = (0..<snapshot.flagCount).map { snapshot.flag(snapshot.record(at: $0)).pointee.head.firstCell }
    #expect(Set(cells).count == cells.count)
    #expect(cells.allSatisfy { $0 < snapshot.head.pointee.cellCount })
    let names = (0..<snapshot.flagCount).map { String(decoding: snapshot.name(of: snapshot.record(at: $0)), as: UTF8.self) }
    #expect(names == names.sorted())
  }

  @Test("A patch of one flag leaves the others where they are; a new and a deleted flag do not (2.2)")
  func aPatchCostsItsFlag() throws {
    apply("put", "{" + (0..<100).map { #""k\#($0)":{"value":\#($0),"version":1}"# }.joined(separator: ",") + "}")
    let base = try #require(replay.snapshot).base
    #expect(apply("patch", #"{"key":"k7","value":"seven","version":2}"#) == ["k7 7 \"seven\""])
    #expect(apply("patch", #"{"key":"k7","value":"seven","version":3,"trackEvents":true}"#) == [])
    #expect(replay.snapshot?.base == base)
    #expect(apply("patch", #"{"key":"new","value":1,"version":1}"#) == ["new - 1"])
    // Beside the block that it takes the place of; later ones may lie where that was.
    #expect(replay.snapshot?.base != base)
    #expect(apply("delete", #"{"key":"k8","version":2}"#) == ["k8 8 -"])
    #expect(replay.snapshot?.flagCount == 100)
    #expect(
      replay.evaluate("k7", .any) { evaluation, _ in String(decoding: evaluation.jsonValue(), as: UTF8.self) } == "\"seven\"")
  }

  @Test("What the store keeps reads back the same (LD-76; no client)")
  func cacheDocuments() {
    apply(
      "put",
      #"{"a":{"value":{"x":"\u00e9"},"variation":1,"version":2,"flagVersion":3,"trackEvents":true,"trackReason":true,"debugEventsUntilDate":5,"reason":{"kind":"OFF"},"prerequisites":["b"]},"é":{"value":false,"version":0}}"#
    )
    apply("delete", #"{"key":"gone","version":7}"#)
    let document = replay.cacheDocument
    let other = FlagReplay()
    guard case .applied = document.withBytes({ other.apply("cache", $0) }) else {
      Issue.record("refused")
      return
    }
    #expect(other.cacheDocument == document && other.tombstones == [Array("gone".utf8): 7] && other.values == replay.values)
  }

  @Test("5.10: what the service may send can be read again from the store, however deep")
  func deepFlagsReadBack() {
    let depth = JSONLimits.standard.maximumDepth - 1
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(apply("put", #"{"f":{"value":\#(deep)},"g":{"value":1}}"#)?.count == 2)
    let other = FlagReplay()
    guard case .applied = replay.cacheDocument.withBytes({ other.apply("cache", $0) }) else {
      Issue.record("refused")
      return
    }
    #expect(other.values == replay.values)
  }

  @Test(
    "Entries of the store that are none are refused",
    arguments: [
      "", "{}", "[]", #"{"flags":[]}"#, #"{"flags":{"a":{}}}"#, #"{"flags":{"a":1}}"#, #"{"flags":{"a":{"tombstone":"x"}}}"#,
      #"{"flags":{"a":{"item":{"version":"x"}}}}"#,
    ])
  func brokenCacheDocuments(text: String) {
    apply("put", #"{"f":{"value":1}}"#)
    #expect(apply("cache", text) == nil && values == #"{"f":1}"#)
  }
}

private struct SplitMix {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed &>> 27)
  }
}
