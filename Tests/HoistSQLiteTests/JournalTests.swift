import Glibc
import HoistBase
import HoistCore
@testable import HoistSQLite
import HoistTestSupport
import Testing

@Suite("Journals: what was written down is claimed by whoever comes next (design 6, G10)") struct JournalTests: JournalBench {
  let scratch = Scratch()

  @Test func whatIsLeftBehindIsClaimedOnceAsItWas() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    #expect(write(journal, 1, "a", subject: "u1"))
    #expect(write(journal, 2, ""))
    #expect(try claimed().isEmpty)
    journal = nil
    let rows = try claimed()
    #expect(rows.map(\.id) == [identifiers.text(1), identifiers.text(2)])
    #expect(rows.map { String(decoding: $0.payload, as: UTF8.self) } == ["a", ""])
    #expect(rows.map(\.subject) == ["u1", ""] && rows.map(\.createdUnixMilliseconds) == [1, 2])
    #expect(rows.allSatisfy { $0.pipeline == "events" })
    #expect(files.isEmpty)
    #expect(try scratch.manager().claimAll(stranger(2)).isEmpty)
  }

  @Test func aJournalThatNobodyNeedsLeavesNothing() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1)
    journal?.closeIfEmpty()
    #expect(files.count == 2 && journal?.isSound == true)
    release(journal, below: 2)
    journal?.closeIfEmpty()
    #expect(files.isEmpty && journal?.isSound == false)
    #expect(!write(journal, 2))
    journal = try open(scratch.manager())
    #expect(files.count == 2)
    journal = nil
    #expect(files.isEmpty)
  }

  @Test func theOtherFileIsWrittenWhileOneIsStored() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1)
    // Of what was written meanwhile nothing is forgotten.
    write(journal, 2)
    release(journal, below: 2, round: 1)
    write(journal, 3)
    release(journal, below: 3, round: 2)
    write(journal, 4)
    release(journal, below: 3, round: 3)
    journal = nil
    #expect(try claimed().map(\.id) == [3, 4].map { identifiers.text($0) })
  }

  @Test func aStepAfterOneThatFailedForgetsNothing() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1)
    release(journal, below: 2, round: 5, step: 1)
    release(journal, below: 2, round: 4, step: 2)
    #expect(files.count == 2)
    write(journal, 2)
    release(journal, below: 2, round: 6, step: 0)
    release(journal, below: 3, round: 6, step: 2)
    journal = nil
    #expect(try claimed().map(\.id) == [1, 2].map { identifiers.text($0) })
  }

  @Test func rowsThatTheStoreHasAlreadyAreNotClaimedTwice() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1)
    write(journal, 2)
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try scratch.manager().putEvents([.test(identifiers.text(1))], owner: dead)
    try scratch.manager().releaseEvents(owner: dead)
    journal = nil
    #expect(try claimed().map(\.id).sorted() == [identifiers.text(1), identifiers.text(2)])
    #expect(scratch.run("sqlite3 \"$F\" 'SELECT count(*) FROM events'") == "2")
  }

  @Test(arguments: [1, 20, 31, 33, 36]) func whatWasBeingWrittenIsTheEnd(missing: Int) throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, "whole")
    write(journal, 2, "torn")
    journal = nil
    _ = scratch.run("cd \"$D\"; f=$(ls -S *.journal | head -1); truncate -s -\(missing) $f")
    #expect(try claimed().map(\.id) == [identifiers.text(1)])
  }

  @Test func anEntryThatWasChangedIsTheEnd() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, "first")
    write(journal, 2, "second")
    write(journal, 3, "third")
    journal = nil
    _ = scratch.run("cd \"$D\"; f=$(ls -S *.journal | head -1); LC_ALL=C sed -i s/second/sEcond/ $f")
    #expect(try claimed().map(\.id) == [identifiers.text(1)])
  }

  @Test("whatever a file says, what is read of it is what was written, in its order (G2)")
  func damageNeverMakesRecords() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    let texts = ["first", "", "third and longest of them all", "4"]
    for (number, text) in texts.enumerated() { write(journal, UInt64(number), text, subject: "u\(number)") }
    let name = scratch.run("cd \"$D\"; ls -S *.journal | head -1")
    let file = try #require(bytes(of: scratch.path + "/cache/" + name))
    journal = nil
    let entropy = SeededEntropy(seed: 5)
    for round in 0..<5_000 {
      var damaged = file
      for _ in 0...round % 3 {
        let place = Int(entropy.next() % UInt64(damaged.count))
        damaged[place] = UInt8(truncatingIfNeeded: entropy.next())
      }
      if round % 4 == 0 { damaged.removeLast(Int(entropy.next() % UInt64(damaged.count))) }
      damaged.withBytes { bytes in
        guard let (_, start) = JournalFormat.header(of: bytes) else { return }
        var numbers: [UInt64] = []
        JournalFormat.forEachEntry(of: bytes, from: start) { entry in
          guard !entry.isErased else { return }
          numbers.append(entry.number)
          #expect(texts.indices.contains(Int(entry.number)))
          if entry.number < 4 { #expect(String(decoding: entry.payload, as: UTF8.self) == texts[Int(entry.number)]) }
        }
        #expect(numbers == numbers.sorted())
      }
    }
  }

  private func bytes(of path: String) -> [UInt8]? {
    guard let stream = fopen(path, "r") else { return nil }
    defer { fclose(stream) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    return Array(buffer.prefix(fread(&buffer, 1, buffer.count, stream)))
  }

  @Test func aPurgeLeavesNothingOfTheSubjectInTheFiles() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, "secret", subject: "u1")
    write(journal, 2, "other", subject: "u2")
    release(journal, below: 0)
    write(journal, 3, "secret again", subject: "u1")
    write(journal, 4, "late", subject: "u1")
    journal?.erase(subject: "u1", below: 4)
    #expect(scratch.run("cat \"$D\"/*.journal | grep -ac secret") == "2")
    journal?.carryOutErasures()
    #expect(scratch.run("cat \"$D\"/*.journal | grep -ac secret") == "0")
    #expect(write(journal, 5, "more"))
    journal = nil
    #expect(try claimed().map(\.createdUnixMilliseconds) == [2, 4, 5])
  }

  @Test func aPurgeReachesWhatTheDeadHaveWrittenDown() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, subject: "u1")
    write(journal, 2, subject: "u2")
    journal = nil
    try scratch.manager().purgeEvents(subject: "u1", pipeline: "events")
    #expect(try claimed().map(\.subject) == ["u2"])
  }

  @Test func aJournalInUseIsLeftAlone() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1, subject: "u1")
    try scratch.manager().purgeEvents(subject: "u1", pipeline: "events")
    #expect(try claimed().isEmpty && files.count == 2)
    #expect(write(journal, 2))
    journal = nil
    #expect(try claimed().count == 2)
  }

  @Test(.enabled(if: ForkedChild.isSupported)) func anotherProcessHoldsItsJournalUntilItDies() throws {
    let sign = scratch.path + "/written"
    let child = ForkedChild.start {
      guard let journal = try? open(scratch.manager()), write(journal, 1) else { return 1 }
      _ = Glibc.close(Glibc.open(sign, O_CREAT | O_WRONLY, 0o600))
      while true { pause() }
    }
    while access(sign, F_OK) != 0 { usleep(500) }
    #expect(try claimed().isEmpty && files.count == 2)
    kill(child, SIGSTOP)
    #expect(try claimed().isEmpty && files.count == 2)
    kill(child, SIGKILL)
    #expect(ForkedChild.wait(child) == .killed(signal: SIGKILL))
    #expect(try claimed().map(\.id) == [identifiers.text(1)])
    #expect(files.isEmpty)
  }

  /// The child has the descriptors, but none of the locks.
  @Test(.enabled(if: ForkedChild.isSupported)) func aForkedChildKeepsNobodyFromItsDeadParentsJournal() throws {
    let sign = scratch.path + "/orphan"
    let parent = ForkedChild.start {
      guard let journal = try? open(scratch.manager()), write(journal, 1) else { return 1 }
      let orphan = ForkedChild.start {
        while access(sign, F_OK) != 0 { usleep(500) }
        return 0
      }
      return withExtendedLifetime(journal) { orphan > 0 ? 0 : 1 }
    }
    #expect(ForkedChild.wait(parent) == .exited(0))
    #expect(try claimed().map(\.id) == [identifiers.text(1)])
    _ = Glibc.close(Glibc.open(sign, O_CREAT | O_WRONLY, 0o600))
  }

  @Test func aFullStoreClaimsWhatItHasAndPurgesWhatTheDeadHaveWrittenDown() throws {
    let small = { scratch.manager { $0.maximumFileBytes = 64 << 12 } }
    let manager = small()
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    try manager.putEvents([.test("in the table")], owner: dead)
    try manager.releaseEvents(owner: dead)
    var journal: (any EventJournal)? = try open(manager)
    write(journal, 1, String(repeating: "x", count: 1 << 20), subject: "u1")
    write(journal, 2, "later", subject: "u2")
    journal = nil
    #expect(try manager.claimAll(stranger(1)) == ["in the table"])
    try manager.purgeEvents(subject: "u1", pipeline: "events")
    #expect(try manager.claimAll(stranger(1)) == [identifiers.text(2)])
    try manager.removeEvents(ids: [identifiers.text(2)], owner: stranger(1))
    #expect(files.isEmpty)
  }

  @Test func filesThatAreNoJournalsHarmNobody() throws {
    let manager = scratch.manager()
    try manager.save(key: "k", value: [1])
    _ = scratch.run(
      """
      cd "$D"; mkdir unleash-00ff.dir.journal; ln -s /etc/passwd unleash-00ff.link.journal
      mkfifo unleash-00ff.fifo.journal; : > unleash-00ff.young.journal; echo nonsense > unleash-00ff.old.journal
      : > unleash-00ff.empty.journal; printf hoistJ > unleash-00ff.torn.journal; printf 'hoistJ1\n1234567890123456789' > unleash-00ff.half.journal
      head -c 100 /dev/zero > unleash-00ff.zeros.journal; printf 'hoistJ2\nwhat will be' > unleash-00ff.new.journal
      touch -d '1 hour ago' unleash-00ff.[ehnotz]*.journal; cp -p unleash-00ff.empty.journal other-00ff.old.journal
      """)
    #expect(try claimed().isEmpty)
    try manager.purgeEvents(subject: "u1", pipeline: "events")
    // What began as one of ours goes; what another version wrote stays.
    let left = [
      "other-00ff.old", "unleash-00ff.dir", "unleash-00ff.fifo", "unleash-00ff.link", "unleash-00ff.new", "unleash-00ff.old",
      "unleash-00ff.young",
    ]
    #expect(files.sorted() == left.map { $0 + ".journal" })
  }

  @Test func aFileThatIsGoneIsNotTrustedAnyLonger() throws {
    let journal: (any EventJournal)? = try open(scratch.manager())
    #expect(write(journal, 1))
    _ = scratch.run("rm \"$D\"/*.journal")
    #expect(!write(journal, 2))
    #expect(journal?.isSound == false)
    var calls = 0
    let isWritten = "b".withBytes { text in
      journal?.write(subject: .noBytes, unixMilliseconds: 0, payload: text, untilNanoseconds: .max) {
        calls += 1
        return 3
      }
    }
    #expect(isWritten == false && calls == 0)
  }

  @Test func aFullJournalTakesNothingAndAsksForNoNumber() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    let text = String(repeating: "x", count: 1 << 20)
    var number: UInt64 = 0
    while number < 100, write(journal, number + 1, text) { number += 1 }
    #expect(number == 7)
    release(journal, below: number + 1)
    #expect(write(journal, 50, text))
    journal = nil
    #expect(try claimed().count == 1)
  }

  @Test func aRecordThatIsRefusedLeavesNoTrace() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    let isWritten = "a".withBytes {
      journal?.write(subject: .noBytes, unixMilliseconds: 0, payload: $0, untilNanoseconds: .max) { nil }
    }
    #expect(isWritten == false)
    journal = nil
    #expect(files.isEmpty)
  }

  /// Beyond the limit the system would end the host by a signal.
  @Test("what no file may hold any more fails the record only", .enabled(if: ForkedChild.isSupported))
  func aLimitOfTheSystemFailsTheRecordOnly() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    #expect(write(journal, 1))
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let ending = forked {
      heedFileLimits()
      var small = rlimit(rlim_cur: 1_000, rlim_max: limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
      guard let own = try? scratch.manager().openJournal(pipeline: "events", identifiers: EventIdentifiers(high: 9, low: 0))
      else { return 2 }
      guard write(own, 1, "fits"), !write(own, 2, String(repeating: "x", count: 2_000)), write(own, 3, "fits") else { return 1 }
      return 0
    }
    #expect(ending == .exited(0))
    journal = nil
    let ids = try claimed().map(\.id)
    #expect(ids.count == 3 && ids.contains(identifiers.text(1)))
  }

  @Test("a forked child leaves its parent's journal alone (G9)", .enabled(if: ForkedChild.isSupported))
  func aForkedChildTouchesNothing() throws {
    var journal: (any EventJournal)? = try open(scratch.manager())
    write(journal, 1)
    let ending = forked {
      let isWritten = write(journal, 2)
      release(journal, below: 10)
      journal?.erase(subject: "", below: 10)
      journal?.carryOutErasures()
      journal?.closeIfEmpty()
      journal = nil
      return isWritten ? 1 : 0
    }
    #expect(ending == .exited(0))
    #expect(files.count == 2)
    #expect(write(journal, 3))
    journal = nil
    #expect(try claimed().map(\.id) == [1, 3].map { identifiers.text($0) })
  }

  @Test func onlyOneOfManyThatComeAtOnceTakesThem() throws {
    for round in 0..<20 {
      var journal: (any EventJournal)? = try open(scratch.manager())
      for number in 0..<50 { write(journal, UInt64(round * 1_000 + number)) }
      journal = nil
      let found = Lines()
      let threads = (0..<4).map { number in
        HostThread {
          let rows = try? scratch.manager().claimAll(stranger(round * 10 + number))
          for row in rows ?? ["failed"] { found.add(row) }
        }
      }
      for thread in threads { thread.join() }
      #expect(found.all.count == 50 && Set(found.all).count == 50)
    }
  }
}
