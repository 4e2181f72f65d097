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
        expected:
          "\(step["expect"]?.canonicalText ?? "-") \(step["expectLookups"]?.canonicalText ?? "-") \(step["expectSaved"]?.canonicalText ?? "-")",
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
  var call = DecideCall(
    snapshot: project.snapshot, context: visitor.frozen, subject: subject, options: options, origin: vectorOrigin, wanted: [])
  let answers = call.decideAll()
  let decisions = canonical { writer in
    writer.object { writer in
      for decision in answers {
        writer.key(utf8: decision.flagKey.bindMemory(to: UInt8.self))
        writer.object { writer in
          writer.key("variationKey")
          writer.raw(quoted(decision.variationKey))
          writer.key("ruleKey")
          writer.raw(quoted(decision.ruleKey))
        }
      }
    }
  }
  let saved = usesProfile ? profile.adding(call.effects.assignments) : nil
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
    let visitor = Visitor(test["userId"]?.string ?? "", test["attributes"])
    var call = LegacyCall(
      snapshot: project.snapshot, context: visitor.frozen, subject: nil, origin: vectorOrigin, wanted: .decision)
    let answer = run(test, &call)
    report.check("\(id) answer", expected: test["expect"]?.canonicalText ?? "-", actual: answer)
    report.check("\(id) events", expected: expectedPosts(test["expectEvents"]), actual: actualPosts(call.effects.events))
    report.check(
      "\(id) notifications", expected: test["expectNotificationTypes"]?.canonicalText ?? "-",
      actual: canonical { writer in
        writer.array { writer in for news in call.effects.news { writer.raw(member("type", of: news.json)) } }
      })
  }
}

/// - Returns: the answer as JSON; null where the call throws.
private func run(_ test: JSONValue, _ call: inout LegacyCall) -> String {
  let flag = bytes(test["flagKey"])
  return flag.withBytes { flag in
    switch test["call"]?.string {
    case "activate", "getVariation":
      let activates = test["call"]?.string == "activate"
      let variation = bytes(test["experimentKey"]).withBytes { key in
        try? call.variation(ofExperiment: key, activates: activates)
      }
      return String(decoding: quoted(variation), as: UTF8.self)
    case "isFeatureEnabled": return "\(call.isEnabled(flag))"
    case "getEnabledFeatures":
      let enabled = call.enabledFeatures()
      return canonical { writer in writer.array { writer in for key in enabled { writer.raw(quoted(key)) } } }
    case "getFeatureVariable":
      let type = test["type"]?.string.flatMap { name in variableTypes.first { name == $0.name.description } }
      let value = bytes(test["variableKey"]).withBytes { key in try? call.variable(key, of: flag, as: type) }
      return value.map { canonical(text: $0.json) } ?? "null"
    default: return (try? call.variables(of: flag)).map { canonical(text: Array($0)) } ?? "null"
    }
  }
}

private let variableTypes: [OptimizelyVariableType] = [.string, .integer, .double, .boolean, .json]
