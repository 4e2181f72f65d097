import HoistBase
import HoistCore
import HoistUnleash
import Testing

@Suite("Which documents are taken (UNL-90, protocols/unleash.md B.6; no client)") struct DocumentTests {
  /// The message of a refusal; nil when the document is taken.
  private func refusal(_ json: String, _ options: UnleashOptions = Rules.options()) -> String? {
    do {
      _ = try Rules(document: json, options)
      return nil
    } catch {
      return (error as? UnleashDocumentFailure)?.message ?? "\(error)"
    }
  }

  private func refusal(feature: String) -> String? { refusal(#"{"version":2,"features":[\#(feature)]}"#) }

  @Test func theMembersThatAreNeeded() {
    #expect(refusal(#"{"version":2,"features":[]}"#) == nil)
    #expect(refusal(#"{"features":[]}"#) == "version must be there")
    #expect(refusal(#"{"version":2}"#) == "features must be there")
    #expect(refusal(#"{"version":-1,"features":[]}"#) == "version must be an unsigned integer of 32 bits")
    #expect(refusal(#"{"version":2,"features":{}}"#) == "features must be an array")
    #expect(refusal(#"{"version":2,"features":[],"segments":{}}"#) == "segments must be an array")
    #expect(refusal("[]") == "the document must be an object")
    #expect(refusal(#"{"version":2,"features":[],"segments":null,"future":{"a":[1]}}"#) == nil)
    #expect(refusal("\u{FEFF}" + #" {"version":2,"features":[]} "#) == nil)
  }

  @Test func refusalsNameFlagMemberAndExpectation() {
    #expect(refusal(feature: #"{"enabled":true}"#) == "flag 1: name must be there")
    #expect(refusal(feature: #"{"name":"a"}"#) == #"flag "a": enabled must be there"#)
    #expect(refusal(feature: #"{"name":"a","enabled":"yes"}"#) == #"flag "a": enabled must be true or false"#)
    #expect(
      refusal(feature: flag("a", #""strategies":[{"name":"default"},{"name":"default","parameters":{"x":1}}]"#))
        == #"flag "a": strategies[1].parameters must be an object of texts"#)
    #expect(
      refusal(feature: flag("a", constraint: #"{"contextName":"x","operator":"IN","values":["a",1]}"#))
        == #"flag "a": strategies[0].constraints[0].values[1] must be a text"#)
    #expect(
      refusal(feature: flag("a", #""variants":[{"name":"v","weight":1.5}]"#))
        == #"flag "a": variants[0].weight must be an integer of 32 bits"#)
    #expect(
      refusal(feature: flag("a", #""variants":[{"name":"v","weight":1,"payload":{"type":"string"}}]"#))
        == #"flag "a": variants[0].payload.value must be there"#)
    #expect(refusal(feature: flag("a", #""createdAt":"nope""#)) == #"flag "a": createdAt must be a date or null"#)
    #expect(
      refusal(#"{"version":2,"features":[],"segments":[{"id":1,"constraints":[]},{"id":2}]}"#)
        == "segment 2: constraints must be there")
  }

  @Test(arguments: [
    #""strategies":{}"#, #""strategies":[1]"#, #""strategies":[{}]"#, #""strategies":[{"name":1}]"#,
    #""variants":[{"name":"v"}]"#,
    #""strategies":[{"name":"s","segments":["1"]}]"#, #""strategies":[{"name":"s","segments":[2147483648]}]"#,
    #""strategies":[{"name":"s","constraints":[{"contextName":"x"}]}]"#,
    #""strategies":[{"name":"s","constraints":[{"operator":"IN"}]}]"#,
    #""strategies":[{"name":"s","constraints":[{"contextName":"x","operator":"IN","inverted":null}]}]"#,
    #""strategies":[{"name":"s","constraints":[{"contextName":"x","operator":"IN","value":1}]}]"#,
    #""strategies":[{"name":"s","variants":[{"name":"v","weight":"1"}]}]"#, #""variants":[{"weight":1}]"#,
    #""variants":[{"name":"v","weight":1,"overrides":[{"contextName":"x"}]}]"#,
    #""variants":[{"name":"v","weight":1,"stickiness":1}]"#,
    #""dependencies":[{}]"#, #""dependencies":[{"feature":"b","enabled":1}]"#,
    #""dependencies":[{"feature":"b","variants":[1]}]"#,
    #""type":1"#, #""stale":"no""#, #""impressionData":"yes""#, #""lastSeenAt":1"#, #""description":[]"#,
    #""project":false"#,
    #""strategies":[{"name":"s","sortOrder":true}]"#, #""strategies":[{"name":"s","sortOrder":1.5}]"#,
    #""variants":[{"name":"v","weight":1,"weightType":"Fix"}]"#, #""variants":[{"name":"v","weight":1,"weightType":1}]"#,
  ])
  func aMemberOfAnotherTypeRefusesTheWholeDocument(_ member: String) {
    #expect(refusal(#"{"version":2,"features":[\#(flag("good")),\#(flag("a", member))]}"#) != nil)
  }

  @Test(arguments: [
    #""strategies":null,"variants":null,"dependencies":null,"impressionData":null,"stale":null,"type":null,"project":null"#,
    #""strategies":[{"name":"default","parameters":null,"constraints":null,"segments":null,"variants":null}]"#,
    #""variants":[{"name":"v","weight":1,"payload":null,"overrides":null,"stickiness":null}]"#,
    #""createdAt":"2024-01-01 00:00:00 +0200","lastSeenAt":null,"description":null,"future":{"a":[1]}"#,
    #""strategies":[{"name":"default","variants":[{"name":"v","weight":1,"overrides":"ignored here","weightType":7}]}]"#,
    #""strategies":[{"name":"default","sortOrder":-1,"title":5,"disabled":"?"},{"name":"default","sortOrder":null}]"#,
    #""variants":[{"name":"v","weight":1,"weightType":"fix"},{"name":"w","weight":1,"weightType":"variable"},{"name":"x","weight":1,"weightType":null}]"#,
  ])
  func whatTheVendorTakesIsTaken(_ members: String) throws {
    let rules = try Rules(flag("a", members))
    #expect(rules.warnings.isEmpty && rules.isOn("a"))
  }

  /// Nothing of it is used, but the vendor's engine refuses what it cannot read.
  @Test func whatADocumentSaysOfItselfIsRead() {
    func refusal(_ members: String) -> String? { self.refusal(#"{"version":2,"features":[],\#(members)}"#) }
    for members in [
      #""query":null,"meta":null"#, #""query":{},"meta":{}"#,
      #""query":{"tags":[["a","b"],[]],"projects":["p"],"namePrefix":"x","environment":null,"inlineSegmentConstraints":false,"tag":7}"#,
      #""meta":{"etag":"e","revisionId":41,"queryHash":"h","future":[]}"#,
    ] { #expect(refusal(members) == nil, "\(members)") }
    for (members, message) in [
      (#""query":"""#, "query must be an object or null"), (#""meta":[]"#, "meta must be an object or null"),
      (#""query":{"tags":["a"]}"#, "query.tags[0] must be an array"),
      (#""query":{"tags":[[1]]}"#, "query.tags[0][0] must be a text"),
      (#""query":{"projects":"p"}"#, "query.projects must be an array"),
      (#""query":{"environment":1}"#, "query.environment must be a text or null"),
      (#""query":{"inlineSegmentConstraints":0}"#, "query.inlineSegmentConstraints must be true, false or null"),
      (#""meta":{"revisionId":-1}"#, "meta.revisionId must be an unsigned integer or null"),
      (#""meta":{"etag":1}"#, "meta.etag must be a text or null"),
    ] { #expect(refusal(members) == message, "\(members)") }
  }

  @Test func ofFlagsOfOneNameTheLastCounts() throws {
    let rules = try Rules(
      flag("a", #""variants":[{"name":"v","weight":1}]"#) + "," + flag("b") + "," + #"{"name":"a","enabled":false}"#)
    #expect(rules.snapshot.flagCount == 2 && !rules.isOn("a") && rules.isOn("b"))
    // Also one that cannot be compiled, before a good one.
    let repaired = try Rules(flag("a", strategy: "flexibleRollout", #"{"rollout":"101"}"#) + "," + flag("a"))
    #expect(repaired.isOn("a") && repaired.warnings.count == 1)
  }

  @Test func aBrokenFlagIsOffAndWarnsAndHarmsNoOther() throws {
    let rules = try Rules(
      flag(
        "a",
        #""strategies":[{"name":"default"},{"name":"default","constraints":[{"contextName":"x","operator":"NUM_GT","value":"x"}]}]"#
      )
        + "," + flag("b"))
    #expect(rules.warnings.map(\.flag) == ["a"])
    #expect(
      rules.warnings.first?.message
        == "strategy 2: constraint 1: the value is neither a date nor a version nor a number")
    #expect(!rules.isOn("a") && rules.isOn("b"))
  }

  @Test func damagedDocumentsAreRefusedWithAPlace() {
    #expect(refusal("") == "not a JSON document: byte 0, line 1: the text is empty")
    #expect(refusal("{\"version\":2,\n\"features\":[{\"name\" 1}]}")?.contains("byte 34, line 2") == true)
    #expect(refusal(#"{"version":2,"features":[],"other":tru}"#)?.hasPrefix("not a JSON document: byte 35") == true)
  }

  @Test func everyShorteningIsRefused() {
    let whole =
      #"{"version":2,"features":[{"name":"a","enabled":true,"strategies":[{"name":"default"}]}],"segments":[]}"#
    #expect(refusal(whole) == nil)
    for length in 0..<whole.utf8.count { #expect(refusal(String(whole.prefix(length))) != nil, "\(length)") }
  }

  @Test func nestingOfTwoThousandLevelsIsRefused() {
    let deep = String(repeating: #"{"a":["#, count: 1_000) + String(repeating: "]}", count: 1_000)
    for json in [
      deep, #"{"version":2,"features":[{"name":"a","enabled":true,"future":\#(deep)}]}"#,
      #"{"version":2,"features":[],"future":\#(deep)}"#,
    ] {
      #expect(refusal(json) != nil)
    }
  }

  @Test func bytesChangedAtRandomNeverDoHarm() throws {
    let document = Array(
      (#"{"version":2,"features":["#
        + flag(
          "a",
          #""strategies":[{"name":"flexibleRollout","parameters":{"rollout":"50"},"segments":[1],"constraints":[{"contextName":"é","operator":"DATE_AFTER","value":"2020-01-01T00:00:00Z"}]}],"variants":[{"name":"v","weight":1,"payload":{"type":"json","value":"{}"}}],"dependencies":[{"feature":"b"}]"#
        )
        + "," + flag("b", constraint: #"{"contextName":"x","operator":"REGEX","value":"a|b"}"#)
        + #"],"segments":[{"id":1,"constraints":[]}]}"#).utf8)
    var state: UInt64 = 42
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var taken = 0
    for _ in 0..<3_000 {
      var damaged = document
      for _ in 0...next(3) {
        switch next(3) {
        case 0: damaged[next(damaged.count)] = UInt8(next(256))
        case 1: damaged.remove(at: next(damaged.count))
        default: damaged.insert(damaged[next(damaged.count)], at: next(damaged.count))
        }
      }
      guard let rules = try? Rules(UnleashFeatures.compile(damaged, Rules.options())) else { continue }
      taken += 1
      for index in 0..<rules.snapshot.flagCount {
        _ = rules.explain(text(rules.snapshot.name(of: rules.snapshot.record(at: index))), user("1"))
      }
    }
    #expect(taken > 0)
  }

  @Test func limitsRefuseAndSayWhichOne() {
    var options = Rules.options()
    options.limits.flags = 2
    #expect(
      refusal(#"{"version":2,"features":[\#([flag("a"), flag("b"), flag("c")].joined(separator: ","))]}"#, options)
        == "features must be an array of at most 2 elements")
    options.limits.variants = 1
    #expect(
      refusal(
        #"{"version":2,"features":[\#(flag("a", #""variants":[{"name":"v","weight":1},{"name":"w","weight":1}]"#))]}"#,
        options)
        == #"flag "a": variants must be an array of at most 1 elements"#)
    options.limits.values = 1
    #expect(
      refusal(
        #"{"version":2,"features":[\#(flag("a", constraint: #"{"contextName":"x","operator":"IN","values":["1","2"]}"#))]}"#,
        options)
        == #"flag "a": strategies[0].constraints[0].values must be an array of at most 1 elements"#)
    options.limits.json.maximumBytes = 20
    #expect(refusal(#"{"version":2,"features":[]}"#, options) == "the document is longer than 20 bytes")
  }

  @Test func longTextsAndManyFlagsAreTaken() throws {
    let long = String(repeating: "x", count: 300_000)
    let rules = try Rules(flag(long, constraint: #"{"contextName":"\#(long)","operator":"IN","values":["\#(long)"]}"#))
    #expect(rules.isOn(long, context("other", .int(1))) == false)
    let many = try Rules((0..<20_000).map { flag("flag-\($0)") }.joined(separator: ","))
    #expect(many.snapshot.flagCount == 20_000 && many.isOn("flag-19999") && many.evaluate("flag-20000") == nil)
    #expect(Int(many.snapshot.head.pointee.byteCount) / 20_000 < 900)
  }

  /// Lists of equal values, flags that share everything, and many parents must not take quadratic time.
  @Test func nothingTakesQuadraticTime() throws {
    let values = Array(repeating: #""same""#, count: 200_000).joined(separator: ",")
    let children = (0..<2_000).map {
      flag("c\($0)", #""dependencies":[{"feature":"c\#(($0 + 1) % 2_000)"},{"feature":"p"}]"#)
    }
    let rules = try Rules(
      flag("f", constraint: #"{"contextName":"x","operator":"IN","values":[\#(values)]}"#) + "," + flag("p") + ","
        + children.joined(separator: ","))
    #expect(rules.isOn("f", context(["x": "same"])) && !rules.isOn("f", context(["x": "other"])))
  }
}
