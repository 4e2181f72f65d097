import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("A visitor's flags (protocols/flagship.md 4.5)") struct FlagTests {
  private static let values = #"{"yes":true,"whole":42,"real":5.0,"word":"green","list":[1,"two"],"map":{"a":1},"none":null}"#
  private static let campaigns = BucketingText.file(
    BucketingText.campaign("c", BucketingText.group("g", "", BucketingText.variation("v", "100", values))))

  /// A visitor of a client in bucketing mode whose flags are fetched.
  private func fetched(_ properties: [String: String] = [:]) throws -> (rig: FlagshipRig, visitor: FlagshipVisitor) {
    let rig = try FlagshipRig.bucketing(properties) { request in
      request.url.hasSuffix("/bucketing.json") ? Bucketing.answer(Self.campaigns) : .status(204)
    }
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    return (rig, visitor)
  }

  private func flag(_ key: String, of visitor: FlagshipVisitor?) -> FlagshipFlag {
    key.withBytes { FlagshipFlag($0, of: visitor) }
  }

  /// The text and the status of a reading; "-" where none was given.
  private func string(_ read: (FlagshipVisitor.TakeText) -> Status) -> String {
    var given = "-"
    let status = read { text, _ in given = UTF8Text.repaired(text) }
    return "\(given) \(status.rawValue)"
  }

  @Test("a value comes when its type is that of the default (FS-76, FS-78; ready)")
  func values() throws {
    let (rig, visitor) = try fetched()
    withExtendedLifetime(rig) {
      #expect(flag("yes", of: visitor).bool(fallback: false, exposes: false) == (true, .ok))
      #expect(flag("whole", of: visitor).int(fallback: 1, exposes: false) == (42, .ok))
      #expect(flag("real", of: visitor).double(fallback: 1, exposes: false) == (5, .ok))
      #expect(flag("whole", of: visitor).double(fallback: 1, exposes: false) == (1, .flagshipFlagType))
      #expect(flag("real", of: visitor).int(fallback: 1, exposes: false) == (1, .flagshipFlagType))
      #expect(flag("yes", of: visitor).int(fallback: 7, exposes: false) == (7, .flagshipFlagType))
      #expect(flag("none", of: visitor).int(fallback: 7, exposes: false) == (7, .ok))
      #expect(flag("other", of: visitor).int(fallback: 7, exposes: false) == (7, .notFound))
      #expect(string { flag("word", of: visitor).string(fallback: nil, exposes: false, $0) } == "green 0")
      #expect(string { flag("list", of: visitor).string(fallback: nil, exposes: false, $0) } == "- 1306")
    }
  }

  @Test("JSON comes when it is of the default's type; without a default, whatever it is (FS-78; ready)")
  func json() throws {
    let (rig, visitor) = try fetched()
    func json(_ key: String, _ fallback: String?) -> String {
      let read = { (text: ByteView?) in string { flag(key, of: visitor).json(fallback: text, exposes: false, $0) } }
      return fallback.map { $0.withBytes { read($0) } } ?? read(nil)
    }
    withExtendedLifetime(rig) {
      #expect(json("list", "[]") == #"[1,"two"] 0"#)
      #expect(json("map", "{}") == #"{"a":1} 0"#)
      #expect(json("map", "[]") == "- 1306")
      #expect(json("whole", "1") == "42 0")
      #expect(json("whole", "1.5") == "- 1306")
      #expect(json("real", "1.5") == "5.0 0")
      #expect(json("word", #""red""#) == #""green" 0"#)
      #expect(json("map", nil) == #"{"a":1} 0"#)
      #expect(json("none", nil) == "null 0")
      #expect(json("none", "{}") == "- 0")
      #expect(json("map", "{") == "- 5")
    }
  }

  @Test("numbers are widened where the property says so (FS-78; ready)")
  func widening() throws {
    let (rig, visitor) = try fetched(["numeric_widening": "true"])
    withExtendedLifetime(rig) {
      #expect(flag("whole", of: visitor).double(fallback: 1, exposes: false) == (42, .ok))
      #expect(flag("real", of: visitor).int(fallback: 1, exposes: false) == (1, .flagshipFlagType))
    }
  }

  @Test("a flag is a live view: of the visitor's flags, and of how they stand (FS-57, FS-75, FS-80; ready, panic)")
  func liveViews() throws {
    let decisions = ScriptedDecisions()
    let rig = try FlagshipRig(respond: decisions.respond)
    let visitor = try rig.visitor("v")
    let (known, null, unknown) = (flag("f", of: visitor), flag("n", of: visitor), flag("gone", of: visitor))
    #expect(!known.exists && known.state == .notFound)
    #expect(rig.fetch(visitor) == .ok)
    #expect(known.exists && known.state == .fetched)
    #expect(null.exists && null.state == .fetched)
    #expect(!unknown.exists && unknown.state == .notFound)
    _ = visitor.updateContext([Attribute(name: Array("vip".utf8), value: .bool(true))])
    #expect(known.state == .fetchRequired)
    decisions.now(.status(200, ScriptedDecisions.panic))
    #expect(rig.fetch(visitor) == .flagshipPanic)
    #expect(!known.exists && known.state == .panic && unknown.state == .panic)
    #expect(string { known.string(fallback: nil, exposes: true, $0) } == "- 1301")
    decisions.now(.status(200, ScriptedDecisions.one))
    #expect(rig.fetch(visitor) == .ok)
    #expect(known.exists && known.state == .fetched)
  }

  @Test("after the close there are fallbacks, and nothing exists (FS-39; closed)")
  func closed() throws {
    let (rig, visitor) = try fetched()
    let known = flag("yes", of: visitor)
    _ = rig.client.close(timeoutMilliseconds: 0)
    rig.scheduler.run()
    #expect(!known.exists)
    #expect(known.bool(fallback: false, exposes: true) == (false, .flagshipNotInitialized))
    #expect(known.metadata.fields.campaignID.isEmpty)
    #expect(FlagCollection(of: visitor).count == 0)
    #expect(known.expose() == .flagshipNotInitialized)
  }

  @Test("metadata are those of the moment, empty where there is no flag (FS-72; ready, closed)")
  func metadata() throws {
    let (rig, visitor) = try fetched()
    let held = flag("yes", of: visitor).metadata
    #expect(text(held.json).hasPrefix(#"{"campaignId":"c","campaignName":"c name""#))
    #expect(flag("other", of: visitor).metadata.fields.variationID.isEmpty)
    _ = rig.client.close(timeoutMilliseconds: 0)
    rig.scheduler.run()
    #expect(text(held.fields.variationGroupName) == "g name")
  }

  @Test("a collection has the keys of its moment, in order (FS-58, FS-81 to FS-83, FS-86 to FS-88; ready)")
  func collections() throws {
    let (rig, visitor) = try fetched()
    let flags = FlagCollection(of: visitor)
    #expect(flags.entries.map { $0.key.string } == ["yes", "whole", "real", "word", "list", "map", "none"])
    #expect(flags.count == 7)
    #expect("word".withBytes { flags.flag($0) }.exists)
    #expect("other".withBytes { !flags.flag($0).exists })
    #expect(flags.entry(at: 7) == nil && flags.entry(at: -1) == nil)
    #expect(flags.entries.map { text($0.flag.metadata.fields.variationID) } == Array(repeating: "v", count: 7))
    "word".withBytes { flags.set($0, to: flag("whole", of: visitor)) }
    "new".withBytes { flags.set($0, to: flag("yes", of: visitor)) }
    #expect("word".withBytes { flags.flag($0).key.string } == "whole")
    #expect(flags.entries.map { $0.key.string }.last == "new" && flags.count == 8)
    withExtendedLifetime(rig) {}
  }

  @Test("a filter makes a new collection (FS-85; ready)")
  func filter() throws {
    let (rig, visitor) = try fetched()
    let flags = FlagCollection(of: visitor)
    let some = flags.filter { key, flag in key.string.hasPrefix("w") && flag.exists }
    #expect(some.entries.map { $0.key.string } == ["whole", "word"] && flags.count == 7)
    withExtendedLifetime(rig) {}
  }

  @Test("a collection as JSON: metadata, key, and the value in hexadecimal (FS-84; ready)")
  func collectionText() throws {
    let (rig, visitor) = try fetched()
    let some = FlagCollection(of: visitor).filter { key, _ in ["map", "word"].contains(key.string) }
    let metadata =
      #""campaignId":"c","campaignName":"c name","variationGroupId":"g","variationGroupName":"g name","variationId":"v","variationName":"v name","isReference":true,"campaignType":"ab","slug":"c-slug""#
    // {"v":"green"} and {"v":{"a":1}}
    #expect(
      text(some.json)
        == #"[{\#(metadata),"key":"word","hex":"7b2276223a22677265656e227d"},{\#(metadata),"key":"map","hex":"7b2276223a7b2261223a317d7d"}]"#
    )
    #expect(some.filter { _, _ in false }.json.isEmpty)
    withExtendedLifetime(rig) {}
  }

  @Test(
    "reading with exposure counts the visitor wherever there is a flag, whatever its type (FS-77, FS-79, FS-89; ready, no consent)"
  )
  func exposures() throws {
    let (rig, visitor) = try fetched()
    func sent(_ expected: Int) -> Bool {
      rig.settle { rig.activates.count >= expected }
      return rig.activates.count == expected
    }
    _ = flag("yes", of: visitor).bool(fallback: false, exposes: false)
    _ = flag("other", of: visitor).bool(fallback: false, exposes: true)
    #expect(flag("other", of: visitor).expose() == .notFound)
    _ = flag("yes", of: visitor).bool(fallback: false, exposes: true)
    #expect(sent(1))
    _ = flag("word", of: visitor).bool(fallback: false, exposes: true)
    #expect(sent(2))
    _ = flag("none", of: visitor).int(fallback: 1, exposes: true)
    #expect(sent(3))
    #expect(flag("real", of: visitor).expose() == .ok)
    #expect(sent(4))
    #expect(FlagCollection(of: visitor).exposeAll() == .ok)
    rig.settle { rig.exposedCount >= 11 }
    #expect(rig.exposedCount == 11)
    _ = visitor.setConsent(false)
    #expect(flag("yes", of: visitor).bool(fallback: false, exposes: true) == (true, .ok))
    #expect(flag("yes", of: visitor).expose() == .flagshipNoConsent)
  }

  @Test("an explanation tells of the campaigns of the last fetch")
  func explanation() throws {
    let (rig, visitor) = try fetched()
    #expect(text(flag("yes", of: visitor).explanation).contains(#""outcome":"remembered""#))
    #expect(text(flag("other", of: visitor).explanation) == "[]")
    #expect(text(flag("yes", of: nil).explanation) == "[]")
    withExtendedLifetime(rig) {}
  }

  @Test("the core's calls give the same values, with metadata and explanation (FS-07; ready)")
  func core() throws {
    let (rig, visitor) = try fetched()
    let json = rig.client.detail("word", of: "v")
    #expect(
      json.contains(#""value":"green""#) && json.contains(#""variationGroupId":"g""#) && json.contains(#""outcome":"allocated""#))
    #expect(rig.client.detail("other", of: "v").contains("FLAG_NOT_FOUND"))
    withExtendedLifetime(visitor) {}
  }
}

extension Client {
  /// A flag's detail with its explanation, for a visitor of that id.
  fileprivate func detail(_ key: String, of visitor: String) -> String {
    let context = EvaluationContext(targetingKey: visitor)
    return key.withBytes { key in
      text(evaluate(key, context.subject, .any, [.detailed, .explained], EvaluationFallback()) { _, detail in detail().json() })
    }
  }
}

extension FlagshipRig {
  fileprivate var activates: [HTTPRequest] { transport.requests.filter { $0.url.hasSuffix("/activate") } }
  /// How many exposures those carried.
  fileprivate var exposedCount: Int { activates.reduce(0) { $0 + $1.text.components(of: #""vaid":"v""#) } }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
