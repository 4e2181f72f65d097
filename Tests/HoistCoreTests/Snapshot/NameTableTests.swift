import HoistBase
import HoistCore
import Testing

@Suite("Providers keep tables of their own in a snapshot") struct NameTableTests {
  private struct Row: BitwiseCopyable {
    var name: TextReference
    var number: Int
  }

  @Test func everyRowIsFoundAndNothingElse() throws {
    var builder = SnapshotBuilder()
    var names = TextArena()
    var records = BytesTable()
    for number in 0..<300 {
      let row = Row(name: builder.text("row \(number)"), number: number)
      _ = "row \(number)".withBytes { records.set(names.keep($0), to: builder.append(row).offset) }
    }
    let table = builder.table(records)
    withExtendedLifetime(names) {}
    let made = builder.finish(evaluate: { _, _, _, _ in })
    let snapshot = try #require(made)
    defer { snapshot.destroy() }
    for number in 0..<300 {
      let row = "row \(number)".withBytes { table.find($0, in: snapshot.base) }
      #expect(row?.assumingMemoryBound(to: Row.self).pointee.number == number)
    }
    #expect("row 300".withBytes { table.find($0, in: snapshot.base) } == nil)
    #expect("row 1".withBytes { NameTable().find($0, in: snapshot.base) } == nil)
  }
}
