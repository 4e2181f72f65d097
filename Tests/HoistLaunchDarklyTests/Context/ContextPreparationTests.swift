import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Keys that are generated, and what is known of the machine (LD-02, LD-80, 3.5, 3.7; starting)")
struct ContextPreparationTests {
  private static let facts = MachineFacts(
    manufacturer: "M", model: nil, family: "Linux", system: "Debian", systemVersion: "12", locale: "de-AT")

  /// Prepares a context as a client of its own does.
  private func prepared(
    _ context: LDContext?, _ cache: MemoryCacheManager? = MemoryCacheManager(), seed: UInt64 = 7,
    environment: EnvironmentAttributes? = nil
  ) throws -> LDContext {
    let host = TestHost(manager: cache, seed: seed)
    let preparation = ContextPreparation(keys: GeneratedKeys(host: host), environment: environment)
    let answer = Locked<[Result<LDContext, ContextFailure>]>([])
    preparation.prepare(context) { result in answer.change { $0.append(result) } }
    host.settle { !answer.value.isEmpty }
    #expect(answer.value.count == 1)
    return try #require(answer.value.first).get()
  }

  @Test("the default context is an anonymous user with a key that is kept for good (LD-02; starting)") func theDefault() throws {
    let cache = MemoryCacheManager()
    let first = try prepared(nil, cache)
    let key = try #require(first.key)
    #expect(first.kind == "user" && first.hasAnonymousPart)
    #expect(key.utf8.count == 36 && key == key.uppercased() && Array(key.utf8)[14] == UInt8(ascii: "4"))
    #expect(try prepared(nil, cache, seed: 8).key == key)
    #expect(cache.load(key: "generated-key") == Array(key.utf8))
  }

  @Test func eachKindHasItsKey() throws {
    let cache = MemoryCacheManager()
    var builder = LDMultiContextBuilder()
    try builder.add(LDContextBuilder(kind: "org").build())
    try builder.add(LDContextBuilder(kind: "user").build())
    try builder.add(LDContextBuilder(kind: "device", key: "d").build())
    let context = try prepared(builder.build(), cache)
    let (org, user) = (context.part(ofKind: "org"), context.part(ofKind: "user"))
    #expect(org?.key != user?.key && org?.isAnonymous ?? false && user?.isAnonymous ?? false)
    #expect(context.part(ofKind: "device")?.key == "d" && context.part(ofKind: "device")?.isAnonymous == false)
    #expect(cache.load(key: GeneratedKeys.storeKey("org")) == org?.key.map { Array($0.utf8) })
    #expect(try prepared(LDContextBuilder(kind: "org").build(), cache, seed: 9).key == org?.key)
  }

  @Test func keysAreStoredUnderNamesThatFilesMayHave() {
    let kinds = ["user", "org", "Org", "ld_device", "a.b-C_9", String(repeating: "k", count: 1_000)]
    let names = kinds.map { GeneratedKeys.storeKey($0) }
    #expect(Set(names).count == kinds.count)
    #expect(names.allSatisfy { $0.utf8.count <= 64 && $0.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".contains($0) } })
  }

  @Test func whatIsStoredAndNoKeyIsReplaced() throws {
    for junk in ["", "a b", "caf\u{E9}", String(repeating: "x", count: 300)] {
      let cache = MemoryCacheManager()
      cache.save(key: "generated-key", value: Array(junk.utf8))
      let key = try prepared(nil, cache).key
      #expect(key?.utf8.count == 36)
      #expect(cache.load(key: "generated-key") == key.map { Array($0.utf8) })
    }
  }

  @Test func withoutAStoreTheKeyIsTheClientsOwnAndStays() throws {
    let host = TestHost()
    let keys = GeneratedKeys(host: host)
    let told = Locked<[String]>([])
    for _ in 0..<2 { keys.key(ofKind: "user") { key in told.change { $0.append(key) } } }
    host.settle { told.value.count == 2 }
    keys.key(ofKind: "user") { key in told.change { $0.append(key) } }
    #expect(told.value.count == 3 && Set(told.value).count == 1)
  }

  @Test func aContextWithKeysIsUsedAtOnce() throws {
    let keys = GeneratedKeys(host: TestHost(manager: MemoryCacheManager()))
    let context = try LDContextBuilder(key: "k").build()
    let given = Locked<LDContext?>(nil)
    keys.complete(context) { given.value = try? $0.get() }
    #expect(given.value === context)
  }

  @Test("application and machine become kinds of the context (3.7)") func environment() throws {
    let environment = EnvironmentAttributes(
      application: ApplicationInfo(id: "my app", name: "App", version: "2", versionName: nil), machine: Self.facts)
    let cache = MemoryCacheManager()
    let context = try prepared(LDContextBuilder(key: "k").build(), cache, environment: environment)
    let device = try #require(context.part(ofKind: "ld_device")?.key)
    let key = Base64.encode(SHA256.hash("my app"), alphabet: .urlSafe)
    #expect(
      text(context.requestJSON)
        == #"{"kind":"multi","ld_application":{"envAttributesVersion":"1.0","id":"my app","key":"\#(key)","locale":"de-AT","name":"App","version":"2"},"#
        + #""ld_device":{"envAttributesVersion":"1.0","key":"\#(device)","manufacturer":"M","os":{"family":"Linux","name":"Debian","version":"12"}},"#
        + #""user":{"key":"k"}}"#)
    #expect(cache.load(key: GeneratedKeys.storeKey("ld_device")) == Array(device.utf8))
    #expect(context.part(ofKind: "ld_device")?.isAnonymous == false)
  }

  @Test func kindsThatAreThereAlreadyStay() throws {
    let environment = EnvironmentAttributes(application: ApplicationInfo(id: "a"), machine: Self.facts)
    let given = try context(#"{"kind":"multi","ld_application":{"key":"1"},"ld_device":{"key":"2"}}"#)
    #expect(try prepared(given, environment: environment) == given)
  }

  @Test func aContextThatBecomesTooLargeIsUsedUnchanged() throws {
    let environment = EnvironmentAttributes(application: ApplicationInfo(id: "a"), machine: Self.facts)
    var builder = LDContextBuilder(key: "k")
    try builder.set("a", .string(String(repeating: "x", count: LDContext.maximumBytes - 40)))
    let given = try builder.build()
    #expect(try prepared(given, environment: environment) == given)
  }

  @Test("an application whose id cannot be sent is told as the library, as a whole (2.1)") func library() {
    for id in [nil, "", "a/b"] {
      let application = ApplicationInfo(id: id, name: "App", version: "2", versionName: "two")
      #expect(EnvironmentAttributes(application: application, machine: Self.facts).application == .library)
    }
  }

  @Test func factsAreReadFromTheSystemsFiles() {
    let release = Array("PRETTY_NAME=\"X\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID='12'\nEMPTY=\"\"\nID=debian\n".utf8)
    #expect(MachineFacts.value(of: "NAME", inRelease: release) == "Debian GNU/Linux")
    #expect(MachineFacts.value(of: "VERSION_ID", inRelease: release) == "12")
    #expect(MachineFacts.value(of: "ID", inRelease: release) == "debian")
    #expect(MachineFacts.value(of: "EMPTY", inRelease: release) == nil)
    #expect(MachineFacts.value(of: "MISSING", inRelease: release) == nil)
    #expect(MachineFacts.languageTag("de_AT.UTF-8@euro") == "de-AT")
    #expect(MachineFacts.languageTag("C.UTF-8") == nil && MachineFacts.languageTag("POSIX") == nil)
    #expect(MachineFacts.current().family == "Linux")
  }
}
