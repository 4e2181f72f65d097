import Glibc
import HoistCore
import HoistSQLite
import Testing

@Suite("A damaged cache is set aside and made anew (G10, reliability 4.3)") struct DamageTests {
  let scratch = Scratch()
  let warnings = Lines()

  func manager() -> SQLiteCacheManager { scratch.manager(warn: { [warnings] in warnings.add($0) }) }

  func fill() throws {
    let manager = manager()
    for number in 0..<50 {
      try manager.save(key: "key \(number)", value: Array(repeating: UInt8(number), count: 3_000))
    }
    try manager.putEvents((0..<50).map { .test("row \($0)") }, owner: stranger(1))
    manager.close()
  }

  static let damages = [
    "printf 'this is no database, only some text that is long enough to be read as a page' > \"$F\"",
    "dd if=/dev/urandom of=\"$F\" bs=1000 count=1 conv=notrunc",
    "dd if=/dev/urandom of=\"$F\" bs=4096 seek=1 count=3 conv=notrunc",
    "dd if=/dev/zero of=\"$F\" bs=4096 seek=1 count=12 conv=notrunc",
    "truncate -s 9000 \"$F\"",
    "rm \"$F\"; sqlite3 \"$F\" 'CREATE TABLE entries(key TEXT PRIMARY KEY, value BLOB)'",
    "sqlite3 \"$F\" 'CREATE TRIGGER evil AFTER INSERT ON entries BEGIN DELETE FROM events; END'",
    "sqlite3 \"$F\" 'DROP TABLE owners'",
    "sqlite3 \"$F\" 'PRAGMA application_id = 7'",
  ]

  @Test(arguments: damages) func damageIsSetAsideOnceAndTheCacheWorks(_ damage: String) throws {
    try fill()
    _ = scratch.run(damage)
    let manager = manager()
    #expect(try manager.load(key: "key 1") == nil)
    try manager.save(key: "key 1", value: [1])
    #expect(try manager.load(key: "key 1") == [1])
    try manager.putEvents([.test("new")], owner: stranger(1))
    #expect(warnings.all.count == 1)
    #expect(warnings.all.first?.contains("set aside as .corrupt") == true)
    #expect(access(scratch.file + ".corrupt", F_OK) == 0)
    #expect(scratch.run("sqlite3 \"$F\" 'PRAGMA integrity_check'") == "ok")
  }

  @Test("One reading that fails sets nothing aside, wherever it fails: the file is opened again, with all that is in it")
  func oneReadingThatFails() throws {
    try fill()
    FailingReads.install()
    var readings = 0
    while readings < 500 {
      readings += 1
      let former = manager()
      try former.releaseEvents(owner: stranger(readings))
      former.close()
      let next = manager()
      FailingReads.fail(readings)
      let first = try? next.load(key: "key 1")
      let hasFailed = FailingReads.end()
      #expect(try next.load(key: "key 1")?.count == 3_000, "reading \(readings)")
      // A child that another test has forked in this moment may hold the file's lock, so that more than the one can fail.
      #expect(first == nil || !hasFailed, "reading \(readings)")
      #expect(try next.claimAll(stranger(readings + 1)).count == 50, "reading \(readings)")
      next.close()
      if !hasFailed { break }
    }
    #expect((5..<500).contains(readings))
    #expect(warnings.all.isEmpty && access(scratch.file + ".corrupt", F_OK) != 0)
  }

  @Test("The next run takes over what can be read of a file that was set aside: events and people, beside what is new")
  func whatIsSetAsideIsTakenOver() throws {
    try fill()
    let first = manager()
    for name in ["p1", "p2"] { try first.save(key: PersonKey.prefix + name, value: Array("old".utf8)) }
    first.close()
    _ = scratch.run(
      "P=$(sqlite3 \"$F\" \"SELECT rootpage - 1 FROM sqlite_master WHERE name = 'entries_by_age'\"); "
        + "dd if=/dev/urandom of=\"$F\" bs=4096 seek=$P count=1 conv=notrunc")
    let second = manager()
    #expect(try second.load(key: PersonKey.prefix + "p1") == nil)
    try second.save(key: PersonKey.prefix + "p1", value: Array("new".utf8))
    try second.putEvents([.test("new")], owner: stranger(1))
    second.close()
    #expect(warnings.all.count == 1 && access(scratch.file + ".corrupt", F_OK) == 0)
    for _ in 0..<2 {
      let next = manager()
      #expect(try next.load(key: PersonKey.prefix + "p1") == Array("new".utf8))
      #expect(try next.load(key: PersonKey.prefix + "p2") == Array("old".utf8))
      #expect(try next.load(key: "key 1") == nil, "it is fetched again")
      next.close()
      #expect(warnings.all.count == 2 && warnings.all[1].hasPrefix("52 records of events and people are taken over from"))
    }
    #expect(try Set(manager().claimAll(stranger(2))) == Set((0..<50).map { "row \($0)" }))
    #expect(scratch.run("ls \"$D\"").contains("sqlite.salvaged") && access(scratch.file + ".corrupt", F_OK) != 0)
  }

  @Test("What a person has refused meanwhile does not come back from a file that was set aside (consent withdrawn, second run)")
  func whatWasErasedMeanwhileStaysErased() throws {
    try fill()
    let first = manager()
    for name in ["p1", "p2", "p3"] {
      try first.save(key: PersonKey.prefix + name, value: Array("old".utf8))
      for pipeline in ["events", "hits"] {
        try first.putEvents([.test("\(pipeline) of \(name)", pipeline: pipeline, subject: name)], owner: stranger(1))
      }
    }
    first.close()
    _ = scratch.run(
      "P=$(sqlite3 \"$F\" \"SELECT rootpage - 1 FROM sqlite_master WHERE name = 'entries_by_age'\"); "
        + "dd if=/dev/urandom of=\"$F\" bs=4096 seek=$P count=1 conv=notrunc")
    let second = manager()
    try second.purgeEvents(subject: "p1", pipeline: "hits")
    try second.remove(key: PersonKey.prefix + "p1")
    try second.save(key: PersonKey.prefix + "p2", value: [1])
    #expect(try second.replace(key: PersonKey.prefix + "p2", expected: [1], with: nil) == .done)
    #expect(try second.claimAll(stranger(3)).isEmpty)
    second.close()
    let next = manager()
    #expect(try ["p1", "p2", "p3"].map { try next.load(key: PersonKey.prefix + $0) } == [nil, nil, Array("old".utf8)])
    #expect(try next.claimAll(stranger(2), pipeline: "hits") == ["hits of p2", "hits of p3"])
    #expect(try next.claimAll(stranger(2)).suffix(3) == ["events of p1", "events of p2", "events of p3"])
    #expect(scratch.run("sqlite3 \"$F\" \"SELECT count(*) FROM owners WHERE name LIKE 'erased%'\"") == "0")
    next.close()
  }

  @Test func aFileOfNoLengthIsANewOne() throws {
    try fill()
    _ = scratch.run(": > \"$F\"")
    #expect(try manager().load(key: "key 1") == nil)
    #expect(warnings.all.isEmpty)
  }

  /// Writes more than SQLite keeps in memory, then spoils the file behind the open connection's back,
  /// and reads until it is met.
  func spoilInUse(_ manager: SQLiteCacheManager) throws {
    for number in 0..<600 { try manager.save(key: "key \(number)", value: Array(repeating: 1, count: 3_000)) }
    _ = scratch.run(
      "sqlite3 \"$F\" 'PRAGMA wal_checkpoint(TRUNCATE)'; dd if=/dev/urandom of=\"$F\" bs=4096 seek=1 count=400 conv=notrunc"
    )
    var found = 0
    for number in 0..<600 where try manager.load(key: "key \(number)") != nil { found += 1 }
    #expect(found < 600)
  }

  @Test func damageThatShowsOnUseIsSetAsideToo() throws {
    let manager = manager()
    try spoilInUse(manager)
    #expect(warnings.all.count == 1)
    try manager.save(key: "key 1", value: [9])
    #expect(try manager.load(key: "key 1") == [9])
  }

  @Test func aSecondDamageSwitchesTheCacheOff() throws {
    let manager = manager()
    try spoilInUse(manager)
    #expect(throws: CacheFailure.self) { try spoilInUse(manager) }
    let last = #expect(throws: CacheFailure.self) { try manager.save(key: "k", value: [1]) }
    #expect(last?.isPermanent == true)
    #expect(last?.message.contains("damaged again") == true)
    #expect(warnings.all.count == 1)
  }

  @Test func aNewerSchemaIsLeftAloneAndSaysSo() throws {
    try fill()
    _ = scratch.run("sqlite3 \"$F\" 'PRAGMA user_version = 2'")
    let before = scratch.run("md5sum < \"$F\"")
    let manager = manager()
    for _ in 0..<2 {
      let failure = #expect(throws: CacheFailure.self) { try manager.save(key: "k", value: [1]) }
      #expect(failure?.isPermanent == true)
      #expect(failure?.message.contains("made by a newer version (schema 2, this one knows 1)") == true)
    }
    #expect(scratch.run("md5sum < \"$F\"") == before)
    #expect(scratch.run("ls \"$D\"") == "unleash-00ff.sqlite")
  }

  @Test func anOlderDamageIsReplacedByTheNewerOne() throws {
    for round in 0..<2 {
      try fill()
      _ = scratch.run("echo round \(round) and then some more bytes to fill the header of a database > \"$F\"")
      _ = try manager().load(key: "k")
    }
    #expect(scratch.run("head -c 7 \"$F.corrupt\"") == "round 1")
  }
}
