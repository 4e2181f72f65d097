import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely
import HoistTestSupport
import Testing

@Suite("A bad datafile is refused with its place, or read as far as it makes sense (OPT-73, G9; no client)")
struct BadDatafileTests {
  @Test(arguments: [
    (#"{"version":"4","#, "byte 15, line 1: expected a member name"),
    ("{\"version\":\"4\",\n\"experiments\":[{\"id\":\"1\",}]}", #"in "experiments", byte 41, line 2: expected a member name"#),
    (#"{"version":"4","groups":[{"id":tru}]}"#, #"in "groups", byte 31, line 1: expected true"#),
    (#"{"version":"4","revision":"\x"}"#, #"in "revision", byte 27, line 1: an unknown escape"#),
    (#"{"version":"4","other":[01]}"#, #"in "other", byte 24, line 1: a number starts with a needless 0"#),
    (#"{"version":"4"} {"#, "expected the end of the text after the document"),
    ("", "the text is empty"), ("[]", "not a JSON object"), ("\u{FEFF}{}", "not a JSON object"),
  ])
  func brokenJSONIsPlaced(text: String, expected: String) {
    #expect(refusal(text)?.contains(expected) ?? false, "\(refusal(text) ?? "accepted")")
  }

  @Test func missingAndWrongMembersAreNamedWithWhatTheyMustBe() {
    for (name, kind) in [("projectId", "a text"), ("anonymizeIP", "true or false"), ("featureFlags", "an array")] {
      for wrong in ["null", "7", "{}"] {
        let text = Project.datafile(more: "\"\(name)\":\(wrong)")
        #expect(refusal(text) == "not a datafile: \"\(name)\" must be \(kind)")
      }
    }
    #expect(refusal(Project.datafile(more: #""version":4"#)) == #"not a datafile: "version" must be a text"#)
  }

  @Test func unknownVersionsAreNamed() {
    for version in ["", "3", "5", "4.0", "40", " 4"] {
      #expect(throws: OptimizelyDatafileFailure.versionInvalid(version)) {
        try OptimizelyDatafile.compile(Project.datafile(more: "\"version\":\"\(version)\"")).destroy()
      }
    }
  }

  @Test func anEarlierRevisionIsCompiledAsAnyOther() throws {
    // Which of two is served is not for the compiler to say: revisions are texts without an order.
    let project = try Project(flags: flag("f", ["1"]), experiments: rule("1"), more: #""revision":"-1""#)
    #expect(text(OptimizelyFlags.revision(of: project.snapshot)) == "-1")
  }

  /// What is told of a datafile that is taken.
  private func warnings(_ text: String) throws -> [String] {
    let lines = RecordingLogSink()
    try OptimizelyDatafile.compile(text, log: Log(threshold: .debug, clock: SystemClock()) { lines.write($0, $1) }).destroy()
    return lines.messages(.warning)
  }

  @Test func holdoutsThatAreNotTakenAsTheyStandAreTold() throws {
    let told = try warnings(
      Project.datafile(
        more: #""holdouts":[{"id":"h1","key":"a","includedRules":["r"]},{"id":"h2","key":"b"}],"#
          + #""localHoldouts":[{"id":"h3","key":"c"},{"id":"h4","key":"d","includedRules":["r"]}]"#))
    #expect(told.count == 2)  // 2.5
    #expect(told.first?.contains(#"holdout "h1": it is for all rules"#) ?? false, "\(told)")
    #expect(told.last?.contains(#"local holdout "h3": "includedRules" names no rule"#) ?? false, "\(told)")
  }

  @Test func conditionsThatAreTooDeepAreTold() throws {
    func audience(levels: Int) -> String {
      let leaf = #"{"type":"custom_attribute","name":"country","match":"exact","value":"de"}"#
      let tree = (0..<levels).reduce(leaf) { tree, _ in "[\"and\",\(tree),\(leaf)]" }
      return Project.datafile(typed: #"{"id":"7","name":"deep","conditions":\#(tree)}"#)
    }
    #expect(try warnings(audience(levels: 31)).isEmpty)
    let told = try warnings(audience(levels: 32))
    #expect(told.count == 1)
    #expect(told.first?.contains(#"typed audience "7""#) ?? false, "\(told)")
  }

  @Test func danglingIDsLeaveTheRestWorking() throws {
    let dangling = rule("1", #""audienceIds":["gone"]"#)
    let project = try Project(
      flags: [flag("f", ["1", "gone", "2"], rollout: "gone"), flag("empty", ["gone"])].joined(separator: ","),
      experiments: dangling + "," + rule("2"),
      groups: #"{"id":"g","policy":"random","trafficAllocation":[{"entityId":"gone","endOfRange":10000}],"experiments":[]}"#,
      more:
        #""localHoldouts":[{"id":"h","key":"h","includedRules":["gone"]}],"events":[{"id":"6","key":"e","experimentIds":["gone"]}]"#
    )
    let answer = try project.decide("f")
    #expect(answer.variation == "on-2")
    #expect(try project.decide("empty").variation == nil)
  }

  @Test func trafficForMissingVariationsGoesToNobody() throws {
    let lost = rule("1").split(separator: #""entityId":"11""#).joined(separator: #""entityId":"gone""#)
    let project = try Project(flags: flag("f", ["1"]), experiments: lost)
    let answer = try project.decide("f")
    #expect(answer.variation == nil)
    #expect(answer.codes.contains(.userBucketedIntoInvalidVariation))
  }

  @Test(arguments: ["-1", "1e300", "-1e300", "10000.5", "\"10000\"", "null", "99999999999999999999"])
  func endsOfRangesOfEveryKindAreTaken(end: String) throws {
    let odd = rule("1").split(separator: #""endOfRange":10000"#).joined(separator: "\"endOfRange\":\(end)")
    let project = try Project(flags: flag("f", ["1"]), experiments: odd)
    // A text, null and what no integer can hold are 0.
    #expect(try project.decide("f").variation == (end == "10000.5" ? "on-1" : nil))
  }

  @Test func everyMemberMayBeOfEveryWrongType() throws {
    let whole = Project.datafile(
      flags: flag("f", ["1"], rollout: "r", variables: #"{"id":"v","key":"n","type":"integer","defaultValue":"1"}"#),
      experiments: rule("1", values: #"{"id":"v","value":"2"}"#, #""cmab":{"trafficAllocation":1,"attributeIds":["501"]}"#),
      rollouts: rollout("r", rule("2")), typed: #"{"id":"1","name":"a","conditions":["or",{"type":"custom_attribute"}]}"#,
      groups: #"{"id":"g","policy":"random","trafficAllocation":[],"experiments":[]}"#)
    let members = try members(of: whole)
    #expect(members.count > 60)
    for member in members {
      for wrong in ["null", "true", "-1", "1.5", "\"\"", "[]", "{}", "[[]]", "[null]", "[{}]", #"{"a":{}}"#] {
        let text = whole.utf8.prefix(member.lowerBound) + Array(wrong.utf8) + whole.utf8.dropFirst(member.upperBound)
        guard let snapshot = try? OptimizelyDatafile.compile(Array(text)) else { continue }
        defer { snapshot.destroy() }
        for index in 0..<OptimizelyFlags.flagCount(of: snapshot) {
          let decision = OptimizelyFlags.decide(
            OptimizelyFlags.flag(at: index, of: snapshot), in: snapshot, context: nil, subject: nil, options: [])
          #expect((try? JSONDocument(parsing: decision.json(reasons: []))) != nil)
        }
        #expect((try? OptimizelyConfigText.json(ofDatafile: Array(text))) != nil)
      }
    }
  }

  @Test func anyTextIsAUserID() throws {
    let project = try Project(flags: flag("f", ["1"]), experiments: rule("1"))
    for id in ["", " ", "\0", String(repeating: "u", count: 100_000), "\u{1F600}"] {
      #expect(try project.decide("f", visitor(id)).variation == "on-1")
    }
    let answer = try project.decide("f", EvaluationContext(targetingKey: [0xFF, 0xC0]))
    #expect(answer.variation == "on-1")
    #expect(answer.impressions.allSatisfy { (try? JSONDocument(parsing: $0)) != nil })
  }

  @Test func tenMegabytesAreCompiledWithMemoryInProportion() throws {
    let count = 12_000
    let value = String(repeating: "x", count: 500)
    let experiments = (0..<count).map { rule("\($0)", values: #"{"id":"v","value":"\#(value)\#($0)"}"#) }
    let flags = (0..<count).map {
      flag("f\($0)", ["\($0)"], variables: #"{"id":"v","key":"text","type":"string","defaultValue":""}"#)
    }
    let text = Project.datafile(flags: flags.joined(separator: ","), experiments: experiments.joined(separator: ","))
    #expect(text.utf8.count > 10_000_000)
    let snapshot = try OptimizelyDatafile.compile(text)
    defer { snapshot.destroy() }
    #expect(OptimizelyFlags.flagCount(of: snapshot) == count)
    #expect(Int(snapshot.head.pointee.byteCount) < 3 * text.utf8.count)
  }

  @Test func whatExceedsTheLimitsIsRefused() {
    var limits = JSONLimits.standard
    limits.maximumBytes = 100
    #expect(refusal(Project.datafile(), limits) == "not a datafile: longer than 100 bytes")
    let deep = Project.datafile(more: #""x":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600))
    #expect(refusal(deep)?.contains("nested deeper") ?? false)
  }

  private func refusal(_ text: String, _ limits: JSONLimits = .standard) -> String? {
    do throws(OptimizelyDatafileFailure) {
      try OptimizelyDatafile.compile(text, limits: limits).destroy()
      return nil
    } catch { return error.message }
  }

  /// Where the values of all members, at every level, stand.
  private func members(of text: String) throws -> [Range<Int>] {
    let bytes = Array(text.utf8)
    var found: [Range<Int>] = []
    var index = 0
    var isInString = false
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") { isInString.toggle() }
      if !isInString, bytes[index] == UInt8(ascii: ":") { found.append(index + 1..<end(of: index + 1, in: bytes)) }
      index += 1
    }
    return found
  }

  private func end(of start: Int, in bytes: [UInt8]) -> Int {
    var depth = 0
    var isInString = false
    for index in start..<bytes.count {
      if bytes[index] == UInt8(ascii: "\"") { isInString.toggle() }
      if isInString { continue }
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ","): if depth == 0 { return index }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
      default: break
      }
    }
    return bytes.count
  }
}
