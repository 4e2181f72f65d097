import CSQLite
import Glibc
import HoistBase
import HoistCore
@testable import HoistSQLite
import HoistTestSupport
import Testing

/// Every write of the probe program fails as on a full disk; what needs no room, like a file of no length, does not.
@Suite(
  "A full disk does not keep what is stored from being delivered (contract 6)",
  .enabled(if: Probe.canTrace, "needs strace and leave to trace"))
struct FullDiskTests: JournalBench {
  let scratch = Scratch()
  var probe: Probe { Probe(folder: scratch.path + "/cache") }
  var sink: String { scratch.path + "/delivered" }
  var delivered: [String] { scratch.run("cat '\(sink)' 2>/dev/null").split(separator: "\n").map(String.init).sorted() }

  static let isFull = "pwrite64:error=ENOSPC:when=1+"

  /// - Returns: what there is to deliver.
  func leave(_ how: String) -> [String] {
    switch how {
    case "in a journal": return probe.run("record 20").all("stored ").sorted()
    case "in the tables, closed": return probe.run("record-closed 20").all("stored ").sorted()
    default:
      let out = scratch.path + "/out"
      let child = Shell.spawn(["/bin/sh", "-c", "exec '\(Probe.program)' record-periodic '\(scratch.path)/cache' 20 > '\(out)'"])
      _ = scratch.run("while ! grep -q slept '\(out)'; do sleep 0.01; done")
      kill(child, SIGKILL)
      _ = ForkedChild.wait(child)
      return scratch.run("sed -n 's/^queued //p' '\(out)'").split(separator: "\n").map(String.init).sorted()
    }
  }

  @Test(
    "What a process has left is delivered, and once there is room it is gone (second process, full disk)",
    arguments: ["in a journal", "in the tables, closed", "in the tables, killed"])
  func aTakeOver(how: String) {
    let left = leave(how)
    #expect(left.count == 20)
    let second = probe.run("deliver 0 '\(sink)'", inject: Self.isFull)
    #expect(delivered == left, "\(second.lines)")
    // What cannot be taken out of the tables will come again, and closing says so.
    #expect(second.lines.contains("closed false"), "\(second.lines)")
    #expect(probe.run("deliver 0 '\(sink)'").lines.contains("closed true"))
    #expect(Set(delivered) == Set(left) && delivered.count <= 40)
    let count = delivered.count
    _ = probe.run("deliver 0 '\(sink)'")
    #expect(delivered.count == count)
    #expect(scratch.run("ls \"$D\"") == "probe-01.sqlite")
  }

  @Test(
    "What one process has claimed from a full disk no other one does, until it dies (two processes, full disk, killed)",
    arguments: ["in a journal", "in the tables, closed"])
  func theClaimIsItsProcesss(how: String) throws {
    let left = leave(how)
    let out = scratch.path + "/holder"
    _ = scratch.run("cd \"$D\" && for file in *; do mv \"$file\" \"$(echo $file | sed s/probe-01/probe-00/)\"; done")
    let child = Shell.spawn([
      "/bin/sh", "-c",
      "exec strace -D -f -o /dev/null -e trace=pwrite64 -e inject=\(Self.isFull) '\(Probe.program)' hold '\(scratch.path)/cache' > '\(out)'",
    ])
    _ = scratch.run("while ! grep -q 'reading' '\(out)'; do sleep 0.01; done")
    #expect(scratch.run("grep -c '^row' '\(out)'") == "20", "\(scratch.run("cat '\(out)'")), \(left.count)")
    // With room as without.
    for inject in [Self.isFull, nil] {
      let other = probe.run("read", inject: inject)
      #expect(other.all("row ").isEmpty && other.lines.contains("done reading"), "\(other.lines)")
    }
    kill(child, SIGKILL)
    _ = ForkedChild.wait(child)
    let next = probe.run("read", inject: Self.isFull)
    #expect(next.all("row ").count == 20, "\(next.lines)")
  }

