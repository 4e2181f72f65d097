import Glibc
import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

/// Connections map the file `-shm`: a look at what was cut away from it would end the process.
@Suite("The index that connections share may be cut (G2, G10)", .enabled(if: ForkedChild.isSupported)) struct IndexTests {
  let scratch = Scratch()

  @Test(
    "A process goes on when its index is cut, with all that was stored (ready, truncated -shm)",
    arguments: [0, 100, 4_096, 20_000])
  func theIndexIsCut(to length: Int) throws {
    let ending = forked {
      // Two clients with one file.
      let (first, second) = (scratch.manager(), scratch.manager())
      for round in 0..<3 {
        guard (try? first.save(key: "\(round)", value: [1])) != nil else { return 1 }
        guard (try? second.load(key: "\(round)")) == [1] else { return 2 }
        guard truncate(scratch.file + "-shm", length) == 0 else { return 3 }
        guard (try? second.putEvents([.test("\(round)")], owner: stranger(1))) != nil else { return 4 }
        guard (try? first.load(key: "\(round)")) == [1] else { return 5 }
      }
      return 0
    }
    #expect(ending == .exited(0))
    #expect(try scratch.manager().load(key: "2") == [1])
    try scratch.manager().releaseEvents(owner: stranger(1))
    #expect(try scratch.manager().claimAll(stranger(2)) == ["0", "1", "2"])
  }

  @Test("Of two processes with one file each goes on (second process, truncated -shm)") func twoProcesses() throws {
    let ending = forked {
      let manager = scratch.manager()
      guard (try? manager.save(key: "parent", value: [1])) != nil else { return 1 }
      let child = ForkedChild.run {
        let manager = scratch.manager()
        guard (try? manager.save(key: "child", value: [2])) != nil else { return 1 }
        guard truncate(scratch.file + "-shm", 0) == 0 else { return 2 }
        return (try? manager.load(key: "parent")) == [1] && (try? manager.save(key: "more", value: [3])) != nil ? 0 : 3
      }
      guard child == .exited(0) else { return 2 }
      guard (try? manager.load(key: "child")) == [2], (try? manager.load(key: "more")) == [3] else { return 3 }
      return (try? manager.save(key: "last", value: [4])) == nil ? 4 : 0
    }
    #expect(ending == .exited(0))
    #expect(try scratch.manager().load(key: "last") == [4])
  }
}
