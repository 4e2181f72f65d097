import HoistBase
import Testing

@Suite struct RecordPartsTests {
  @Test(arguments: [0, 1, 254, 255, 256, 70_000])
  func shortPartsOfEveryLengthComeOutAsTheyWentIn(length: Int) {
    let text = [UInt8](repeating: 7, count: length)
    let size = PartWriter.bytes(ofShort: length)
    withUnsafeTemporaryAllocation(byteCount: size + 9, alignment: 1) { room in
      guard let start = room.baseAddress else { return }
      var writer = PartWriter(start)
      text.withUnsafeBytes { writer.shortPart($0) }
      #expect(writer.end == start + size)
      writer.byte(9)
      writer.word(5)
      let record = ByteView(room)
      var reader = PartReader(record)
      #expect(reader.shortPart().map(Array.init) == text)
      #expect(reader.byte() == 9)
      #expect(reader.plain(8).map { $0.loadUnaligned(as: UInt64.self) } == 5)
      #expect(reader.plain(0)?.isEmpty == true && reader.plain(1) == nil && reader.shortPart() == nil)
      for cut in Set([0, 1, 4, size - 1]) where cut < size {
        var reader = PartReader(record.view(from: 0, to: cut))
        #expect(reader.shortPart() == nil)
      }
    }
  }

  @Test func thereAreNoNegativelyManyBytes() {
    [1, 2].withUnsafeBytes {
      var reader = PartReader($0)
      #expect(reader.plain(-1) == nil && reader.plain(.max) == nil)
    }
  }
}
