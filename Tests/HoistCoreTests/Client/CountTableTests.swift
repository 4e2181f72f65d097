import HoistBase
@testable import HoistCore
import Testing

@Suite("Names without a counter of their own are counted in a small table") struct CountTableTests {
  func add(_ table: CountTable, _ name: String, column: Int = 0) { name.withBytes { table.add($0, column: column) } }

  func taken(_ table: CountTable) -> [String: [UInt64]] {
    Dictionary(uniqueKeysWithValues: table.take().map { (String(decoding: $0.name, as: UTF8.self), $0.counts) })
  }

  @Test func takingEmptiesTheTable() {
    let table = CountTable(columns: 2)
    add(table, "a")
    add(table, "a", column: 1)
    add(table, "a", column: 1)
    add(table, "b")
    #expect(taken(table) == ["a": [1, 2], "b": [1, 0]])
    #expect(taken(table) == [:])
  }

  @Test func aColumnThatDoesNotExistIsNotCounted() {
    let table = CountTable(columns: 0)
    add(table, "a", column: 1)
    add(table, "a", column: -1)
    #expect(taken(table) == [:])
    add(table, "a")
    #expect(taken(table) == ["a": [1]])
  }

  @Test func namesBeyondTheLimitAreCountedTogether() {
    let table = CountTable(columns: 1)
    for number in 0..<(CountTable.maximumNames + 5) { add(table, "n\(number)") }
    add(table, "n0")
    #expect(table.overflow == 5)
    let counts = taken(table)
    #expect(counts.count == CountTable.maximumNames && counts["n0"] == [2])
    add(table, "new")
    #expect(taken(table) == ["new": [1]])
    #expect(table.overflow == 5)
  }

  @Test func threadsLoseNothing() {
    let table = CountTable(columns: 1)
    inThreads(4) { index in for round in 0..<500 { self.add(table, "n\((index + round) % 7)") } }
    #expect(taken(table).values.reduce(0) { $0 + $1[0] } == 2_000)
  }
}
