import HoistBase
import Testing

@Suite struct BytesTableTests {
  @Test func aTableOfTextsAnswersAsADictionaryDoes() {
    var generator = SeededGenerator(seed: 5)
    var arena = TextArena()
    var table = BytesTable(expecting: 4)
    var expected: [[UInt8]: UInt32] = [:]
    var order: [[UInt8]] = []
    for round in 0..<5000 {
      let key = [UInt8].random(count: Int.random(in: 0...2, using: &generator), using: &generator)
      let before = key.withUnsafeBytes { table.set(arena.keep($0), to: UInt32(round)) }
      #expect(before == expected[key])
      if expected.updateValue(UInt32(round), forKey: key) == nil { order.append(key) }
    }
    for (key, value) in expected { #expect(key.withUnsafeBytes { table[$0] } == value) }
    #expect([1, 2, 3].withUnsafeBytes { table[$0] } == nil)
    #expect(table.entries.map { Array($0.key) } == order)
  }
}
