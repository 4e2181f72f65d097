import HoistBase
import Testing

@Suite struct Hash64Tests {
  @Test func aHashDependsOnTheBytesAlone() {
    var generator = SeededGenerator(seed: 3)
    for count in 0...130 {
      let bytes = [UInt8].random(count: count, using: &generator)
      let shifted = [0] + bytes
      #expect(Hash64.hash(bytes) == Hash64.hash(shifted[1...]))
    }
  }

  @Test func everyBitOfEveryLengthMatters() {
    for count in 1...80 {
      var bytes = [UInt8](repeating: 0x61, count: count)
      var seen: Set<UInt64> = [Hash64.hash(bytes)]
      for place in 0..<count {
        for bit in 0..<8 {
          bytes[place] ^= 1 << bit
          seen.insert(Hash64.hash(bytes))
          bytes[place] ^= 1 << bit
        }
      }
      #expect(seen.count == count * 8 + 1)
    }
  }

  @Test func lengthMattersForZeros() {
    let hashes = Set((0...200).map { Hash64.hash([UInt8](repeating: 0, count: $0)) })
    #expect(hashes.count == 201)
  }

  @Test func zeroIsNeverReturned() {
    #expect(Hash64.hash(ByteView(start: nil, count: 0)) != 0)
    #expect(Hash64.hash("") == Hash64.hash(ByteView(start: nil, count: 0)))
    #expect(Hash64.combine(0, 0) != 0)
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2_000 {
      #expect(Hash64.hash([UInt8].random(count: 9, using: &generator)) != 0)
    }
  }

  /// Keys as applications name them fill a table about as evenly as chance would.
  @Test(arguments: [0, 52])
  func similarKeysSpreadOverTheLowAndTheHighBits(shift: UInt64) {
    let slots = 4_096
    var used = [Int](repeating: 0, count: slots)
    for number in 0..<slots {
      used[Int(Hash64.hash("flag-\(number)") >> shift & 0xFFF)] += 1
    }
    // Chance leaves slots/e = 1507 empty, with a deviation of about 30.
    let empty = used.count { $0 == 0 }
    #expect(1_350...1_660 ~= empty)
    #expect(used.allSatisfy { $0 <= 12 })
  }

  @Test func oneBitOfTheKeyFlipsHalfOfTheHash() {
    var flipped = 0
    var generator = SeededGenerator(seed: 5)
    let rounds = 4_000
    for _ in 0..<rounds {
      var bytes = [UInt8].random(
        count: Int.random(in: 1...40, using: &generator), using: &generator)
      let before = Hash64.hash(bytes)
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      flipped += (before ^ Hash64.hash(bytes)).nonzeroBitCount
    }
    let average = Double(flipped) / Double(rounds)
    #expect(31...33 ~= average)
  }

  @Test func aLiteralHasTheHashOfItsText() {
    #expect(Hash64.hash(literal: "") == Hash64.hash(""))
    #expect(Hash64.hash(literal: "key") == Hash64.hash("key"))
    #expect(Hash64.hash(literal: "name") == Hash64.hash("name"))
    #expect(Hash64.hash(literal: "anonymous") == Hash64.hash("anonymous"))
    #expect(Hash64.hash(literal: "0123456789abcdef") == Hash64.hash("0123456789abcdef"))
    #expect(Hash64.hash(literal: "0123456789abcdefg") == Hash64.hash("0123456789abcdefg"))
  }

  @Test func combiningMindsTheOrder() {
    let one = Hash64.hash("one")
    let two = Hash64.hash("two")
    #expect(Hash64.combine(one, two) != Hash64.combine(two, one))
    #expect(Hash64.combine(one, two) == Hash64.combine(one, two))
  }
}
