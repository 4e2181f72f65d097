import Glibc
import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

@Suite(
  "The cache works in a forked child and the parent's is undisturbed (G9, reliability 5)",
  .enabled(if: ForkedChild.isSupported))
struct ForkTests {
  let scratch = Scratch()

  @Test func everyChildOfABusyParentOpensItsStore() throws {
    let children = 60
    let manager = scratch.manager { $0.busyMilliseconds = 10_000 }
    let other = scratch.manager { $0.vendor = "other" }
    let stop = Lines()
    let stopped = Lines()
    for (number, manager) in [manager, other].enumerated() {
      _ = Thread.start(name: "load") {
        var round = 0
        while stop.all.isEmpty {
          round += 1
          do {
            try manager.save(key: "load \(number)", value: [UInt8](repeating: 7, count: 2_000))
            try manager.putEvents([.test("\(number)-\(round)")], owner: stranger(number))
            try manager.removeEvents(ids: ["\(number)-\(round)"], owner: stranger(number))
          } catch {
            stopped.add("failure: \(error)")
          }
        }
        stopped.add("stopped")
      }
    }
    var endings: [ForkedChild.Ending] = []
    for child in 0..<children {
      endings.append(
        forked {
          do {
            try manager.save(key: "child \(child)", value: [UInt8(truncatingIfNeeded: child)])
            try manager.putEvents([.test("child \(child)", pipeline: "children")], owner: stranger(1_000))
            return try manager.load(key: "child \(child)") == [UInt8(truncatingIfNeeded: child)] ? 0 : 1
          } catch {
            return 2
          }
        })
    }
    stop.add("now")
    while stopped.all.count(where: { $0 == "stopped" }) < 2 { usleep(1_000) }
    #expect(endings.count { $0 == .exited(0) } == children)
    #expect(stopped.all == ["stopped", "stopped"])
    // What the children had committed is there.
    #expect(try (0..<children).filter { try manager.load(key: "child \($0)") == nil } == [])
    try manager.releaseEvents(owner: stranger(1_000))
    #expect(try manager.claimAll(stranger(2), pipeline: "children").count == children)
    manager.close()
    #expect(scratch.run("sqlite3 \"$F\" 'PRAGMA integrity_check'") == "ok")
  }

  /// An inherited connection that lies about would leave the child without file locks of its own;
  /// then the parent's close takes the log away under it, and the child's commits are lost.
  @Test func aChildsCommitsOutliveTheParentsConnection() throws {
    let manager = scratch.manager()
    let bystander = scratch.manager()
    try manager.save(key: "parent", value: [1])
    try bystander.save(key: "bystander", value: [1])
    let go = scratch.path + "/go"
    let child = ForkedChild.start {
      do {
        try manager.save(key: "child 1", value: [1])
        _ = Glibc.close(open(go + "1", O_CREAT | O_WRONLY, 0o600))
        while access(go + "2", F_OK) != 0 { usleep(500) }
        try manager.save(key: "child 2", value: [2])
        return 0
      } catch {
        return 1
      }
    }
    while access(go + "1", F_OK) != 0 { usleep(500) }
    manager.close()
    bystander.close()
    _ = Glibc.close(open(go + "2", O_CREAT | O_WRONLY, 0o600))
    #expect(ForkedChild.wait(child) == .exited(0))
    let after = scratch.manager()
    #expect(try after.load(key: "child 1") == [1])
    #expect(try after.load(key: "child 2") == [2])
  }

  @Test func aChildThatNeverUsesTheCacheLeavesTheParentsAlone() throws {
    let manager = scratch.manager()
    try manager.save(key: "k", value: [1])
    #expect(forked { 0 } == .exited(0))
    let closing = forked {
      manager.close()
      return 0
    }
    #expect(closing == .exited(0))
    try manager.save(key: "k", value: [2])
    #expect(try manager.load(key: "k") == [2])
    #expect(scratch.run("ls \"$D\" | wc -l") == "3")
  }

  @Test func theParentsRowsAreNotTheChildsToClaim() throws {
    let manager = scratch.manager()
    let parent = EventOwner(id: OwnerIdentity.make(nonce: 42).text, leaseMilliseconds: 1)
    try manager.putEvents([.test("a")], owner: parent)
    usleep(5_000)
    let ending = forked {
      let child = EventOwner(id: OwnerIdentity.make(nonce: 42).text, leaseMilliseconds: 60_000)
      guard child.id != parent.id else { return 1 }
      return (try? manager.claimAll(child)) == [] ? 0 : 2
    }
    #expect(ending == .exited(0))
  }
}
