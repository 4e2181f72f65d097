/// Sentences for what LaunchDarkly's service tells of its evaluation, or for how a flag is decided here.
enum LaunchDarklySteps {
  static func steps(of explanation: JSON) -> [Step] {
    if explanation.told("evaluatedBy") == "client" { return decided(explanation) }
    var steps = [Step("the service evaluates; the answer is \(explanation.told("answer"))")]
    for key in explanation.list("prerequisites") {
      steps.append(Step("it depends on flag \(Words.quoted(key.string ?? key.text))"))
    }
    guard let reason = explanation["reason"], !reason.isNull else {
      return steps + [Step("its reasons come with --set evaluation_reasons=true")]
    }
    return steps + [Step(sentence(reason))]
  }

  /// In mode server.
  private static func decided(_ explanation: JSON) -> [Step] {
    let prerequisites = explanation.list("prerequisites").map { needed in
      let given = needed["given"].map { "variation \($0.text)" } ?? "no variation"
      return Step("flag \(Words.quoted(needed.told("key"))) must give variation \(needed.told("wanted")), and gives \(given)")
    }
    let rules = explanation.list("rules").enumerated().map { place, rule in
      Step("rule \(place)" + (rule["id"].map { " (\($0.string ?? $0.text))" } ?? ""), holds: rule.isTrue("isMet"))
    }
    return prerequisites + rules + (explanation["reason"].map { [Step(sentence($0))] } ?? [])
  }

  private static func sentence(_ reason: JSON) -> String {
    let rollout = reason.isTrue("inExperiment") ? ", in an experiment" : ""
    switch reason.told("kind") {
    case "OFF": return "the flag is off"
    case "FALLTHROUGH": return "no rule and no target matches: the default rule\(rollout)"
    case "TARGET_MATCH": return "the context is targeted individually"
    case "RULE_MATCH": return "rule \(reason.told("ruleIndex")) (\(reason.told("ruleId"))) matches\(rollout)"
    case "PREREQUISITE_FAILED": return "prerequisite \(Words.quoted(reason.told("prerequisiteKey"))) is not met"
    case "ERROR": return "it could not be evaluated: \(reason.told("errorKind"))"
    default: return "the reason is \(reason.text)"
    }
  }
}
