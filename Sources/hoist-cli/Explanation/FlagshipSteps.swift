/// Sentences for the steps of Flagship's bucketing.
enum FlagshipSteps {
  static func steps(of explanation: JSON) -> [Step] {
    let campaigns = explanation.elements.map { campaign in
      Step("campaign \(named(campaign, "campaign"))", campaign.list("groups").map(group))
    }
    return campaigns.isEmpty ? [Step("no campaign has this flag")] : campaigns
  }

  private static func named(_ object: JSON, _ id: String) -> String {
    Words.quoted(object.told("name").isEmpty ? object.told(id) : object.told("name"))
  }

  private static func group(_ group: JSON) -> Step {
    let alternatives = group.list("targetingGroups")
    let targetings = alternatives.enumerated().map { index, alternative in
      let title = alternatives.count == 1 ? "all of this" : "alternative \(index + 1)"
      return Step(title, holds: alternative["holds"]?.bool, alternative.list("targetings").map(targeting))
    }
    return Step("group \(named(group, "group"))", targetings + [Step(outcome(of: group))])
  }

  private static func targeting(_ targeting: JSON) -> Step {
    let holds = targeting["holds"]?.bool
    switch targeting.told("key") {
    case "fs_all_users": return Step("everybody", holds: holds)
    case "fs_users":
      return Words.condition(
        "visitor id", targeting.told("operator"), targeting["expected"], actual: targeting["actual"], holds: holds)
    case let key:
      return Words.condition(key, targeting.told("operator"), targeting["expected"], actual: targeting["actual"], holds: holds)
    }
  }

  private static func outcome(of group: JSON) -> String {
    let variation = "variation \(Words.quoted(group.told("variation")))"
    let bucket = "the visitor's bucket \(group.told("bucket")) of 100"
    switch group.told("outcome") {
    case "notTargeted": return "the visitor is not targeted"
    case "untracked": return "\(bucket) belongs to no variation"
    case "allocated": return "\(bucket) gives \(variation)"
    case "remembered": return "\(variation) was given earlier, and stays"
    case "deleted": return "the variation that was given earlier does not exist any more: the campaign gives nothing"
    case "decided": return "the service has decided: \(variation)"
    case let other: return other
    }
  }
}
