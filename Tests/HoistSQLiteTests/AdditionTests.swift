import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

@Suite("What is put behind a value costs what it has itself (contract 8)") struct AdditionTests {
  let scratch = Scratch()
  private let head = Array("head".utf8)

  private func text(_ value: [UInt8]?) -> String? { value.map { String(decoding: $0, as: UTF8.self) } }
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func itIsReadWithTheValueAndGoesWithIt() throws {
    let manager = scratch.manager()
    #expect(try !manager.append(key: "k", to: [], [1]))
    // Another key may look like that of a part.
    for key in ["k", "k\u{1}00000001", "kk"] { try manager.save(key: key, value: bytes("head")) }
    for more in ["1", "2"] { #expect(try manager.append(key: "k", to: head, bytes(more))) }
    #expect(try manager.append(key: "k\u{1}00000001", to: head, bytes("other")))
    #expect(try !manager.append(key: "k", to: bytes("hear"), bytes("3")))
    #expect(text(try manager.load(key: "k")) == "head12")
    #expect(text(try manager.load(key: "kk")) == "head")
    #expect(try manager.replace(key: "k", expected: head, with: nil) == .differs(bytes("head12")))
    #expect(try manager.replace(key: "k", expected: bytes("head12"), with: bytes("headed")) == .done)
    #expect(text(try manager.load(key: "k")) == "headed")
    #expect(try manager.append(key: "k", to: head, bytes("4")))
    try manager.remove(key: "k")
    #expect(try manager.load(key: "k") == nil)
    #expect(try !manager.append(key: "k", to: [], bytes("5")))
    #expect(text(try manager.load(key: "k\u{1}00000001")) == "headother")
    try manager.save(key: "k", value: bytes("new"))
    #expect(text(try manager.load(key: "k")) == "new")
  }

  @Test func theValueIsNotWrittenAgain() throws {
    let manager = scratch.manager()
    let value = [UInt8](repeating: 7, count: 100_000)
    try manager.save(key: "k", value: value)
    _ = scratch.run("sqlite3 \"$F\" 'PRAGMA wal_checkpoint(TRUNCATE)'")
    for _ in 0..<50 { #expect(try manager.append(key: "k", to: [7, 7], [UInt8](repeating: 8, count: 100))) }
    // 50 times 100,000 bytes before.
    #expect(Int(scratch.run("stat -c %s \"$F-wal\"")).map { $0 < 2_000_000 } == true)
    #expect(scratch.run("sqlite3 \"$F\" 'SELECT max(length(value)) FROM entries WHERE key < char(2)'") == "2000")
    #expect(try manager.load(key: "k") == value + [UInt8](repeating: 8, count: 5_000))
  }

  @Test("(second process)") func twoAtOnceLoseNothing() throws {
    try scratch.manager().save(key: "k", value: head)
    let threads = [UInt8(1), 2].map { number in
      let (manager, head) = (scratch.manager(), head)
      return HostThread { for _ in 0..<100 { while (try? manager.append(key: "k", to: head, [number])) != true {} } }
    }
    for thread in threads { thread.join() }
    let value = try scratch.manager().load(key: "k") ?? []
    #expect(value.count == head.count + 200 && value.count { $0 == 1 } == 100)
  }

  @Test func itMakesRoomWithItsValueAndCountsAsOne() throws {
    let clock = StillClock()
    let manager = scratch.manager(clock: clock) { $0.maximumEntries = 2 }
    for key in ["visitor:a", "visitor:b"] {
      clock.advance(milliseconds: 1)
      try manager.save(key: key, value: head)
      for _ in 0..<3 { #expect(try manager.append(key: key, to: head, [UInt8](repeating: 8, count: 2_000))) }
    }
    clock.advance(milliseconds: 1)
    try manager.save(key: "visitor:b", value: head)
    #expect(manager.evictedEntries == 0)
    try manager.save(key: "visitor:c", value: head)
    #expect(try manager.load(key: "visitor:a") == nil)
    #expect(manager.evictedEntries == 1)
    #expect(scratch.run("sqlite3 \"$F\" 'SELECT count(*) FROM entries'") == "2")
  }
}
