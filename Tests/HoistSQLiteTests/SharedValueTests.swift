import Glibc
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

@Suite("Values that all accounts of a service share (OPT-46; no client)") struct SharedValueTests {
  let scratch = Scratch()

  func manager(_ account: String, vendor: String = "optimizely") -> SQLiteCacheManager {
    scratch.manager {
      $0.vendor = vendor
      $0.keyDigest = account
    }
  }

  func shared(_ manager: SQLiteCacheManager, _ text: String) throws -> String {
    String(decoding: try manager.shared(key: "vuid", orKeep: Array(text.utf8)), as: UTF8.self)
  }

  @Test func theFirstAccountsValueIsEverybodys() throws {
    #expect(try shared(manager("00aa"), "first") == "first")
    #expect(try shared(manager("00bb"), "second") == "first")
    #expect(try shared(manager("00bb", vendor: "unleash"), "other") == "other")
    #expect(scratch.run("stat -c %a $D/optimizely-vuid") == "600")
    #expect(scratch.run("ls $D | grep -v -e vuid$") == "")
  }

  @Test func afterARemovalTheNextOneKeepsItsOwn() throws {
    // Nothing there, not even the folder, and none is made.
    try manager("00aa").removeShared(key: "vuid")
    #expect(scratch.run("ls $D 2>&1 | wc -l") == "1")
    #expect(try shared(manager("00aa"), "first") == "first")
    try manager("00bb").removeShared(key: "vuid")
    #expect(try shared(manager("00aa"), "third") == "third")
  }

  @Test func whatIsNoFileOfOursIsRefused() throws {
    _ = scratch.run("mkdir -p $D && ln -s /etc/passwd $D/optimizely-vuid")
    #expect(throws: CacheFailure.self) { try shared(manager("00aa"), "first") }
    _ = scratch.run("rm $D/optimizely-vuid && mkdir $D/optimizely-vuid")
    #expect(throws: CacheFailure.self) { try shared(manager("00aa"), "first") }
    #expect(throws: CacheFailure.self) { try manager("00aa").shared(key: "../x", orKeep: []) }
    #expect(throws: CacheFailure.self) { try manager("00aa").removeShared(key: "a/b") }
  }

  @Test("(OPT-46; second process)", .enabled(if: ForkedChild.isSupported)) func processesThatComeAtOnceAgree() throws {
    let children = (0..<8).map { number in
      ForkedChild.start {
        guard let value = try? shared(manager("00aa"), "value \(number)") else { return 255 }
        return Int32(value.utf8.last ?? 0)
      }
    }
    let endings = children.map { ForkedChild.wait($0) }
    let kept = Int32(try #require(try manager("00aa").shared(key: "vuid", orKeep: []).last))
    #expect(endings == Array(repeating: .exited(kept), count: children.count))
  }

  @Test func aManagerWithoutAnOwnWayUsesAnOrdinaryValue() throws {
    let manager = MemoryCacheManager()
    #expect(try manager.shared(key: "k", orKeep: [1]) == [1])
    #expect(try manager.shared(key: "k", orKeep: [2]) == [1])
    #expect(manager.load(key: "k") == [1])
    try manager.removeShared(key: "k")
    #expect(try manager.shared(key: "k", orKeep: [2]) == [2])
  }
}
