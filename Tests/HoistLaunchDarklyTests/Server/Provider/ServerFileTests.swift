import Glibc
import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Rules in the host's files, several of them, followed as they change (protocols/launchdarkly-server.md 3)")
struct ServerFileTests {
  /// A folder that goes with the test.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/hoist-rules-XXXXXX".utf8CString)
      let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }
      path = String(cString: try #require(made))
    }

    deinit {
      for name in ["a.json", "b.json", "new"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
      let file = try #require(fopen("\(path)/\(name)", "w"))
      fputs(text, file)
      fclose(file)
      chmod("\(path)/\(name)", 0o600)
      return "\(path)/\(name)"
    }

    /// As editors do it.
    func replace(_ name: String, _ text: String) throws { rename(try write("new", text), "\(path)/\(name)") }
  }

  private func open(
    _ folder: Folder, _ more: [String: String] = [:], beforeStart: () throws -> Void = {}
  ) throws -> RulesRig {
    let files = "[\"\(folder.path)/a.json\",\"\(folder.path)/b.json\"]"
    return try RulesRig(["mobile_key": "", "bootstrap.file": files].merging(more) { $1 }, beforeStart: beforeStart)
  }

  @Test("Several files are merged (LDS-67; ready, offline)", arguments: [true, false]) func merged(isOnline: Bool) throws {
    let folder = try Folder()
    try folder.write("a.json", #"{"flagValues":{"n":7},"segments":{"t":\#(ServerRules.segment("t", ##""included":["k"]"##))}}"#)
    try folder.write("b.json", #"{"flags":{"s":\#(ServerRules.flag("s", ServerRules.rule(inSegments: ["t"])))}}"#)
    let rig = try open(folder, ["online": "\(isOnline)"])
    #expect(rig.state == .stale && rig.asked == 0)
    #expect(rig.value(of: "n") == "7" && rig.value(of: "s") == #""off""#)
  }

  @Test("A key that is in two files is refused with both names, or the first counts (LDS-67; before start)") func duplicates()
    throws
  {
    let folder = try Folder()
    let (a, b) = (
      try folder.write("a.json", #"{"flagValues":{"x":1}}"#), try folder.write("b.json", #"{"flagValues":{"x":2,"y":3}}"#)
    )
    let failure = #expect(throws: ConfigurationFailure.self) { _ = try open(folder) }
    let message = try #require(failure).message
    #expect(message.contains("flag \"x\"") && message.contains(a) && message.contains(b), "\(message)")
    let rig = try open(folder, ["bootstrap.duplicates": "ignore"])
    #expect(rig.value(of: "x") == "1" && rig.value(of: "y") == "3")
  }

  @Test("What was read to be checked is what is served: it is read once (LDS-67; starting, ready)") func readOnce() throws {
    let folder = try Folder()
    let path = try folder.write("a.json", #"{"flagValues":{"n":7}}"#)
    try folder.write("b.json", #"{"flagValues":{"m":8}}"#)
    chmod(path, 0o666)
    let rig = try open(folder)
    #expect(rig.value(of: "n") == "7" && rig.value(of: "m") == "8")
    #expect(rig.host.settle { rig.log.lines.contains { $0.message.contains("opened: ") } }, "what has read the files is over")
    #expect(rig.log.messages(.warning).filter { $0.contains("may be changed by everybody") }.count == 1)
  }

  @Test("A file that has changed since it was checked is read again (LDS-67; starting)") func changedBeforeStart() throws {
    let folder = try Folder()
    try folder.write("a.json", #"{"flagValues":{"n":7}}"#)
    try folder.write("b.json", #"{"flagValues":{"m":8}}"#)
    let rig = try open(folder) { try folder.replace("a.json", #"{"flagValues":{"n":77}}"#) }
    #expect(rig.value(of: "n") == "77" && rig.value(of: "m") == "8")
  }

  @Test("A list that is none of paths is refused (LDS-67; before start)", arguments: ["[", "[1]", #"[""]"#])
  func badList(text: String) {
    #expect(throws: ConfigurationFailure.self) { _ = try RulesRig(["mobile_key": "", "bootstrap.file": text]) }
  }

  @Test(
    "What changes in a file is served within a second, whatever its version says, and told of it alone (LDS-62, LDS-67; ready)")
  func changes() throws {
    let folder = try Folder()
    try folder.write("a.json", #"{"flagValues":{"n":1,"m":true}}"#)
    try folder.write("b.json", #"{"flags":{"f":\#(ServerRules.flag("f"))}}"#)
    let rig = try open(folder)
    let changed = Locked<[String]>([])
    _ = rig.client.observe(.flagChanged, key: nil, ClosureObserver { told in changed.change { $0 += told.keys } })
    let former = rig.servedID
    rig.time.advance(milliseconds: 5_000)
    #expect(rig.servedID == former)
    try folder.replace("a.json", #"{"flagValues":{"n":22,"m":true}}"#)
    try folder.write("b.json", #"{"flags":{"f":\#(ServerRules.flag("f", #""targets":[{"values":["k"],"variation":0}]"#))}}"#)
    rig.time.advance(milliseconds: 1_000)
    _ = rig.client.dispatch(limit: 100)
    #expect(rig.value(of: "n") == "22" && rig.value(of: "f") == #""off""#)
    #expect(changed.value == ["f", "n"])
  }

  @Test("A file that is half written, or gone, changes nothing and is warned of once (LDS-67; failing, reopened)")
  func halfWritten() throws {
    let folder = try Folder()
    try folder.write("a.json", #"{"flagValues":{"n":1}}"#)
    try folder.write("b.json", "{}")
    let rig = try open(folder)
    func warnings() -> [String] { rig.log.messages(.warning).filter { $0.contains("left aside") } }
    for text in [#"{"flagValues":{"n":2"#, #"{"flagValues":{"n":"#] {
      try folder.write("a.json", text)
      rig.time.advance(milliseconds: 1_000)
    }
    unlink("\(folder.path)/b.json")
    rig.time.advance(milliseconds: 1_000)
    #expect(rig.host.settle { !warnings().isEmpty })
    #expect(rig.value(of: "n") == "1" && warnings().count == 1)
    #expect(warnings().first?.contains("a.json") ?? false && warnings().first?.contains("those of before stay") ?? false)
    try folder.write("b.json", "{}")
    try folder.replace("a.json", #"{"flagValues":{"n":345}}"#)
    rig.time.advance(milliseconds: 1_000)
    #expect(rig.value(of: "n") == "345")
    _ = rig.time.turning { rig.client.close(timeoutMilliseconds: 0) }
    try folder.replace("a.json", #"{"flagValues":{"n":6789}}"#)
    rig.time.advance(milliseconds: 5_000)
    #expect(rig.value(of: "n") == "PROVIDER_NOT_READY")
    _ = rig.client.reopen()
    rig.time.advance(milliseconds: 1_000)
    #expect(rig.value(of: "n") == "6789")
  }

  @Test("Files are looked at until the service has spoken, and not at all where the host says so (LDS-67; starting, ready)")
  func notWatched() throws {
    let folder = try Folder()
    try folder.write("a.json", #"{"flagValues":{"n":1}}"#)
    let path = "\(folder.path)/a.json"
    let fixed = try RulesRig(["mobile_key": "", "bootstrap.file": path, "bootstrap.reload": "false"])
    let rig = try RulesRig(["bootstrap.file": path])
    try folder.replace("a.json", #"{"flagValues":{"n":22}}"#)
    for other in [fixed, rig] { other.time.advance(milliseconds: 2_000) }
    #expect(fixed.value(of: "n") == "1" && rig.value(of: "n") == "22")
    rig.serve(["n": ServerRules.flag("n")])
    try folder.replace("a.json", #"{"flagValues":{"n":333}}"#)
    rig.time.advance(milliseconds: 2_000)
    #expect(rig.state == .ready && rig.value(of: "n") == #""on""#)
  }
}

@Suite("Flags that a program sets for its tests (protocols/launchdarkly-server.md 3)") struct TestRulesTests {
  private func open(_ data: TestRules, _ properties: [String: String] = [:], manager: (any CacheManager)? = nil) throws
    -> RulesRig
  {
    var plugins = Plugins()
    plugins.vendor[TestRules.slot] = data
    return try RulesRig(["mobile_key": ""].merging(properties) { $1 }, manager: manager, plugins: plugins)
  }

  private func set(_ data: TestRules, _ flag: String) -> String? { flag.withBytes { data.setFlag($0) } }

  @Test("All clients of the data serve what is set at once, with growing versions (LDS-62, LDS-67; ready, second client)")
  func update() throws {
    let data = TestRules()
    let (rig, other) = (try open(data), try open(data, ["mobile_key": RulesRig.key, "online": "false"]))
    #expect(rig.state == .ready && rig.provider.rules.hasArrived && rig.value(of: "f") == "FLAG_NOT_FOUND")
    let changed = Locked<[String]>([])
    _ = rig.client.observe(.flagChanged, key: nil, ClosureObserver { told in changed.change { $0 += told.keys } })
    #expect(set(data, ServerRules.flag("f", version: 40)) == nil)
    rig.time.run()
    other.time.run()
    #expect(rig.value(of: "f") == #""on""# && other.value(of: "f") == #""on""#)
    let segment = ServerRules.segment("t", ##""included":["k"]"##)
    #expect(segment.withBytes { data.setSegment($0) } == nil)
    #expect(set(data, ServerRules.flag("f", ServerRules.rule(inSegments: ["t"]))) == nil)
    rig.time.run()
    _ = rig.client.dispatch(limit: 100)
    #expect(rig.value(of: "f") == #""off""# && changed.value == ["f", "f"] && rig.asked + other.asked == 0)
    let version = (rig.client as any ProviderHost).withSnapshot {
      $0.flatMap { ServerTable.version(of: ItemName(.flag, "f"), in: $0) }
    }
    #expect(version == 2)
  }

  @Test(
    "What is no flag is refused, and changes nothing (LDS-67; ready)",
    arguments: ["", "[]", "{}", #"{"key":7}"#, #"{"key":"f","variations":7}"#, #"{"key":"f","rules":[{"clauses":[{}]}]}"#])
  func refused(text: String) throws {
    let data = TestRules()
    #expect(set(data, ServerRules.flag("f")) == nil)
    let rig = try open(data)
    #expect(set(data, text) != nil)
    rig.time.run()
    #expect(rig.value(of: "f") == #""on""# && rig.log.messages(.warning).isEmpty)
  }

  @Test("A client that was closed has no flags of it, and has them again (LDS-67; closed, reopened)") func reopened() throws {
    let data = TestRules()
    let rig = try open(data)
    rig.close()
    #expect(set(data, ServerRules.flag("f")) == nil && rig.value(of: "f") == "PROVIDER_NOT_READY")
    _ = rig.client.reopen()
    rig.time.run()
    #expect(rig.value(of: "f") == #""on""#)
  }
}
