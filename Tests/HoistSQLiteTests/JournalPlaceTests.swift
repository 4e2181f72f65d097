import Glibc
import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

@Suite("The cache file and its journals stand in one place as long as the manager lives (design 6, G10)")
struct JournalPlaceTests: JournalBench {
  let scratch = Scratch()

  /// In a child: the folder it works in is the process's.
  @Test(.enabled(if: ForkedChild.isSupported)) func whoGoesToAnotherFolderTakesNothingAlong() throws {
    let ending = forked {
      guard mkdir(scratch.path + "/here", 0o700) == 0, chdir(scratch.path + "/here") == 0 else { return 1 }
      return uses(scratch.manager { $0.folder = "cache" }) { mkdir("deeper", 0o700) == 0 && chdir("deeper") == 0 }
    }
    #expect(ending == .exited(0))
    #expect(try claimed(in: "here/cache") == 3)
    #expect(scratch.run("find '\(scratch.path)' -name cache") == scratch.path + "/here/cache")
  }

  @Test(.enabled(if: ForkedChild.isSupported)) func anEnvironmentThatChangesMovesNothing() throws {
    let ending = forked {
      setenv("XDG_CACHE_HOME", scratch.path + "/one", 1)
      return uses(scratch.manager { $0.folder = nil }) { setenv("XDG_CACHE_HOME", scratch.path + "/two", 1) == 0 }
    }
    #expect(ending == .exited(0))
    #expect(try claimed(in: "one/hoist") == 3)
    #expect(access(scratch.path + "/two", F_OK) != 0)
  }

  /// Leaves a record in the tables and one in each of two journals.
  /// - Parameter change: of the process's, after which a path may mean another place.
  private func uses(_ manager: SQLiteCacheManager, _ change: () -> Bool) -> Int32 {
    let dead = EventOwner(id: "dead", leaseMilliseconds: 1)
    guard change(), let first = try? open(manager), write(first, 1) else { return 2 }
    guard change(), (try? manager.putEvents([.test("stored")], owner: dead)) != nil else { return 3 }
    guard (try? manager.releaseEvents(owner: dead)) != nil else { return 4 }
    guard change(), let second = try? open(manager), write(second, 2) else { return 5 }
    return withExtendedLifetime(first) { 0 }
  }

  private func claimed(in folder: String) throws -> Int {
    try scratch.manager { $0.folder = scratch.path + "/" + folder }.claimAll(stranger(3)).count
  }

  @Test func aFolderThatWasRemovedIsMadeAgain() throws {
    let manager = scratch.manager()
    try manager.save(key: "k", value: [1])
    manager.close()
    _ = scratch.run("rm -rf \"$D\"")
    try manager.save(key: "k", value: [2])
    #expect(try manager.load(key: "k") == [2])
    #expect(write(try open(manager), 1))
  }
}
