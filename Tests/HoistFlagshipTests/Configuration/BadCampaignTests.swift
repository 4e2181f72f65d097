import HoistBase
import HoistCore
import Testing

@testable import HoistFlagship

@Suite("A bad element spoils no other, and is named in the log (FS-07; no client)") struct BadCampaignTests {
  private let good = BucketingText.campaign(
    "good", BucketingText.group("gg", "", BucketingText.variation("gv", "100", #"{"good":1}"#)))

  @Test(
    "what is no campaign, group or variation is left out",
    arguments: [
      ("7", "campaign 0: is no object"),
      (#"{"id":7}"#, "campaign 0: \"id\" is no text"),
      (#"{"id":"c","variationGroups":{}}"#, "campaign \"c\": \"variationGroups\" is no array"),
      (#"{"id":"c","variationGroups":[null,[]]}"#, "campaign \"c\", group 1: is no object"),
      (#"{"id":"c","variationGroups":[{"id":[]}]}"#, "campaign \"c\", group 0: \"id\" is no text"),
      (
        #"{"id":"c","variationGroups":[{"id":"g","variations":["v"]}]}"#, "campaign \"c\", group \"g\", variation 0: is no object"
      ),
      (
        #"{"id":"c","variationGroups":[{"id":"g","variations":[{"id":"v","modifications":{"value":[]}}]}]}"#,
        "campaign \"c\", group \"g\", variation \"v\": \"modifications.value\" is no object: it gives no flags"
      ),
      (
        #"{"id":"c","variationGroups":[{"id":"g","targeting":[],"variations":[]}]}"#,
        "campaign \"c\", group \"g\": \"targeting\" is no object: nobody matches"
      ),
      (
        #"{"id":"c","variationGroups":[{"id":"g","targeting":{"targetingGroups":[{}]}}]}"#,
        "campaign \"c\", group \"g\", targeting group 0: has no list of targetings: it matches nobody"
      ),
      (
        #"{"id":"c","variationGroups":[{"id":"g","targeting":{"targetingGroups":[{"targetings":[{"key":"k","operator":"REGEX","value":1}]}]}}]}"#,
        "campaign \"c\", group \"g\", targeting group 0, targeting \"k\": operator \"REGEX\" is not known: it never holds"
      ),
      (
        #"{"id":"c","variationGroups":[{"id":"g","targeting":{"targetingGroups":[{"targetings":[{"operator":"EQUALS","value":1}]}]}}]}"#,
        "campaign \"c\", group \"g\", targeting group 0, targeting 0: has no key: it never holds"
      ),
      (
        #"{"id":"c","variationGroups":[{"id":"g","targeting":{"targetingGroups":[{"targetings":[{"key":"k","operator":"NOT_EQUALS","value":{}}]}]}}]}"#,
        "campaign \"c\", group \"g\", targeting group 0, targeting \"k\": \"value\" is nothing to compare with: it never holds"
      ),
    ])
  func elements(_ campaign: String, _ line: String) throws {
    let decided = try Decided(BucketingText.file(campaign, good), context: [("k", .int(5))])
    #expect(decided.values == ["good=1"])
    #expect(decided.lines.contains { $0.contains("the bucketing file: \(line)") }, "\(decided.lines)")
  }

  @Test("a targeting that cannot be read admits nobody")
  func brokenTargeting() throws {
    let decided = try Decided(BucketingText.targeted(#"{"key":"k","operator":"EQUALS","value":5},17"#), context: [("k", .int(5))])
    #expect(decided.flags.count == 0)
  }

  @Test(
    "allocations out of range are cut, fractions count as 0",
    arguments: [
      ("-5", nil), ("150", "1"), ("99999999999999999999", "1"), ("12.5", nil), ("\"100\"", nil), ("100.0", "1"), ("null", nil),
    ])
  func allocations(_ allocation: String, _ expected: String?) throws {
    let file = BucketingText.file(
      BucketingText.campaign("c", BucketingText.group("g", "", BucketingText.variation("v", allocation, #"{"f":1}"#))))
    #expect(try Decided(file).json("f") == expected)
  }

  @Test("sums beyond 100, of however many variations, overflow nothing")
  func hugeSums() throws {
    let many = (0..<5_000).map { BucketingText.variation("v\($0)", "100", #"{"f":\#($0)}"#) }.joined(separator: ",")
    let file = BucketingText.file(BucketingText.campaign("c", BucketingText.group("g", "", many)))
    #expect(try Decided(file).json("f") == "0")
  }

  @Test("of duplicate ids nothing is lost: the first variation of an id is remembered, the last value of a key counts")
  func duplicateIds() throws {
    let file = BucketingText.file(
      BucketingText.campaign(
        "c",
        BucketingText.group(
          "g", "", BucketingText.variation("v", "0", #"{"f":1}"#), BucketingText.variation("v", "100", #"{"f":2,"f":3}"#))),
      BucketingText.campaign("c", BucketingText.group("other", "", BucketingText.variation("v", "100", #"{"h":4}"#))))
    let first = try Decided(file)
    #expect(first.values == ["f=3", "h=4"])
    #expect(try Decided(file, history: first.history).values == ["f=1", "h=4"])
  }

  @Test("many faults are told by name to a limit, then by number")
  func manyFaults() throws {
    let decided = try Decided(#"{"campaigns":[\#(Array(repeating: "1", count: 500).joined(separator: ","))]}"#)
    #expect(decided.lines.count == 21)
    #expect(decided.lines.last?.contains("480 further elements have faults") ?? false)
  }

  @Test(
    "what is no document is refused, and says why",
    arguments: [
      "", "[]", "null", "{", #"{"campaigns":[}"#, #"{"campaigns":[]} x"#,
      #"{"a":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
    ])
  func refusals(_ text: String) {
    #expect(throws: CampaignFailure.self) { try BucketingReader.read(text) }
    #expect(throws: CampaignFailure.self) { try DecisionReader.read(text) }
  }

  @Test("campaigns that are no array give no flags")
  func noCampaigns() throws {
    #expect(try Decided(#"{"campaigns":7}"#).lines.count == 1)
    #expect(try Decided(#"{"campaigns":null}"#).lines.isEmpty)
    #expect(try Decided(#"{"campaigns":[],"campaigns":[\#(good)]}"#).values == ["good=1"])
    #expect(try Decided(#"{"campaigns":[\#(good)],"campaigns":[]}"#).values == [])
  }

  @Test("a panic that is no boolean is none, and is told (FS-42; no client)", arguments: ["\"true\"", "1", "{}", "null"])
  func oddPanic(_ panic: String) throws {
    for (document, name) in [(Decided.Document.bucketing, "the bucketing file"), (.decision, "the Decision API's answer")] {
      let decided = try Decided(#"{"panic":\#(panic),"campaigns":[]}"#, document)
      #expect(!decided.flags.isPanic)
      #expect(decided.lines == (panic == "null" ? [] : ["\(name): panic: is no boolean, and taken for false"]))
    }
  }

  @Test(
    "a decision without a variation, or without values, is no error (FS-06; no client)",
    arguments: [
      #"{"id":"c"}"#, #"{"id":"c","variation":null}"#, #"{"id":"c","variation":{}}"#,
      #"{"id":"c","variation":{"modifications":null}}"#, #"{"id":"c","variation":{"modifications":{"type":"HTML"}}}"#,
    ])
  func bareDecisions(_ campaign: String) throws {
    let decided = try Decided(#"{"campaigns":[\#(campaign)]}"#, .decision)
    #expect(decided.flags.count == 0 && decided.lines.isEmpty)
  }

  @Test("deep values are kept as they are")
  func deepValues() throws {
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    #expect(
      try Decided(
        BucketingText.file(
          BucketingText.campaign("c", BucketingText.group("g", "", BucketingText.variation("v", "100", #"{"f":\#(deep)}"#))))
      ).json("f") == deep)
  }
}
