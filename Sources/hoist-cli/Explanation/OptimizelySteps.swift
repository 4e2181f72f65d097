/// Sentences for the steps of Optimizely's decisions, most of which the library has itself.
enum OptimizelySteps {
  /// Said by the condition that follows.
  private static let repeated = ["missingAttributeValue", "nilAttributeValue"]

  static func steps(of explanation: JSON) -> [Step] { explanation.list("steps").compactMap(step) }

  private static func step(_ step: JSON) -> Step? {
    if let audience = step["audience"]?.string {
      let holds = step["holds"]?.bool
      let unknown = holds == nil ? ": cannot be told" : ""
      return Step("audience \(Words.quoted(audience))\(unknown)", holds: holds, step.list("conditions").compactMap(self.step))
    }
    guard let name = step["attribute"]?.string else {
      return repeated.contains(step.told("code")) ? nil : Step(step.told("text"))
    }
    let holds = step["holds"]?.bool
    if step.told("match") == "qualified" {
      return Step("the user must be in segment \(Words.quoted(step["expected"])) of the data platform", holds: holds)
    }
    return Words.condition(name, step.told("match"), step["expected"], actual: step["actual"], holds: holds)
  }
}
