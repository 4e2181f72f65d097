/// Sentences for the steps of Kameleoon's decisions.
enum KameleoonSteps {
  static func steps(of explanation: JSON) -> [Step] {
    var steps: [Step] = []
    if let holdout = explanation["holdout"] {
      steps.append(Step("the site's holdout gives the visitor \(Words.quoted(holdout["variation"]))"))
    }
    if let group = explanation["group"] {
      let chosen = group.isTrue("chosen") ? "chooses this flag" : "chooses another flag"
      steps.append(Step("the visitor's hash \(group.told("hash")) in group \(Words.quoted(group.told("name"))) \(chosen)"))
    }
    steps += explanation.list("rules").map(rule)
    return steps.isEmpty
      ? [Step("no rule was asked: the default variation, or none where the flag is off in this environment")] : steps
  }

  private static func rule(_ rule: JSON) -> Step {
    let segments = rule.list("segments").map { segment in
      Step("segment \(segment.told("id"))", holds: segment["matches"]?.bool, segment.list("conditions").map(condition))
    }
    let kind = rule.told("type") == "TARGETED_DELIVERY" ? "delivery" : "experiment"
    return Step("rule \(rule.told("id")), \(kind) \(rule.told("experimentId"))", segments + outcome(of: rule))
  }

  private static func outcome(of rule: JSON) -> [Step] {
    let variation = "variation \(Words.quoted(rule.told("variation")))"
    var steps: [Step] = []
    if let hash = rule["hash"] {
      let isExposed = rule.told("outcome") != "notExposed"
      steps.append(
        Step(
          "the visitor's hash \(hash.text) is \(isExposed ? "at most" : "above") \(rule.told("exposition")): \(isExposed ? "" : "not ")exposed"
        ))
    }
    switch rule.told("outcome") {
    case "notTargeted": steps.append(Step("the visitor is not targeted"))
    case "forced": steps.append(Step("\(variation) is forced"))
    case "blocked": steps.append(Step("the visitor has refused consent: no experiment"))
    case "scored": steps.append(Step("\(variation) has the best score for the visitor"))
    case "delivered": steps.append(Step("\(variation) is delivered"))
    case "assigned": steps.append(Step("the visitor's hash \(rule.told("variationHash")) gives \(variation)"))
    case "notAssigned": steps.append(Step("the visitor's hash \(rule.told("variationHash")) gives no variation"))
    default: break
    }
    return steps
  }

  /// What each type is about, and the members that say what is wanted and how it is compared.
  private static let types: [String: (subject: String, value: String, comparison: String)] = [
    "DEVICE_TYPE": ("device", "device", ""), "OPERATING_SYSTEM": ("operating system", "os", ""),
    "BROWSER": ("browser", "browser", ""), "GEOLOCATION": ("country, region and city", "country", ""),
    "APPLICATION_VERSION": ("application version", "version", "versionMatchType"),
    "VISITOR_CODE": ("visitor code", "visitorCode", "matchType"), "PAGE_URL": ("pages seen", "url", "matchType"),
    "PAGE_TITLE": ("pages seen", "title", "matchType"), "PREVIOUS_PAGE": ("pages seen", "url", "matchType"),
    "COOKIE": ("cookies", "name", "nameMatchType"),
  ]

  private static func condition(_ step: JSON) -> Step {
    let (condition, holds) = (step["condition"] ?? .null, step["holds"]?.bool)
    let isInverted = condition["isInclude"]?.bool == false
    let type = condition.told("targetingType")
    func compared(_ subject: String, _ comparison: String, _ value: String) -> Step {
      let way = comparison.isEmpty ? "EXACT" : condition.told(comparison)
      return Words.condition(
        subject, of: "the visitor", way.isEmpty ? "EXACT" : way, condition[value], actual: step["actual"], isInverted: isInverted,
        holds: holds)
    }
    if type == "CUSTOM_DATUM" { return compared("custom data \(condition.told("customDataIndex"))", "valueMatchType", "value") }
    if let known = types[type] { return compared(known.subject, known.comparison, known.value) }
    let details = (condition.members ?? []).filter { !["targetingType", "isInclude"].contains($0.name) }
    let asked = details.map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
    return Step("the visitor must \(isInverted ? "not " : "")fit \(type)\(asked.isEmpty ? "" : " (\(asked))")", holds: holds)
  }
}