  @Test(
    "What was claimed so is written down as soon as there is room (full disk, then room)", .enabled(if: ForkedChild.isSupported))
  func roomAgain() throws {
    let manager = scratch.manager()
    try manager.putEvents([.test("a"), .test("b"), .test("c")], owner: stranger(1))
    try manager.releaseEvents(owner: stranger(1))
    manager.close()
    let ending = forked {
      let (holder, claims) = (scratch.manager(), scratch.path + "/cache/unleash-00ff.claims")
      fillDisk()
      guard (try? holder.claimAll(stranger(2))) == ["a", "b", "c"], access(claims, F_OK) == 0 else { return 1 }
      guard (try? holder.claimAll(stranger(2))) == [], (try? scratch.manager().claimAll(stranger(3))) == [] else { return 2 }
      guard (try? holder.removeEvents(ids: ["a"], owner: stranger(2))) == nil else { return 3 }
      makeRoom()
      guard (try? scratch.manager().claimAll(stranger(3))) == [] else { return 4 }
      guard (try? holder.removeEvents(ids: ["a"], owner: stranger(2))) != nil, (try? holder.claimAll(stranger(2))) == [] else {
        return 5
      }
      return access(claims, F_OK) != 0 ? 0 : 6
    }
    #expect(ending == .exited(0))
    // The child has died as their owner, with a lease.
    #expect(try scratch.manager().claimAll(stranger(3)).isEmpty)
    try scratch.manager().releaseEvents(owner: stranger(2))
    #expect(try scratch.manager().claimAll(stranger(3)) == ["b", "c"])
  }

  @Test(
    "What is delivered of a journal is gone from a full disk, bit by bit (second process, full disk)",
    .enabled(if: ForkedChild.isSupported))
  func aJournalNeedsNoRoom() throws {
    try scratch.manager().save(key: "flags", value: [1])
    for number in 1...3 {
      var journal: (any EventJournal)? = try open(scratch.manager())
      for entry in 1...3 { write(journal, UInt64(number * 10 + entry), subject: "u\(entry)") }
      journal = nil
    }
    let ending = forked {
      let manager = scratch.manager()
      fillDisk()
      func count() -> Int? { try? manager.leftJournals().names().count }
      let claim = {
        try? manager.claimEvents(pipeline: "events", maximumRows: 4, maximumBytes: 1 << 20, owner: stranger(1)).map(\.id)
      }
      guard let some = claim(), some.count == 4, let others = claim(), others.count == 4, count() == 3 else { return 1 }
      guard (try? manager.removeEvents(ids: some, owner: stranger(1))) != nil, count() == 2 else { return 2 }
      guard (try? manager.removeEvents(ids: others, owner: stranger(1))) != nil, count() == 1 else { return 3 }
      // Of the last one a person withdraws consent.
      return (try? manager.purgeEvents(subject: "u3", pipeline: "events")) != nil && count() == 0 ? 0 : 4
    }
    #expect(ending == .exited(0))
    #expect(try claimed().isEmpty)
  }

  @Test(
    "A disk that fills up while the log has been written needs no room for what follows (full disk)",
    .enabled(if: ForkedChild.isSupported))
  func theLogIsWrittenAnew() throws {
    let ending = forked {
      let manager = scratch.manager()
      let rows = (0..<9).map { EventRow.test("\($0)", String(repeating: "x", count: 3_000)) }
      guard (try? manager.putEvents(rows, owner: stranger(1))) != nil else { return 1 }
      forbidGrowth(of: scratch.file + "-wal")
      guard (try? manager.removeEvents(ids: ["1", "2"], owner: stranger(1))) != nil else { return 2 }
      return (try? manager.claimAll(stranger(2))) == [] ? 0 : 3
    }
    #expect(ending == .exited(0))
  }
}

/// In a child of its own: SQLite's writes fail as on a full disk, all of them or those beyond the end of a file.
private func fillDisk() { replaceWrite { _, _, _, _ in refuseForRoom() } }

private func forbidGrowth(of path: String) {
  var status = stat()
  stat(path, &status)
  length = status.st_size
  replaceWrite { descriptor, bytes, count, place in
    place + off_t(count) <= length ? pwrite(descriptor, bytes, count, place) : refuseForRoom()
  }
}

private func makeRoom() { replaceWrite { pwrite($0, $1, $2, $3) } }

nonisolated(unsafe) private var length: off_t = 0

private func refuseForRoom() -> Int {
  errno = ENOSPC
  return -1
}

private func replaceWrite(by write: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int) {
  guard let system = sqlite3_vfs_find(nil) else { return }
  _ = system.pointee.xSetSystemCall?(system, "pwrite64", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
}
