import HoistCore
import HoistUnleash
import Testing

@Suite("Strategies (UNL-94, protocols/unleash.md C.2 and C.3; no client)") struct StrategyTests {
  @Test func aFlagIsOnWithoutStrategiesAndOffWhenSwitchedOff() throws {
    let rules = try Rules(
      #"{"name":"bare","enabled":true},{"name":"empty","enabled":true,"strategies":[]},"#
        + #"{"name":"null","enabled":true,"strategies":null},{"name":"off","enabled":false,"strategies":[{"name":"default"}]}"#
    )
    #expect(rules.isOn("bare") && rules.isOn("empty") && rules.isOn("null"))
    #expect(!rules.isOn("off"))
    #expect(rules.evaluate("unknown") == nil)
    #expect(rules.evaluate("off")?.reason == .disabled)
    #expect(rules.evaluate("bare")?.reason == .static)
  }

  @Test func anyStrategyThatHoldsTurnsTheFlagOn() throws {
    let rules = try Rules(
      flag(
        "a",
        #""strategies":[{"name":"userWithId","parameters":{"userIds":"1"}},{"name":"userWithId","parameters":{"userIds":"2"}}]"#
      ))
    #expect(rules.isOn("a", user("1")) && rules.isOn("a", user("2")))
    #expect(!rules.isOn("a", user("3")))
    #expect(rules.evaluate("a", user("1"))?.reason == .targetingMatch)
    #expect(rules.evaluate("a", user("3"))?.reason == .default)
  }

  @Test func userWithIdSplitsAndTrims() throws {
    let rules = try Rules(
      [
        flag("a", strategy: "userWithId", #"{"userIds":"1, 2\t,\n3\u00a0"}"#),
        flag("empty", strategy: "userWithId", #"{"userIds":""}"#), flag("none", strategy: "userWithId"),
      ].joined(separator: ","))
    for id in ["1", "2", "3"] { #expect(rules.isOn("a", user(id))) }
    for id in ["", "1, 2", " 1", "4"] { #expect(!rules.isOn("a", user(id))) }
    #expect(!rules.isOn("a"))
    // The empty text is a list of one empty entry.
    #expect(rules.isOn("empty", user("")) && !rules.isOn("empty", user("1")))
    #expect(!rules.isOn("none", user("")))
  }

  @Test func longListsAreSearchedByTable() throws {
    let ids = (0..<5_000).map { "user-\($0)" } + ["user-7", "user-7"]
    let rules = try Rules(flag("a", strategy: "userWithId", #"{"userIds":"\#(ids.joined(separator: ","))"}"#))
    for id in ["user-0", "user-7", "user-4999"] { #expect(rules.isOn("a", user(id))) }
    for id in ["user-5000", "user-", ""] { #expect(!rules.isOn("a", user(id))) }
  }

  /// C.12, worked vectors.
  @Test func rolloutsOfTheWorkedTable() throws {
    for (group, id, share) in [
      ("gr1", "123", 73), ("gr1", "999", 37), ("groupX", "25", 59), ("AB12A", "122", 23), ("søk", "日本語", 6),
      ("", "7", 40),
      ("g", "", 64), ("checkout", "user-42", 42),
    ] {
      let rules = try Rules(
        [(share, "in"), (share - 1, "out")].map { share, name in
          flag(
            name, strategy: "flexibleRollout", #"{"rollout":"\#(share)","groupId":"\#(group)","stickiness":"userId"}"#)
        }.joined(separator: ","))
      #expect(rules.isOn("in", user(id)) && !rules.isOn("out", user(id)), "\(group):\(id)")
    }
  }

  @Test func withoutAGroupTheFlagsNameIsHashed() throws {
    let rules = try Rules(flag("checkout", strategy: "flexibleRollout", #"{"rollout":"42","stickiness":"userId"}"#))
    #expect(rules.isOn("checkout", user("user-42")) && !rules.isOn("checkout", user("user-3")))
    #expect(rules.evaluate("checkout", user("user-42"))?.reason == .split)
  }

  @Test func anEmptyGroupIsAGroup() throws {
    let rules = try Rules(
      flag("g", strategy: "flexibleRollout", #"{"rollout":"40","stickiness":"userId","groupId":""}"#))
    #expect(rules.isOn("g", user("7")))
  }

  @Test(arguments: [
    ("100", true), ("0100", true), ("+100", true), ("0", false), ("-1", false), ("50.5", false), (" 100", false),
    ("", false),
    ("1e2", false), ("99999999999999999999", false),
  ])
  func percentagesAreUnsignedIntegers(_ text: String, _ isOn: Bool) throws {
    let rules = try Rules(
      [
        flag("f", strategy: "flexibleRollout", #"{"rollout":"\#(text)","stickiness":"userId"}"#),
        flag("u", strategy: "gradualRolloutUserId", #"{"percentage":"\#(text)","groupId":"g"}"#),
        flag("s", strategy: "gradualRolloutSessionId", #"{"percentage":"\#(text)","groupId":"g"}"#),
        flag("r", strategy: "gradualRolloutRandom", #"{"percentage":"\#(text)"}"#),
      ].joined(separator: ","))
    let someone = context(["userId": "1", "sessionId": "2"])
    for name in ["f", "u", "s", "r"] { #expect(rules.isOn(name, someone) == isOn, "\(name)") }
    #expect(rules.warnings.isEmpty)
  }

  @Test func aPercentageAboveAHundredCannotBeCompiledButForDraws() throws {
    let rules = try Rules(
      [
        flag("f", strategy: "flexibleRollout", #"{"rollout":"101"}"#),
        flag("u", strategy: "gradualRolloutUserId", #"{"percentage":"101","groupId":"g"}"#),
        flag("r", strategy: "gradualRolloutRandom", #"{"percentage":"101"}"#),
      ].joined(separator: ","))
    #expect(rules.warnings.map(\.flag) == ["f", "u"])
    #expect(rules.isOn("r") && !rules.isOn("f", user("1")) && !rules.isOn("u", user("1")))
  }

  /// The engine builds no rule then: parameters that could not be compiled do no harm.
  @Test func unusableRolloutsAreFalseAndTurnNothingElseOff() throws {
    for (name, parameters) in [
      ("gradualRolloutUserId", #"{"percentage":"101"}"#), ("gradualRolloutSessionId", #"{"percentage":"4294967296"}"#),
      ("gradualRolloutUserId", #"{"percentage":"x","groupId":"a\"b"}"#),
      ("flexibleRollout", #"{"rollout":"x","groupId":"a\"b"}"#),
      ("flexibleRollout", #"{"rollout":" 50","stickiness":"a\\"}"#), ("flexibleRollout", #"{"groupId":"a\"b"}"#),
    ] {
      let rules = try Rules(
        flag(
          "f",
          #""strategies":[{"name":"\#(name)","parameters":\#(parameters)},{"name":"userWithId","parameters":{"userIds":"1"}}]"#))
      #expect(rules.warnings.isEmpty && rules.isOn("f", user("1")) && !rules.isOn("f", user("2")), "\(name) \(parameters)")
    }
  }

  @Test func gradualRolloutsNeedBothParameters() throws {
    let rules = try Rules(
      [
        flag("a", strategy: "gradualRolloutUserId", #"{"percentage":"100"}"#),
        flag("b", strategy: "gradualRolloutUserId", #"{"groupId":"g"}"#),
        flag("c", strategy: "gradualRolloutSessionId", #"{"percentage":"100","groupId":"g"}"#),
      ].joined(separator: ","))
    let someone = context(["userId": "1"])
    #expect(!rules.isOn("a", someone) && !rules.isOn("b", someone))
    #expect(!rules.isOn("c", someone) && rules.isOn("c", context(["sessionId": ""])))
  }

  @Test func defaultStickinessTakesUserThenSessionThenADraw() throws {
    let rules = try Rules(flag("f", strategy: "flexibleRollout", #"{"rollout":"50","groupId":"gr1"}"#))
    // gr1:999 is 37, gr1:123 is 73.
    #expect(rules.isOn("f", context(["userId": "999", "sessionId": "123"])))
    #expect(!rules.isOn("f", context(["userId": "123", "sessionId": "999"])))
    #expect(rules.isOn("f", context(["sessionId": "999"])))
    var ambient = Ambient()
    var state: UInt64 = 1
    let draws = withUnsafeMutablePointer(to: &state) { state in
      ambient.random = state
      return (0..<4_000).reduce(0) { sum, _ in sum + (rules.isOn("f", ambient: ambient) ? 1 : 0) }
    }
    #expect((1_850...2_150).contains(draws), "\(draws)")
  }

  @Test func randomStickinessDrawsEveryTime() throws {
    let rules = try Rules(
      [
        flag("half", strategy: "flexibleRollout", #"{"rollout":"50","stickiness":"random"}"#),
        flag("third", strategy: "gradualRolloutRandom", #"{"percentage":"34"}"#),
        flag("one", strategy: "gradualRolloutRandom", #"{"percentage":"1"}"#),
      ].joined(separator: ","))
    func count(_ name: String) -> Int {
      (0..<6_000).reduce(0) { sum, _ in sum + (rules.isOn(name, user("1")) ? 1 : 0) }
    }
    #expect((2_700...3_300).contains(count("half")))
    #expect((1_750...2_250).contains(count("third")))  // 33 of 99
    #expect(count("one") == 0)
  }

  @Test func otherStickinessIsAFieldOrProperty() throws {
    let rules = try Rules(
      [
        flag("tier", strategy: "flexibleRollout", #"{"rollout":"100","stickiness":"tier"}"#),
        flag("app", strategy: "flexibleRollout", #"{"rollout":"100","stickiness":"appName"}"#),
        flag("time", strategy: "flexibleRollout", #"{"rollout":"100","stickiness":"currentTime"}"#),
      ].joined(separator: ","))
    #expect(rules.isOn("tier", context(["tier": ""])) && !rules.isOn("tier", user("1")))
    #expect(rules.isOn("app", context(["appName": "x"])) && !rules.isOn("app", user("1")))
    #expect(rules.isOn("time", user("1")))  // it is always some time
  }

  @Test func remoteAddressTakesListsOfRanges() throws {
    let rules = try Rules(
      [
        flag("a", strategy: "remoteAddress", #"{"IPs":"10.0.0.0/8, nonsense , ::1"}"#),
        flag("none", strategy: "remoteAddress"), flag("empty", strategy: "remoteAddress", #"{"IPs":""}"#),
      ].joined(separator: ","))
    func at(_ address: String) -> EvaluationContext { context(["remoteAddress": address]) }
    #expect(rules.isOn("a", at("10.9.8.7")) && rules.isOn("a", at("::1")))
    for address in ["11.0.0.1", "::2", "nonsense", "", "10.0.0.01"] { #expect(!rules.isOn("a", at(address))) }
    #expect(!rules.isOn("none", at("10.0.0.1")) && !rules.isOn("empty", at("")))
  }

  @Test func applicationHostnameComparesWithTheMachinesName() throws {
    let rules = try Rules(
      [
        flag("a", strategy: "applicationHostname", #"{"hostNames":"other, HOST.example"}"#),
        flag("b", strategy: "applicationHostname", #"{"hostNames":"host"}"#),
        flag("c", strategy: "applicationHostname"),
      ].joined(separator: ","))
    #expect(rules.isOn("a") && !rules.isOn("b") && !rules.isOn("c"))
    #expect(!UnleashOptions().hostName.isEmpty)
  }

  @Test func conditionsOfAStrategyAllHaveToHold() throws {
    let rules = try Rules(
      flag(
        "a",
        #""strategies":[{"name":"userWithId","parameters":{"userIds":"1"},"constraints":["#
          + #"{"contextName":"tier","operator":"IN","values":["pro"]},{"contextName":"age","operator":"NUM_GT","value":"17"}]}]"#
      ))
    #expect(rules.isOn("a", context(["userId": "1", "tier": "pro", "age": "18"])))
    #expect(!rules.isOn("a", context(["userId": "2", "tier": "pro", "age": "18"])))
    #expect(!rules.isOn("a", context(["userId": "1", "tier": "free", "age": "18"])))
    #expect(!rules.isOn("a", context(["userId": "1", "tier": "pro", "age": "17"])))
  }
}
