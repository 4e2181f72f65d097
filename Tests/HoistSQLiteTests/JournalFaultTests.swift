import Glibc
import HoistBase
import HoistCore
@testable import HoistSQLite
import HoistTestSupport
import Testing

@Suite("Journals on a disk, and in a system, that fail (design 6, G10)") struct JournalFaultTests: JournalBench {
  let scratch = Scratch()

  /// The descriptors of this process under which files that end so are open.
  private func descriptors(of suffix: String = ".journal") -> [(number: Int32, path: String)] {
    (0..<1_024).compactMap { number in
      var buffer = [CChar](repeating: 0, count: 4_096)
      let count = readlink("/proc/self/fd/\(number)", &buffer, 4_096)
      let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return path.hasPrefix(scratch.path) && path.hasSuffix(suffix) ? (Int32(number), path) : nil
    }
  }

  /// From here on the files of journals can be read, and not be written.
  private func refuseWrites() {
    for (number, path) in descriptors() {
      let reader = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      #expect(reader >= 0 && dup2(reader, number) == number)
      _ = Glibc.close(reader)
    }
  }

  @Test(.enabled(if: ForkedChild.isSupported)) func aLimitThatIsLoweredLaterFailsTheRecordOnly() throws {
    let ending = forked {
      heedFileLimits()
      guard let journal = try? open(scratch.manager()), write(journal, 1, subject: "u1"), write(journal, 2, subject: "u2") else {
        return 2
      }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      limit.rlim_cur = 64
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      if write(journal, 3) { return 3 }
      // Neither a purge nor another journal is worth the host's life.
      journal.erase(subject: "u1", below: 3)
      journal.carryOutErasures()
      limit.rlim_cur = 10
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      return (try? scratch.manager().openJournal(pipeline: "more", identifiers: identifiers)) == nil ? 0 : 4
    }
    #expect(ending == .exited(0))
  }

  @Test("a purge that cannot look at every file is owed", .enabled(if: ForkedChild.isSupported))
  func aPurgeThatCannotLookIsOwed() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, subject: "u1")
    write(journal, 2, subject: "u2")
    journal = nil
    let ending = forked {
      let manager = scratch.manager()
      guard (try? manager.save(key: "k", value: [1])) != nil else { return 1 }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 0
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return (try? manager.purgeEvents(subject: "u1", pipeline: "events")) == nil ? 0 : 2
    }
    #expect(ending == .exited(0))
    try scratch.manager().purgeEvents(subject: "u1", pipeline: "events")
    #expect(try claimed().map(\.subject) == ["u2"])
  }

  @Test func whatCannotBeErasedIsRemoved() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, subject: "u1")
    write(journal, 2, subject: "u2")
    refuseWrites()
    journal?.erase(subject: "u1", below: 3)
    journal?.carryOutErasures()
    #expect(journal?.isSound == false && !write(journal, 3))
    #expect(files.count == 1)
    journal = nil
    #expect(try claimed().isEmpty)
  }

  @Test func aWriteThatFailsLeavesTheRestAsItWas() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    #expect(write(journal, 1))
    refuseWrites()
    #expect(!write(journal, 2) && !write(journal, 3))
    #expect(journal?.isSound == true)
    journal = nil
    #expect(try claimed().map(\.id) == [identifiers.text(1)])
  }

  @Test("of what came to the disk of a record that failed, nothing is left (G10)") func aShortWriteIsUndone() throws {
    let path = scratch.path + "/part"
    var part = try JournalPart(path: path, header: JournalFormat.Header(identifiers: identifiers, pipeline: "events"))
    let before = scratch.run("wc -c < \(path)")
    let isWritten = withUnsafeTemporaryAllocation(byteCount: 100, alignment: 8) { room in
      room.initializeMemory(as: UInt8.self, repeating: 7)
      return part.append(room, number: 1) { bytes, descriptor, place in
        _ = JournalDisk.write(UnsafeRawBufferPointer(rebasing: bytes[..<50]), to: descriptor, at: place)
        return false
      }
    }
    #expect(!isWritten && part.isEmpty)
    #expect(scratch.run("wc -c < \(path)") == before)
    part.close()
  }

  @Test func aNameThatIsTakenIsNotTheEnd() throws {
    let (first, same) = (SeededEntropy(seed: 3), SeededEntropy(seed: 3))
    let file = try CacheLocation(
      SQLiteCacheManager.Options(folder: scratch.path + "/cache", vendor: "unleash", keyDigest: "00ff")
    ).file()
    let taken = file.journalStem + UUIDv4(from: first).digits + FileJournal.suffix
    _ = Glibc.close(Glibc.open(taken, O_CREAT | O_WRONLY, 0o600))
    let journal = try FileJournal(beside: file, pipeline: "events", identifiers: identifiers, entropy: same)
    #expect(write(journal, 1) && files.count == 3)
  }

  /// The first one's write never returns.
  @Test("a disk that stalls holds up one caller, the others for a time") func othersWaitForATimeOnly() throws {
    let journal = try open(scratch.manager())
    let (inside, door) = (Gate(), Gate())
    let first = HostThread {
      _ = journal.write(subject: .noBytes, unixMilliseconds: 0, payload: .noBytes, untilNanoseconds: .max) {
        inside.open()
        door.pass()
        return 1
      }
    }
    inside.pass()
    let isAsked = Lines()
    let deadline = SystemClock().monotonicNanoseconds + 20_000_000
    let isWritten = journal.write(subject: .noBytes, unixMilliseconds: 0, payload: .noBytes, untilNanoseconds: deadline) {
      isAsked.add("asked")
      return 2
    }
    #expect(!isWritten && isAsked.all.isEmpty)
    #expect(SystemClock().monotonicNanoseconds >= deadline)
    door.open()
    first.join()
    #expect(write(journal, 3))
  }

  /// Whoever took it in has died before it could remove the file.
  @Test("what is in the tables is taken in once", arguments: [true, false]) func theTablesKnowWhatTheyHaveTakenIn(isPurge: Bool)
    throws
  {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, subject: "u1")
    journal = nil
    let manager = scratch.manager()
    let left = try manager.leftJournals()
    for name in try left.free() {
      _ = try manager.perform("taking in") { database throws(SQLiteFailure) in
        try database.transaction { () throws(SQLiteFailure) in
          _ = try manager.claim(name, of: left, database)
        }
      }
    }
    #expect(files.count == 1)
    if isPurge {
      // The file is another's just then.
      let held = try left.free().map { try #require(try left.open($0)) }
      try scratch.manager().purgeEvents(subject: "u1", pipeline: "events")
      withExtendedLifetime(held) {}
    } else {
      // Taken, delivered, and forgotten, with nothing removed.
      for _ in 0..<2 {
        _ = try manager.claimRows("events", 10, 1_000, stranger(1))
        try manager.removeEvents(ids: [identifiers.text(1), "other"], owner: stranger(1))
        try manager.putEvents([.test("other")], owner: stranger(2, lease: 0))
        try manager.releaseEvents(owner: stranger(2))
      }
    }
    #expect(try scratch.manager().claimAll(stranger(4)) == (isPurge ? [] : ["other"]))
    #expect(files.isEmpty)
    try manager.putEvents([.test("last")], owner: stranger(5))
    try manager.releaseEvents(owner: stranger(5))
    #expect(try manager.claimAll(stranger(6)) == ["last"])
    #expect(scratch.run("sqlite3 \"$F\" \"SELECT count(*) FROM owners WHERE name LIKE '%.journal'\"") == "0")
  }

  /// Closing any descriptor of a file would let go of the process's locks on it.
  @Test("looking at the files takes no lock away", .enabled(if: ForkedChild.isSupported)) func lookingTakesNoLockAway() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, subject: "u1")
    #expect(try claimed().isEmpty)
    try scratch.manager().purgeEvents(subject: "u1", pipeline: "events")
    // By another path, too.
    _ = scratch.run("mv \"$D\" \"$D-moved\"; ln -s \"$D-moved\" \"$D-link\"")
    let moved = { scratch.manager { $0.folder = scratch.path + "/cache-moved" } }
    #expect(try moved().claimAll(stranger(1)).isEmpty)
    try moved().purgeEvents(subject: "u1", pipeline: "events")
    let ending = forked {
      (try? moved().claimAll(stranger(2)))?.isEmpty == true ? 0 : 1
    }
    #expect(ending == .exited(0))
    #expect(write(journal, 2))
    journal = nil
    #expect(try moved().claimAll(stranger(2)).count == 2)
  }

  @Test(.enabled(if: ForkedChild.isSupported)) func onlyOneOfManyProcessesTakesThem() throws {
    for round in 0..<5 {
      var journal: (any EventJournal)? = try open(scratch.manager())
      for number in 0..<50 { write(journal, UInt64(round * 1_000 + number)) }
      journal = nil
      let children = (0..<4).map { number in
        ForkedChild.start {
          Int32((try? scratch.manager().claimAll(stranger(round * 10 + number)))?.count ?? 100)
        }
      }
      let counts = children.map { ForkedChild.wait($0) }
      #expect(counts.filter { $0 == .exited(50) }.count == 1 && counts.filter { $0 == .exited(0) }.count == 3, "\(counts)")
      #expect(files.isEmpty)
    }
  }
}

/// Once open, it stays so.
private final class Gate: @unchecked Sendable {
  private let lock = Lock()
  private let news = Condition()
  private var isOpen = false

  func open() {
    lock.withLock {
      isOpen = true
      news.broadcast()
    }
  }

  func pass() { lock.withLock { while !isOpen { _ = news.wait(lock, untilNanoseconds: .max) } } }
}
