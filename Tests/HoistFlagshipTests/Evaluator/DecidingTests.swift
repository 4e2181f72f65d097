import HoistBase
import HoistCore
import Testing

@testable import HoistFlagship

@Suite("Campaigns decided for visitors (FS-07, FS-58, FS-100; no client)") struct DecidingTests {
  private let group = "c8pimlr7n0ig3a0pt2kg"

  private func file(_ first: Int, _ second: Int) -> String {
    BucketingText.file(
      BucketingText.campaign(
        "c",
        BucketingText.group(
          group, "", BucketingText.variation("one", "\(first)", #"{"f":1}"#),
          BucketingText.variation("two", "\(second)", #"{"f":2}"#))))
  }

  @Test("the worked example of the hash: buckets 42 and 78")
  func allocation() throws {
    #expect(try Decided(file(50, 50), visitor: "visitor_1").json("f") == "1")
    #expect(try Decided(file(50, 50), visitor: "visitor_2").json("f") == "2")
    #expect(try Decided(file(40, 20), visitor: "visitor_1").json("f") == "2")
    #expect(try Decided(file(40, 20), visitor: "visitor_2").json("f") == nil)
    #expect(try Decided(file(0, 100), visitor: "visitor_1").json("f") == "2")
  }

  @Test("an assignment holds though allocations change, and is added to the history once (FS-100; no client)")
  func history() throws {
    let first = try Decided(file(50, 50))
    #expect(first.history.variation(of: group)?.reads("one") ?? false)
    let second = try Decided(file(0, 100), history: first.history)
    #expect(second.json("f") == "1")
    #expect(second.history === first.history)
  }

  @Test("a variation that is gone silences its campaign")
  func deletedVariation() throws {
    let first = try Decided(file(100, 0))
    let other = BucketingText.file(
      BucketingText.campaign(
        "c", BucketingText.group(group, "", BucketingText.variation("two", "100", #"{"f":2}"#)),
        BucketingText.group("next", "", BucketingText.variation("three", "100", #"{"f":3}"#))))
    #expect(try Decided(other, history: first.history).flags.count == 0)
    #expect(try Decided(other).json("f") == "2")
  }

  @Test("later campaigns win a key, which keeps its place (FS-82; no client)")
  func order() throws {
    let decided = try Decided(
      BucketingText.file(
        BucketingText.campaign("a", BucketingText.group("ga", "", BucketingText.variation("va", "100", #"{"z":1,"y":1}"#))),
        BucketingText.campaign("b", BucketingText.group("gb", "", BucketingText.variation("vb", "100", #"{"x":2,"z":2}"#)))))
    #expect(decided.values == ["z=2", "y=1", "x=2"])
    #expect(decided.value("z")?.campaignID.reads("b") ?? false)
    #expect(decided.flags.keys.map { String(decoding: $0, as: UTF8.self) } == ["z", "y", "x"])
  }

  @Test("what the service decided is not decided again by a history; what it assigned is remembered")
  func decisions() throws {
    let body = #"{"campaigns":[{"id":"c","variationGroupId":"g","variation":{"id":"new","modifications":{"value":{"f":1}}}}]}"#
    let known = "g".withBytes { group in "old".withBytes { AssignmentHistory([.init(group: group, variation: $0)]) } }
    let decided = try Decided(body, .decision, history: known)
    #expect(decided.json("f") == "1")
    #expect(decided.history === known)
    #expect(try Decided(body, .decision).history.variation(of: "g")?.reads("new") ?? false)
  }

  @Test("panic takes every flag (FS-42, FS-53; no client)")
  func panic() throws {
    let decided = try Decided(
      #"{"campaigns":[{"id":"c","variationGroupId":"g","variation":{"id":"v","modifications":{"value":{"f":1}}}}],"panic":true}"#,
      .decision)
    #expect(decided.flags.isPanic && decided.flags.count == 0)
    #expect(try Decided(#"{"panic":true}"#).flags.isPanic)
    #expect(try !Decided("{}").flags.isPanic)
  }

  @Test("account settings are handed on from both documents (FS-208; no client)")
  func account() throws {
    #expect(try Decided(#"{"accountSettings":{"enabledXPC":true}}"#).account == #"{"enabledXPC":true}"#)
    #expect(try Decided(#"{"extras":{"accountSettings":{"enabled1V1T":true}}}"#, .decision).account == #"{"enabled1V1T":true}"#)
    #expect(try Decided("{}").account == nil)
  }

  @Test("metadata has nine fields with their defaults (FS-72 to FS-74; no client)")
  func metadata() throws {
    let decided = try Decided(
      BucketingText.file(
        BucketingText.campaign("c", BucketingText.group("g", "", BucketingText.variation("v", "100", #"{"f":null}"#)))))
    let expected =
      #"{"campaignId":"c","campaignName":"c name","variationGroupId":"g","variationGroupName":"g name","variationId":"v","variationName":"v name","isReference":true,"campaignType":"ab","slug":"c-slug"}"#
    #expect(decided.value("f").map { String(decoding: $0.metadata.json, as: UTF8.self) } == expected)
    let empty =
      #"{"campaignId":"","campaignName":"","variationGroupId":"","variationGroupName":"","variationId":"","variationName":"","isReference":false,"campaignType":"","slug":""}"#
    #expect(String(decoding: FlagMetadata().json, as: UTF8.self) == empty)
    let bare = try Decided(#"{"campaigns":[{"slug":null,"variation":{"modifications":{"value":{"f":1}}}}]}"#, .decision)
    #expect(bare.value("f").map { String(decoding: $0.metadata.json, as: UTF8.self) } == empty)
  }

  @Test("integers are no doubles, unless the client widens them (FS-78; no client)")
  func widening() throws {
    let file = BucketingText.file(
      BucketingText.campaign("c", BucketingText.group("g", "", BucketingText.variation("v", "100", #"{"i":42,"d":5.0}"#))))
    let strict = try Decided(file)
    #expect(strict.value("i")?.answer(for: .double) == .otherType)
    #expect(strict.value("d")?.answer(for: .int) == .otherType)
    #expect(strict.value("d")?.answer(for: .double) == .value)
    let wide = try Decided(file, widensIntegers: true)
    #expect(wide.value("i")?.answer(for: .double) == .value)
    #expect(wide.value("i")?.double == 42)
    #expect(wide.value("d")?.answer(for: .int) == .otherType)
  }

  @Test("an explanation shows each targeting's outcome, history and bucket")
  func explanation() throws {
    let file = BucketingText.file(
      BucketingText.campaign(
        "c",
        BucketingText.group(
          "vips", #"{"operator":"EQUALS","key":"vip","value":true},{"operator":"GREATER_THAN","key":"age","value":[1]}"#,
          BucketingText.variation("v1", "100", #"{"f":1}"#)),
        BucketingText.group(group, "", BucketingText.variation("v2", "43", #"{"f":2}"#))))
    let served = try BucketingReader.read(file)
    defer { served.snapshot.destroy() }
    let context = EvaluationContext(
      targetingKey: Array("visitor_1".utf8), attributes: [Attribute(name: Array("vip".utf8), value: .bool(false))]
    ).reference()
    let text = withExtendedLifetime(context) {
      "visitor_1".withBytes {
        CampaignFlags.explain("f", in: served.snapshot, context: context?.frozen, visitor: $0, history: .empty)
      }
    }
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"[{"campaign":"c","name":"c name","groups":[{"group":"vips","name":"vips name","targetingGroups":[{"targetings":[{"key":"vip","operator":"EQUALS","expected":true,"actual":false,"holds":false},{"key":"age","operator":"GREATER_THAN","expected":[1],"actual":null,"holds":false}],"holds":false}],"outcome":"notTargeted"},{"group":"c8pimlr7n0ig3a0pt2kg","name":"c8pimlr7n0ig3a0pt2kg name","targetingGroups":[{"targetings":[],"holds":true}],"outcome":"allocated","bucket":42,"variation":"v2"}],"variation":"v2"}]"#
    )
  }
}
