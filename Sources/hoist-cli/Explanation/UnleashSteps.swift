/// Sentences for the steps of Unleash's engine.
enum UnleashSteps {
  static func steps(of explanation: JSON) -> [Step] {
    if explanation["decidedBy"] != nil {
      return [Step("the service has decided: \(explanation.isTrue("enabled") ? "on" : "off")")]
    }
    guard explanation.isTrue("switchedOn") else { return [Step("the flag is switched off")] }
    if let broken = explanation["broken"]?.string { return [Step("the flag cannot be evaluated: \(broken)")] }
    var steps = explanation.list("dependencies").map(dependency) + strategies(explanation)
    if steps.isEmpty { steps.append(Step("no strategy narrows it: on for everybody")) }
    if let variant = explanation["variant"] { steps.append(self.variant(variant)) }
    return steps
  }

  private static func dependency(_ dependency: JSON) -> Step {
    let parent = Words.quoted(dependency.told("feature"))
    if dependency["known"]?.bool == false { return Step("it depends on \(parent), and there is no such flag", holds: false) }
    if dependency.isTrue("dependsItself") {
      return Step("it depends on \(parent), which depends on another flag itself", holds: false)
    }
    let variants = dependency.list("variants")
    let wanted = dependency.isTrue("wanted") ? "on" : "off"
    let among = variants.isEmpty ? "" : " with variant \(Words.quoted(.array(variants)))"
    let found = dependency["enabled"].map { $0.bool == true ? ", and is on" : ", and is off" } ?? ""
    return Step("\(parent) must be \(wanted)\(among)\(found)", holds: dependency["satisfied"]?.bool, strategies(dependency))
  }

  private static func strategies(_ explanation: JSON) -> [Step] { explanation.list("strategies").map(strategy) }

  private static let builtIn = [
    "default", "flexibleRollout", "userWithId", "gradualRolloutUserId", "gradualRolloutSessionId", "gradualRolloutRandom",
    "remoteAddress", "applicationHostname",
  ]

  private static func strategy(_ strategy: JSON) -> Step {
    let name = strategy.told("name")
    let conditions = strategy.list("constraints").map(constraint)
    let segments = strategy.list("segments").map { segment in
      Step("segment \(segment.told("id"))", holds: segment["holds"]?.bool, segment.list("constraints").map(constraint))
    }
    var steps = conditions + segments
    // What comes after a condition that fails is not asked.
    if steps.allSatisfy({ $0.holds != false }) { steps += rule(strategy, name) }
    return Step("strategy \(Words.quoted(name))", holds: strategy["holds"]?.bool, steps)
  }

  private static func constraint(_ constraint: JSON) -> Step {
    Words.condition(
      constraint.told("field"), constraint.told("operator"), constraint["expected"], actual: constraint["actual"],
      isInverted: constraint.isTrue("inverted"), holds: constraint["holds"]?.bool)
  }

  private static func rule(_ strategy: JSON, _ name: String) -> [Step] {
    if let rollout = strategy["rollout"] { return [self.rollout(rollout, holds: strategy.isTrue("holds"))] }
    if let draw = strategy["draw"] {
      return [
        Step(
          "the draw \(draw.told("number")) is compared with \(draw.told("percentage")) percent", holds: strategy["holds"]?.bool)
      ]
    }
    if let answer = strategy["answer"]?.bool { return [Step("the host's strategy answers \(answer ? "yes" : "no")")] }
    if !builtIn.contains(name) { return [Step("no strategy of this name is registered: it never holds")] }
    guard let actual = strategy["actual"] else { return [] }
    let (field, list) =
      name == "remoteAddress" ? ("remoteAddress", "addresses") : name == "userWithId" ? ("userId", "users") : ("", "")
    if actual.isNull { return [Step("the context has no \(field.isEmpty ? "value to hash" : Words.quoted(field))")] }
    return [Step("\(Words.quoted(actual)) is \(strategy.isTrue("holds") ? "" : "not ")on the strategy's list of \(list)")]
  }

  private static func rollout(_ rollout: JSON, holds: Bool) -> Step {
    let (hash, share) = (rollout.told("hash"), rollout.told("percentage"))
    let isRandom = rollout.told("stickiness") == "random"
    let whose =
      isRandom ? "a random number's hash" : "the hash of \(Words.quoted(rollout["value"])) (\(rollout.told("stickiness")))"
    let group = "in group \(Words.quoted(rollout.told("group")))"
    return Step("\(whose) \(group) is \(hash), \(holds ? "at most" : "above") \(share): \(holds ? "" : "not ")in the rollout")
  }

  private static func variant(_ variant: JSON) -> Step {
    let name = "variant \(Words.quoted(variant.told("name")))"
    if variant.isTrue("override") { return Step("\(name): an override of the flag names this context") }
    let number =
      variant["hash"].map { "the hash of \(Words.quoted(variant["value"])) is \($0.text)" }
      ?? "the draw is \(variant.told("draw"))"
    return Step("\(number) of \(variant.told("totalWeight")): \(name), whose weight is \(variant.told("weight"))")
  }
}
