import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely

/// decideAll again and again over one store of profiles.
func runUserProfile(_ root: JSONValue, _ report: Report) {
  let projects = Projects(root)
  forEachCase(root) { id, test in
    var stored: [String: [UInt8]] = [:]
    for (index, step) in (test["steps"]?.array?.map { $0 } ?? []).enumerated() {
      guard let project = projects.project(step["datafile"]?.string ?? "") else {
        return report.fail(id, expected: "a datafile that is taken", actual: "one that is refused")
      }
      let outcome = profileStep(step, project, &stored)
      report.check(
        "\(id).\(index)",
        expected: "\(step["expect"]?.canonicalText ?? "-") \(step["expectLookups"]?.canonicalText ?? "-") \(step["expectSaved"]?.canonicalText ?? "-")",
        actual: outcome)
    }
  }
}

private func profileStep(_ step: JSONValue, _ project: Project, _ stored: inout [String: [UInt8]]) -> String {
  let user = step["userId"]?.string ?? ""
  let options = decideOptions(step["options"])
  let visitor = Visitor(user, step["attributes"])
  let usesProfile = !options.contains(.ignoreUserProfileService)
  let profile = UserProfile(userID: Array(user.utf8), json: usesProfile ? stored[user] : nil)
  var content = SubjectContent()
  content.assignments = profile.assignments
  let subject = OptimizelySubject(content)
  var effects = DecideEffects()
  let decisions = canonical { writer in
    writer.object { writer in
      for record in project.flags {
        let decision = OptimizelyFlags.decide(
          record, in: project.snapshot, context: visitor.frozen, subject: subject, options: options)
        effects.add(decision, reasons: [], context: visitor.frozen, client: vectorClient, stamp: vectorStamp)
        writer.key(project.key(of: record))
        writer.object { writer in
          writer.key("variationKey")
          writer.raw(quoted(decision.variationKey))
          writer.key("ruleKey")
          writer.raw(quoted(decision.ruleKey))
        }
      }
    }
  }
  let saved = usesProfile ? profile.adding(effects.assignments) : nil
  if let saved { stored[user] = saved }
  let savedText = canonical { writer in writer.array { writer in if let saved { writer.raw(saved) } } }
  return "\(decisions) \(usesProfile ? 1 : 0) \(savedText)"
}

func quoted(_ value: ByteView?) -> [UInt8] {
  var writer = JSONWriter()
  if let value { writer.string(text(value)) } else { writer.null() }
  return writer.bytes
}

/// Conversions.
func runTrack(_ root: JSONValue, _ report: Report) {
  let projects = Projects(root)
  var skipped = 0
  forEachCase(root) { id, test in
    if test["divergence"]?.array?.contains(where: { $0.string == "tag-type" }) ?? false {
      skipped += 1
      return
    }
    guard let project = projects.project(test["datafile"]?.string ?? "") else {
      return report.fail(id, expected: "a datafile that is taken", actual: "one that is refused")
    }
    let visitor = Visitor(test["userId"]?.string ?? "", test["attributes"])
    let event = OptimizelyConversions.event(
      test["eventKey"]?.string ?? "", tags: test["eventTags"]?.unlessNull, in: project.snapshot, context: visitor.frozen,
      client: vectorClient, stamp: vectorStamp())
    report.check(id, expected: expectedPosts(test["expectEvents"]), actual: actualPosts(event.map { [$0] } ?? []))
  }
  if skipped > 0 { report.skip(skipped, reason: "tag-type: the vendor's kits differ, and these are another's answers") }
}

/// The calls that came before decide.
func runLegacyCalls(_ root: JSONValue, _ report: Report) {
  let projects = Projects(root)
  forEachCase(root) { id, test in
    guard let project = projects.project(test["datafile"]?.string ?? "") else {
      return report.fail(id, expected: "a datafile that is taken", actual: "one that is refused")
    }
    var call = LegacyCall(project, Visitor(test["userId"]?.string ?? "", test["attributes"]))
    let answer = call.run(test)
    report.check("\(id) answer", expected: test["expect"]?.canonicalText ?? "-", actual: answer)
    report.check("\(id) events", expected: expectedPosts(test["expectEvents"]), actual: actualPosts(call.events))
    report.check(
      "\(id) notifications", expected: test["expectNotificationTypes"]?.canonicalText ?? "-",
      actual: canonical { writer in writer.array { writer in for type in call.notifications { writer.string(type) } } })
  }
}

private struct LegacyCall {
  let project: Project
  let visitor: Visitor
  var events: [UserEvent] = []
  var notifications: [String] = []

  init(_ project: Project, _ visitor: Visitor) {
    self.project = project
    self.visitor = visitor
  }

  /// - Returns: the answer as JSON; null where the call throws.
  mutating func run(_ test: JSONValue) -> String {
    let flag = test["flagKey"]?.string ?? ""
    switch test["call"]?.string {
    case "activate", "getVariation": return experiment(test["experimentKey"]?.string ?? "", activates: test["call"]?.string == "activate")
    case "isFeatureEnabled": return project.flag(flag).map { "\(isEnabled($0))" } ?? "false"
    case "getEnabledFeatures":
      let enabled = project.flags.filter { isEnabled($0) }.map { project.key(of: $0) }
      return canonical { writer in writer.array { writer in for key in enabled { writer.string(key) } } }
    case "getFeatureVariable": return variable(flag, test["variableKey"]?.string ?? "", test["type"]?.string)
    default: return allVariables(flag)
    }
  }

  private mutating func experiment(_ key: String, activates: Bool) -> String {
    guard let decision = OptimizelyFlags.variation(ofExperiment: key, in: project.snapshot, context: visitor.frozen, subject: nil)
    else { return "null" }
    notifications.append(decision.notificationType.description)
    if activates,
      let event = OptimizelyImpressions.event(activating: decision, context: visitor.frozen, client: vectorClient, stamp: vectorStamp())
    {
      events.append(event)
    }
    return String(decoding: quoted(decision.variationKey), as: UTF8.self)
  }

  private mutating func isEnabled(_ record: UnsafeRawPointer) -> Bool {
    let decision = decision(record)
    notifications.append("feature")
    if let event = OptimizelyImpressions.legacyEvent(of: decision, context: visitor.frozen, client: vectorClient, stamp: vectorStamp) {
      events.append(event)
    }
    return decision.enabled
  }

  private func decision(_ record: UnsafeRawPointer) -> OptimizelyDecision {
    OptimizelyFlags.legacyDecision(record, in: project.snapshot, context: visitor.frozen, subject: nil)
  }

  private mutating func variable(_ flag: String, _ key: String, _ type: String?) -> String {
    guard let record = project.flag(flag),
      let value = try? decision(record).variable(key, as: type.flatMap { OptimizelyVariableType(name: $0) })
    else { return "null" }
    notifications.append("feature-variable")
    return canonical(text: value.json)
  }

  private mutating func allVariables(_ flag: String) -> String {
    guard let record = project.flag(flag) else { return "null" }
    notifications.append("all-feature-variables")
    return canonical(text: Array(decision(record).variables))
  }
}
