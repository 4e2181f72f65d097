import Glibc
import HoistBase
import HoistCore
@testable import HoistSQLite
import HoistTestSupport
import Testing

@Suite("The cache file is private and never somebody else's (G7, reliability 4.3)") struct CacheFileTests {
  let scratch = Scratch()

  func failure(_ body: () throws -> Void) -> CacheFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? CacheFailure
    }
  }

  @Test func folderAndFileAreForTheOwnerOnly() throws {
    let manager = scratch.manager()
    try manager.save(key: "k", value: [1])
    #expect(scratch.run("stat -c %a \"$D\"") == "700")
    #expect(scratch.run("stat -c %a \"$F\" \"$F-wal\" \"$F-shm\"") == "600\n600\n600")
    manager.close()
    #expect(scratch.run("ls \"$D\"") == "unleash-00ff.sqlite")
  }

  @Test func aFileThatOthersMayReadIsMadePrivate() throws {
    try scratch.manager().save(key: "k", value: [1])
    _ = scratch.run("chmod 644 \"$F\"")
    try scratch.manager().save(key: "k", value: [2])
    #expect(scratch.run("stat -c %a \"$F\"") == "600")
  }

  @Test func eachServiceAndKeyHasItsFile() throws {
    try scratch.manager().save(key: "k", value: [1])
    #expect(try scratch.manager(change: { $0.keyDigest = "00fe" }).load(key: "k") == nil)
    #expect(try scratch.manager(change: { $0.vendor = "optimizely" }).load(key: "k") == nil)
    #expect(try scratch.manager().load(key: "k") == [1])
  }

  @Test("the name of the file is made from a digest of the key, never from the key (G7)")
  func keysNeverReachTheDisk() throws {
    let options = SQLiteCacheManager.Options(folder: scratch.path + "/cache", vendor: "unleash", key: "secret-key")
    let manager = SQLiteCacheManager(options: options, clock: SystemClock())
    try manager.save(key: "flags", value: [1])
    // printf secret-key | sha256sum
    let digest = "85dbe15d75ef9308c7ae0f33c7a324cc6f4bf519a2ed2f3027bd33c140a4f9aa"
    #expect(scratch.run("ls \"$D\"").split(separator: "\n").first == "unleash-\(digest).sqlite")
    #expect(scratch.run("grep -r secret \"$D\"") == "")
  }

  @Test(arguments: ["../x", "A", "", "a/b", "a b"]) func anUnfitNameIsRefusedForGood(_ digest: String) {
    let failure = failure {
      try scratch.manager(change: {
        $0.vendor = digest; $0.keyDigest = ""
      }).save(key: "k", value: [])
    }
    #expect(digest.isEmpty ? failure == nil : failure?.isPermanent == true)
  }

  @Test(
    arguments: [
      (["XDG_CACHE_HOME": "/xdg", "HOME": "/house"], "/xdg/hoist"),
      (["XDG_CACHE_HOME": "relative", "HOME": "/house"], "/house/.cache/hoist"),
      (["XDG_CACHE_HOME": "", "HOME": "/house"], "/house/.cache/hoist"),
      (["HOME": "home"], nil),
      ([:], nil),
    ] as [([String: String], String?)])
  func theStandardFolderFollowsTheEnvironment(_ variables: [String: String], _ folder: String?) {
    #expect(CacheFolder.standardPath(among: { variables[$0] }) == folder)
  }

  @Test("the environment is read when the manager is made", .enabled(if: ForkedChild.isSupported))
  func theEnvironmentIsReadOnTheHostsThread() {
    // In a child, since the environment belongs to the whole process.
    let ending = forked {
      setenv("XDG_CACHE_HOME", scratch.path + "/xdg", 1)
      let manager = scratch.manager(change: { $0.folder = nil })
      setenv("XDG_CACHE_HOME", scratch.path + "/later", 1)
      guard failure({ try manager.save(key: "k", value: [1]) }) == nil else { return 1 }
      guard access(scratch.path + "/xdg/hoist/unleash-00ff.sqlite", F_OK) == 0 else { return 2 }
      unsetenv("XDG_CACHE_HOME")
      unsetenv("HOME")
      let homeless = scratch.manager(change: { $0.folder = nil })
      return failure({ try homeless.save(key: "k", value: [1]) })?.isPermanent == true ? 0 : 3
    }
    #expect(ending == .exited(0))
  }

  @Test(arguments: ["$F", "$F-wal", "$F-shm"]) func aLinkInThePlaceOfAFileIsRefused(_ place: String) {
    _ = scratch.run("mkdir -p \"$D\"; touch \"$D/victim\"; ln -s \"$D/victim\" \"\(place)\"")
    let failure = failure { try scratch.manager().save(key: "k", value: [1]) }
    #expect(failure?.message.contains("is no plain file") == true)
    #expect(scratch.run("stat -c %s \"$D/victim\"") == "0")
  }

  @Test func aLinkInThePlaceOfTheFolderIsRefused() {
    _ = scratch.run("mkdir \"$D.real\"; ln -s \"$D.real\" \"$D\"")
    #expect(failure { try scratch.manager().save(key: "k", value: [1]) }?.message.contains("cache") == true)
    #expect(scratch.run("ls \"$D.real\"") == "")
  }

  @Test func linksAboveTheFolderAreFollowed() throws {
    _ = scratch.run("mkdir \"$D.real\"; ln -s \"$D.real\" \"$D\"")
    try scratch.manager(change: { $0.folder = scratch.path + "/cache/below" }).save(key: "k", value: [1])
    #expect(scratch.run("ls \"$D.real/below\"").contains("unleash-00ff.sqlite"))
  }

  @Test func aFolderThatEverybodyMayWriteIsRefusedUnlessSticky() throws {
    _ = scratch.run("mkdir \"$D\"; chmod 777 \"$D\"")
    let failure = failure { try scratch.manager().save(key: "k", value: [1]) }
    #expect(failure?.message.contains("written by everybody") == true)
    _ = scratch.run("chmod 1777 \"$D\"")
    try scratch.manager().save(key: "k", value: [1])
  }

  @Test(.enabled(if: geteuid() == 0)) func whatBelongsToAnotherUserIsRefused() {
    _ = scratch.run("mkdir \"$D\"; touch \"$F\"; chown 12345 \"$F\"")
    #expect(failure { _ = try scratch.manager().load(key: "k") }?.message.contains("another user") == true)
    _ = scratch.run("rm \"$F\"; chown 12345 \"$D\"")
    #expect(failure { _ = try scratch.manager().load(key: "k") }?.message.contains("another user") == true)
  }

  @Test func whatIsWrongWithAFolderIsSaidWithoutTouchingIt() {
    let folder = scratch.path + "/cache"
    #expect(CacheFolder.problem(of: folder)?.contains("cannot be used") == true)
    _ = scratch.run("mkdir \"$D\"; chmod 777 \"$D\"; ln -s \"$D\" \"$D.link\"; touch \"$D.file\"")
    #expect(CacheFolder.problem(of: folder) == "may be written by everybody")
    #expect(CacheFolder.problem(of: folder + ".link") == "is a symbolic link")
    #expect(CacheFolder.problem(of: folder + ".file") == "is no folder")
    _ = scratch.run("chmod 700 \"$D\"")
    #expect(CacheFolder.problem(of: folder) == nil)
    #expect(scratch.run("ls \"$D\"") == "")
  }

  @Test func anImpossibleFolderIsAFailureAndNoMore() {
    _ = scratch.run("touch \"$D\"")
    let failure = failure { try scratch.manager().save(key: "k", value: [1]) }
    #expect(failure?.message.contains("cache") == true)
    #expect(failure?.isPermanent == false)
  }

  @Test func aCacheThatIsRemovedUnderUsIsMadeAnew() throws {
    let manager = scratch.manager()
    try manager.save(key: "k", value: [1])
    _ = scratch.run("rm -rf \"$D\"")
    #expect(try manager.load(key: "k") == nil)
    try manager.save(key: "k", value: [2])
    #expect(try scratch.manager().load(key: "k") == [2])
    manager.close()
    #expect(try scratch.manager().load(key: "k") == [2])
  }

  @Test func aCallAfterCloseOpensTheFileAgain() throws {
    let manager = scratch.manager()
    try manager.save(key: "k", value: [1])
    manager.close()
    manager.close()
    #expect(scratch.run("ls \"$D\"") == "unleash-00ff.sqlite")
    #expect(try manager.load(key: "k") == [1])
  }
}
