import HoistCore
import HoistSQLite
import Testing

@Suite("Every limit of the cache has an effect and a counter (G5)") struct LimitTests {
  let scratch = Scratch()
  let clock = StillClock()

  @Test func aValueAtTheLimitIsTakenAndOneByteMoreRefused() throws {
    let manager = scratch.manager { $0.maximumValueBytes = 10 }
    try manager.save(key: "k", value: Array(repeating: 7, count: 10))
    #expect(throws: CacheFailure.self) { try manager.save(key: "k", value: Array(repeating: 8, count: 11)) }
    #expect(try manager.load(key: "k") == Array(repeating: 7, count: 10))
  }

  @Test func aValueThatSomebodyElseMadeTooLargeIsNotRead() throws {
    let manager = scratch.manager { $0.maximumValueBytes = 10 }
    try manager.save(key: "k", value: [1])
    _ = scratch.run("sqlite3 \"$F\" \"UPDATE entries SET value = zeroblob(11)\"")
    #expect(try manager.load(key: "k") == nil)
  }

  @Test func theValuesWrittenLongestAgoMakeRoom() throws {
    let manager = scratch.manager(clock: clock) { $0.maximumEntries = 3 }
    for number in 0..<5 {
      clock.advance(milliseconds: 1)
      try manager.save(key: "\(number)", value: [UInt8(number)])
    }
    clock.advance(milliseconds: 1)
    try manager.save(key: "2", value: [22])
    clock.advance(milliseconds: 1)
    try manager.save(key: "5", value: [5])
    #expect(try ["0", "1", "2", "3", "4", "5"].filter { try manager.load(key: $0) != nil } == ["2", "4", "5"])
    #expect(manager.evictedEntries == 3)
  }

  // (KAM-60, KAM-70, KAM-76; no client)
  @Test func inMemoryPersonsMakeRoomBeforeAnythingElse() {
    let manager = MemoryCacheManager(maximumEntries: 3)
    for key in ["configuration", PersonKey.make([0x61]), PersonKey.make([0x62]), PersonKey.make([0x63]), "flags", "more"] {
      manager.save(key: key, value: [1])
    }
    #expect(manager.load(key: "configuration") != nil && manager.load(key: "flags") != nil && manager.load(key: "more") != nil)
    manager.save(key: PersonKey.make([0x64]), value: [1])
    #expect(manager.load(key: "configuration") == nil && manager.load(key: "visitor:d") != nil)
  }

  @Test func visitorsMakeRoomBeforeAnythingElseAndThatIsToldOnce() throws {
    let told = Lines()
    let manager = scratch.manager(clock: clock, change: { $0.maximumEntries = 3 }, warn: { told.add($0) })
    for key in ["configuration", "visitor:a", "visitor:b", "visitor:c", "visitor:d"] {
      clock.advance(milliseconds: 1)
      try manager.save(key: key, value: [1])
    }
    #expect(try manager.load(key: "configuration") != nil && manager.load(key: "visitor:a") == nil)
    #expect(try manager.load(key: "visitor:c") != nil && manager.load(key: "visitor:d") != nil)
    #expect(told.all.count == 1 && told.all.first?.contains("full") == true)
  }

  @Test func theBytesOfAllValuesAreBoundedToo() throws {
    let manager = scratch.manager(clock: clock) {
      $0.maximumEntries = 16
      $0.maximumEntryBytes = 100
    }
    for number in 0..<4 {
      clock.advance(milliseconds: 1)
      try manager.save(key: "\(number)", value: Array(repeating: 0, count: 40))
    }
    #expect(try manager.load(key: "0") == nil && manager.load(key: "1") == nil)
    #expect(try manager.load(key: "2") != nil && manager.load(key: "3") != nil)
  }

  @Test func aFullFileRefusesWritesAndKeepsWhatItHas() throws {
    let manager = scratch.manager { $0.maximumFileBytes = 64 * 4096 }
    try manager.save(key: "k", value: [1])
    let failure = #expect(throws: CacheFailure.self) {
      for number in 0..<200 {
        try manager.putEvents([.test("\(number)", String(repeating: "x", count: 3_000))], owner: stranger(1))
      }
    }
    #expect(failure?.message == "storing events: database or disk is full")
    #expect(failure?.isPermanent == false)
    #expect(throws: CacheFailure.self) { try manager.save(key: "k", value: Array(repeating: 2, count: 50_000)) }
    #expect(try manager.load(key: "k") == [1])
    // Room again once something was delivered.
    try manager.removeEvents(ids: (0..<50).map { "\($0)" }, owner: stranger(1))
    try manager.save(key: "k", value: Array(repeating: 2, count: 50_000))
  }
}
