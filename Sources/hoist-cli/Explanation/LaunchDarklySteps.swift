/// Sentences for what LaunchDarkly's service tells of its evaluation.
enum LaunchDarklySteps {
  static func steps(of explanation: JSON) -> [Step] {
    var steps = [Step("the service evaluates; the answer is \(explanation.told("answer"))")]
    for key in explanation.list("prerequisites") { steps.append(Step("it depends on flag \(Words.quoted(key.string ?? key.text))")) }
    guard let reason = explanation["reason"], !reason.isNull else {
      return steps + [Step("its reasons come with --set evaluation_reasons=true")]
    }
    return steps + [Step(sentence(reason))]
  }

  private static func sentence(_ reason: JSON) -> String {
    let rollout = reason.isTrue("inExperiment") ? ", in an experiment" : ""
    switch reason.told("kind") {
    case "OFF": return "the flag is off"
    case "FALLTHROUGH": return "no rule and no target matches: the default rule\(rollout)"
    case "TARGET_MATCH": return "the context is targeted individually"
    case "RULE_MATCH": return "rule \(reason.told("ruleIndex")) (\(reason.told("ruleId"))) matches\(rollout)"
    case "PREREQUISITE_FAILED": return "prerequisite \(Words.quoted(reason.told("prerequisiteKey"))) is not met"
    case "ERROR": return "the service could not evaluate it: \(reason.told("errorKind"))"
    default: return "the reason is \(reason.text)"
    }
  }
}
