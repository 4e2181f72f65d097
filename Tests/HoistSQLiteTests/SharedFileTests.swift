import Glibc
import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

@Suite("Several processes on one cache file (reliability 4.3, design 6)") struct SharedFileTests {
  let scratch = Scratch()

  func identity(_ nonce: UInt64) -> EventOwner {
    EventOwner(id: OwnerIdentity.make(nonce: nonce).text, leaseMilliseconds: 60_000)
  }

  /// A process that holds the write lock and sleeps; returns once it does.
  func locker() -> pid_t {
    let ready = scratch.path + "/locked"
    let command =
      "{ echo 'BEGIN IMMEDIATE;'; echo \".shell touch '\(ready)'\"; exec sleep 60; } | exec sqlite3 '\(scratch.file)'"
    // A process group of its own, so that the whole pipe ends with it.
    let child = Shell.spawn(["/usr/bin/setsid", "sh", "-c", command])
    var patience = 20_000
    while patience > 0, access(ready, F_OK) != 0 {
      patience -= 1
      usleep(1_000)
    }
    return child
  }

  @Test func rowsOfAKilledProcessAreFreeAtOnce() throws {
    let folder = scratch.path + "/cache"
    let child = Shell.spawn([Probe.program, "write", folder, "5", "hang"])
    let probe = scratch.manager {
      $0.vendor = "probe"; $0.keyDigest = "00"
    }
    // All five are committed, and their owner lives.
    let clock = SystemClock()
    let deadline = clock.monotonicNanoseconds + 20_000_000_000
    while try probe.load(key: "flags") != Array("version 4".utf8), clock.monotonicNanoseconds < deadline {
      usleep(1_000)
    }
    usleep(20_000)
    #expect(try probe.claimAll(identity(1)) == [])
    kill(child, SIGKILL)
    // Not waited for: a zombie is dead enough, though a moment may pass until it is one.
    var claimed: [String] = []
    while claimed.isEmpty, clock.monotonicNanoseconds < deadline { claimed = try probe.claimAll(identity(2)) }
    #expect(claimed.contains("4") && claimed.contains("0"))
    #expect(ForkedChild.wait(child) == .killed(signal: SIGKILL))
  }

  @Test func noRowIsClaimedByTwoProcesses() throws {
    let folder = scratch.path + "/cache"
    let manager = scratch.manager {
      $0.vendor = "probe"; $0.keyDigest = "00"
    }
    try manager.putEvents((0..<300).map { .test("\($0)", at: Int64($0)) }, owner: stranger(1))
    try manager.releaseEvents(owner: stranger(1))
    manager.close()
    // Not a shell's jobs: tests run with signals blocked, and a shell would wait for one for ever.
    let lines = Shell.run(
      "seq 4 | xargs -P 4 -I '{}' sh -c '\(Probe.program) compete \(folder) > \(scratch.path)/out{}'; cat '\(scratch.path)'/out*"
    )
    let rows = lines.split(separator: "\n").filter { $0.hasPrefix("row ") }
    #expect(rows.count == 300)
    #expect(Set(rows).count == 300)
  }

  @Test func aStoppedProcessWithTheLockDelaysAWriteByTheLimitOnly() throws {
    let manager = scratch.manager { $0.busyMilliseconds = 60 }
    try manager.save(key: "k", value: [1])
    let locker = locker()
    defer {
      kill(-locker, SIGKILL)
      _ = ForkedChild.wait(locker)
    }
    let clock = SystemClock()
    let began = clock.monotonicNanoseconds
    let failure = #expect(throws: CacheFailure.self) { try manager.save(key: "k", value: [2]) }
    #expect(failure?.message == "writing the cache: the cache file is locked by another process")
    #expect(failure?.isPermanent == false)
    #expect(clock.monotonicNanoseconds - began >= 60_000_000)
    // Reading goes on beside a writer.
    #expect(try manager.load(key: "k") == [1])
    kill(-locker, SIGKILL)
    #expect(ForkedChild.wait(locker) == .killed(signal: SIGKILL))
    try manager.save(key: "k", value: [3])
  }

  @Test func theGateIsOpenWhileOneFileIsBusy() throws {
    let busy = scratch.manager { $0.busyMilliseconds = 5_000 }
    try busy.save(key: "k", value: [1])
    let other = scratch.manager { $0.vendor = "other" }
    let locker = locker()
    let clock = SystemClock()
    let start = clock.monotonicNanoseconds
    let saved = Lines()
    _ = Thread.start(name: "waiter") {
      do { try busy.save(key: "k", value: [2]) } catch {}
      saved.add("done")
    }
    // Another file's calls pass while the first one waits for its lock.
    for number in 0..<20 { try other.save(key: "k", value: [UInt8(number)]) }
    #expect(saved.all.isEmpty)
    kill(-locker, SIGKILL)
    _ = ForkedChild.wait(locker)
    while saved.all.isEmpty, clock.monotonicNanoseconds - start < 30_000_000_000 { usleep(1_000) }
    #expect(try busy.load(key: "k") == [2])
  }

  @Test func twoThatMeetADamagedFileReplaceItOnce() throws {
    try scratch.manager().save(key: "k", value: [1])
    _ = scratch.run(
      "printf 'spoiled, and long enough to be looked at as a database' > \"$F\"; rm -f \"$F-wal\" \"$F-shm\"")
    let first = scratch.manager()
    let second = scratch.manager()
    #expect(try second.load(key: "x") == nil)
    try second.save(key: "k", value: [2])
    #expect(try first.load(key: "k") == [2])
  }
}
