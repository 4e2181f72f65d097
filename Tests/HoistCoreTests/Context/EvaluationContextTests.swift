import CShims
import HoistBase
@testable import HoistCore
import Testing

@Suite("A context is built by the host and frozen for evaluators") struct EvaluationContextTests {
  typealias Refusal = EvaluationContext.Refusal

  @Test func aChangeMakesANewBlockAndLeavesTheOldOneToItsHolders() throws {
    let context = EvaluationContext(targetingKey: "u")
    try context.set("plan", .string(Array("free".utf8)))
    let before = try #require(context.reference())
    try context.set("plan", .string(Array("pro".utf8)))
    let after = try #require(context.reference())
    #expect(before.frozen.find("plan").map { UTF8Text.repaired($0.textBytes) } == "free")
    #expect(after.frozen.find("plan").map { UTF8Text.repaired($0.textBytes) } == "pro")
    #expect(before.frozen.fingerprint != after.frozen.fingerprint)
  }

  @Test func withoutAChangeTheBlockIsShared() throws {
    let context = EvaluationContext(targetingKey: "u")
    let (first, second) = (try #require(context.reference()), try #require(context.reference()))
    #expect(first.frozen.base == second.frozen.base)
    #expect(shim_load_pointer(&context.subject.pointee.frozen).map { UnsafeRawPointer($0) } == first.frozen.base)
  }

  @Test func aRefusedChangeLeavesTheBlockAlone() throws {
    let context = EvaluationContext(targetingKey: "u")
    let before = try #require(context.reference())
    #expect(throws: Refusal.notFinite) { try context.set("a", .double(.nan)) }
    #expect(!context.remove(Array("absent".utf8)))
    #expect(context.reference()?.frozen.base == before.frozen.base)
  }

  @Test func aCopyGoesItsOwnWay() throws {
    let context = EvaluationContext(targetingKey: "u")
    try context.set("a", .int(1))
    let copy = context.copy()
    try copy.set("a", .int(2))
    copy.setTargetingKey(nil)
    #expect(context.content.key == Array("u".utf8))
    #expect(context.content.attributes == [Attribute(name: Array("a".utf8), value: .int(1))])
    #expect(copy.content.key == nil)
    #expect(copy.content.attributes == [Attribute(name: Array("a".utf8), value: .int(2))])
  }

  @Test func aReferenceOutlivesItsContext() throws {
    var context: EvaluationContext? = EvaluationContext(targetingKey: "u")
    let held = try #require(context?.reference())
    context = nil
    #expect(held.frozen.targetingKey.map { UTF8Text.repaired($0) } == "u")
  }

  @Test func attributesKeepTheirPlacesWhenOneGoes() throws {
    let context = EvaluationContext()
    for name in ["a", "b", "c", "d"] { try context.set(name, .string(Array(name.utf8))) }
    #expect(context.remove(Array("b".utf8)))
    #expect(!context.remove(Array("b".utf8)))
    try context.set("d", .int(4))
    try context.set("b", .int(2))
    #expect(context.content.attributes.map(\.name) == ["a", "c", "d", "b"].map { Array($0.utf8) })
    #expect(context.content.attributes[2].value == .int(4))
    let held = try #require(context.reference())
    #expect(held.frozen.find("c").map { UTF8Text.repaired($0.textBytes) } == "c")
    #expect(held.frozen.find("b")?.integer == 2)
  }

  @Suite("Its limits hold at the limit and one beyond (G5, G8)") struct Limits {
    let context = EvaluationContext()

    @Test func names() throws {
      try context.set(String(repeating: "n", count: EvaluationContext.maximumNameBytes), .null)
      #expect(throws: Refusal.nameTooLong) {
        try context.set(String(repeating: "n", count: EvaluationContext.maximumNameBytes + 1), .null)
      }
      try context.set("", .int(1))
      #expect(context.content.attributes.count == 2)
    }

    @Test func values() throws {
      let limit = EvaluationContext.maximumValueBytes
      let (full, over) = ([UInt8](repeating: 0x61, count: limit), [UInt8](repeating: 0x61, count: limit + 1))
      try context.set("s", .string(full))
      try context.set("j", .json(full))
      try context.set("l", .strings([Array(full[..<(limit / 2)]), Array(full[(limit / 2)...])]))
      for value in [AttributeValue.string(over), .json(over), .strings([full, [0x61]])] {
        #expect(throws: Refusal.valueTooLarge) { try context.set("x", value) }
      }
      #expect(context.content.attributes.count == 3)
      #expect(context.reference()?.frozen.find("s")?.textCount == UInt32(limit))
    }

    @Test func attributes() throws {
      for number in 0..<EvaluationContext.maximumAttributes { try context.set("a\(number)", .int(0)) }
      #expect(throws: Refusal.tooManyAttributes) { try context.set("one more", .int(0)) }
      try context.set("a0", .int(1))  // a change of one that is there is none too many
      #expect(context.reference()?.frozen.find("a0")?.integer == 1)
    }

    @Test func numbersThatAreNone() {
      for number in [Double.nan, .infinity, -.infinity] {
        #expect(throws: Refusal.notFinite) { try context.set("x", .double(number)) }
      }
    }

    @Test func textThatIsNotUTF8() throws {
      let broken: [[UInt8]] = [[0xFF], [0xC3], [0x61, 0xED, 0xA0, 0x80], [0xC0, 0x80]]
      for bytes in broken {
        #expect(throws: Refusal.invalidUTF8) { try context.set(bytes, .null) }
        #expect(throws: Refusal.invalidUTF8) { try context.set("x", .string(bytes)) }
        #expect(throws: Refusal.invalidUTF8) { try context.set("x", .strings([[0x61], bytes])) }
      }
      #expect(context.content.attributes.isEmpty)
    }
  }

  /// G1, G9's sibling: a change while others evaluate with the context.
  @Test func changesDuringReadsAreSafeAndEachReadIsWhole() throws {
    let context = EvaluationContext(targetingKey: "0")
    let isDone = Flag()
    inThreads(3) { index in
      if index == 0 {
        for round in 1...4_000 {
          let text = Array("\(round)".utf8)
          try? context.set("first", .string(text))
          try? context.set("second", .string(text + text))
        }
        isDone.raise()
      } else {
        while !isDone.isRaised {
          let slot = shim_enter()
          if let block = context.freeze() {
            let frozen = FrozenContext(block)
            for at in 0..<frozen.attributeCount {
              let attribute = frozen.attribute(at: at).pointee
              #expect(attribute.textHash == Hash64.hash(attribute.textBytes))
            }
          }
          shim_leave(slot)
        }
      }
    }
    #expect(context.reference()?.frozen.find("second").map { UTF8Text.repaired($0.textBytes) } == "40004000")
  }
}
