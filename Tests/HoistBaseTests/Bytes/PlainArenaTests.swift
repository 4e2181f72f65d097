import HoistBase
import Testing

@Suite struct PlainArenaTests {
  @Test func listsOfAnArenaStayWhereTheyAre() {
    var arena = PlainArena()
    #expect(arena.room(for: 0, of: UInt64.self).count == 0)
    #expect(arena.room(for: .max, of: UInt64.self).count == 0)
    var lists: [UnsafeMutableBufferPointer<UInt32>] = []
    for size in [1, 7, 30_000, 2, 16_000, 1] {
      let room = arena.room(for: size, of: UInt32.self)
      #expect(room.count == size)
      room.initialize(repeating: UInt32(size))
      lists.append(room)
    }
    for list in lists { #expect(list.allSatisfy { $0 == UInt32(list.count) }) }
  }
}
