import HoistUnleash
import Testing

@Suite("Flags that depend on others (UNL-98, protocols/unleash.md C.9; no client)") struct DependencyTests {
  private static let parents = [
    flag("on", #""variants":[{"name":"pv","weight":1}]"#),
    #"{"name":"off","enabled":false,"variants":[{"name":"pv","weight":1}]}"#,
    #"{"name":"switched","enabled":false,"strategies":[{"name":"default","variants":[{"name":"sv","weight":1}]}]}"#,
    flag("bare"),
    flag("broken", #""strategies":[{"name":"default","segments":[9]}],"variants":[{"name":"pv","weight":1}]"#),
    flag("chained", #""dependencies":[{"feature":"on"}]"#),
    flag("unchained", #""dependencies":[]"#),
  ]

  private func isOn(_ dependencies: String, _ order: [String] = parents) throws -> Bool {
    let child = flag("child", #""dependencies":[\#(dependencies)]"#)
    // Parents are found before and after their children.
    let before = try Rules((order + [child]).joined(separator: ",")).isOn("child", user("1"))
    let after = try Rules(([child] + order).joined(separator: ",")).isOn("child", user("1"))
    #expect(before == after)
    return before
  }

  @Test func theParentsStateHasToBeAsWanted() throws {
    #expect(try isOn(#"{"feature":"on"}"#) && isOn(#"{"feature":"on","enabled":true}"#))
    #expect(try !isOn(#"{"feature":"on","enabled":false}"#) && !isOn(#"{"feature":"off"}"#))
    #expect(
      try isOn(#"{"feature":"off","enabled":false}"#) && isOn(#"{"feature":"on","enabled":null,"variants":null}"#))
    #expect(try isOn(#"{"feature":"broken","enabled":false}"#) && !isOn(#"{"feature":"broken"}"#))
  }

  @Test func allHaveToHold() throws {
    #expect(try isOn(#"{"feature":"on"},{"feature":"bare"}"#))
    #expect(try !isOn(#"{"feature":"on"},{"feature":"off"}"#) && !isOn(#"{"feature":"off"},{"feature":"on"}"#))
  }

  @Test func missingParentsAndChainsAreNeverSatisfied() throws {
    for name in ["missing", "chained", "child"] {
      #expect(try !isOn(#"{"feature":"\#(name)"}"#) && !isOn(#"{"feature":"\#(name)","enabled":false}"#), "\(name)")
    }
    #expect(try isOn(#"{"feature":"unchained"}"#))
  }

  @Test func theParentsVariantHasToBeInTheList() throws {
    #expect(try isOn(#"{"feature":"on","variants":["x","pv"]}"#) && !isOn(#"{"feature":"on","variants":["x"]}"#))
    #expect(try isOn(#"{"feature":"on","variants":[]}"#))
    #expect(try isOn(#"{"feature":"bare","variants":["x"]}"#))  // a parent that yields none does not matter
    // It is computed even when the parent is off.
    #expect(try isOn(#"{"feature":"off","enabled":false,"variants":["pv"]}"#))
    #expect(try !isOn(#"{"feature":"off","enabled":false,"variants":["disabled"]}"#))
    #expect(try isOn(#"{"feature":"switched","enabled":false,"variants":["sv"]}"#))
    #expect(try isOn(#"{"feature":"broken","enabled":false,"variants":["pv"]}"#))
  }

  /// Quirk: seen through a child, a parent's rollout without a groupId hashes with the child's name. C.12.
  @Test func aParentWithoutAGroupBorrowsTheChildsName() throws {
    let rules = try Rules(
      flag("parent", strategy: "flexibleRollout", #"{"rollout":"50","stickiness":"userId"}"#) + ","
        + flag("child", #""dependencies":[{"feature":"parent"}]"#))
    let states = ["user-2", "user-1", "user-3"].map { [rules.isOn("parent", user($0)), rules.isOn("child", user($0))] }
    #expect(states == [[false, true], [true, true], [false, false]])
    let grouped = try Rules(
      flag("parent", strategy: "flexibleRollout", #"{"rollout":"50","stickiness":"userId","groupId":"parent"}"#) + ","
        + flag("child", #""dependencies":[{"feature":"parent"}]"#))
    #expect(!grouped.isOn("child", user("user-2")))
  }

  @Test func readingAParentCountsNothing() throws {
    let rules = try Rules(
      flag("parent", #""impressionData":true"#) + "," + flag("child", #""dependencies":[{"feature":"parent"}]"#))
    let answer = rules.evaluate("child")
    #expect(answer?.cells == [0, 2] && answer?.impression == false)
  }
}

@Suite("Contexts (UNL-100, protocols/unleash.md C.1; no client)") struct ContextTests {
  private func rules(_ field: String) throws -> Rules {
    var options = Rules.options()
    options.appName = "shop"
    options.environment = "prod"
    return try Rules(flag("f", constraint: #"{"contextName":"\#(field)","operator":"IN","values":["1"]}"#), options)
  }

  @Test func theCallsContextComesBeforeTheClients() throws {
    let rules = try rules("tier")
    #expect(rules.evaluate("f", context(["tier": "1"]), inherited: context(["tier": "2"]))?.enabled == true)
    #expect(rules.evaluate("f", context(["tier": "2"]), inherited: context(["tier": "1"]))?.enabled == false)
    #expect(rules.evaluate("f", context(["other": "2"]), inherited: context(["tier": "1"]))?.enabled == true)
    #expect(rules.evaluate("f", nil, inherited: context(["tier": "1"]))?.enabled == true)
    #expect(rules.evaluate("f", nil)?.enabled == false)
  }

  @Test func anAttributeSetToNullHidesTheClients() throws {
    let rules = try rules("tier")
    #expect(rules.evaluate("f", context("tier", .null), inherited: context(["tier": "1"]))?.enabled == false)
  }

  @Test func theTargetingKeyIsTheUserId() throws {
    let rules = try rules("userId")
    #expect(rules.isOn("f", context([:], key: "1")))
    #expect(!rules.isOn("f", context(["userId": "2"], key: "1")) && rules.isOn("f", context(["userId": "1"], key: "2")))
    #expect(rules.evaluate("f", context(["x": "y"]), inherited: context([:], key: "1"))?.enabled == true)
    #expect(try !self.rules("sessionId").isOn("f", context([:], key: "1")))
  }

  @Test func staticFieldsStandBehindContexts() throws {
    var options = Rules.options()
    options.appName = "shop"
    options.environment = "prod"
    let rules = try Rules(
      [
        flag("app", constraint: #"{"contextName":"appName","operator":"IN","values":["shop"]}"#),
        flag("env", constraint: #"{"contextName":"environment","operator":"STR_STARTS_WITH","values":["pro"]}"#),
      ].joined(separator: ","), options)
    #expect(rules.isOn("app") && rules.isOn("env") && rules.isOn("app", user("1")))
    #expect(!rules.isOn("app", context(["appName": "other"])))
    #expect(rules.evaluate("app", nil, inherited: context(["appName": "other"]))?.enabled == false)
    #expect(
      try !Rules(flag("app", constraint: #"{"contextName":"appName","operator":"IN","values":["shop"]}"#)).isOn("app"))
  }

  @Test func manyAttributesAreFoundAmongEachOther() throws {
    let rules = try rules("a777")
    let many = EvaluationContextBuilder.many(1_000)
    #expect(!rules.isOn("f", many))
    try many.set(Array("a777".utf8), .string(Array("1".utf8)))
    #expect(rules.isOn("f", many))
  }

  @Test func aContextThatIsNotReadIsRefused() {
    for json in ["", "[]", "1", #"{"context":1}"#, "{"] {
      #expect(throws: UnleashDocumentFailure.self) { try UnleashContextReader.read(json) }
    }
  }
}
