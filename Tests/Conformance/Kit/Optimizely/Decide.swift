import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely

/// decide, decideForKeys and decideAll: decisions, events, notifications, and the profile saved.
func runDecide(_ root: JSONValue, _ report: Report) {
  let projects = Projects(root)
  forEachCase(root) { id, test in
    guard let project = projects.project(test["datafile"]?.string ?? "") else {
      return report.fail(id, expected: "a datafile that is taken", actual: "one that is refused")
    }
    let session = DecideSession(project, test)
    session.run()
    report.check("\(id) decisions", expected: test["expect"]?.canonicalText ?? "-", actual: session.decisions)
    report.check("\(id) events", expected: expectedPosts(test["expectEvents"]), actual: actualPosts(session.effects.events))
    report.check(
      "\(id) notifications", expected: test["expectNotifications"]?.canonicalText ?? "-", actual: session.notifications)
    if let saved = test["expectProfileSaved"] {
      report.check("\(id) profile", expected: saved.canonicalText, actual: session.savedProfiles)
    }
    if let reasons = test["expectReasons"] {
      report.check("\(id) reasons", expected: reasons.canonicalText, actual: session.reasonTexts)
    }
    if let recorded = session.differenceOfRecording {
      report.fail("\(id) with reasons", expected: "the decision without", actual: recorded)
    }
  }
}

/// One case's call.
final class DecideSession {
  private let project: Project
  private let test: JSONValue
  private let visitor: Visitor
  private let options: DecideOptions
  private let userID: String
  private var profile: UserProfile?
  private(set) var subject: OptimizelySubject?
  private(set) var effects = DecideEffects()
  private var answers: [OwnedDecision] = []
  /// A decision that came out otherwise when reasons were recorded.
  private(set) var differenceOfRecording: String?

  init(_ project: Project, _ test: JSONValue) {
    self.project = project
    self.test = test
    userID = test["userId"]?.string ?? ""
    visitor = Visitor(userID, test["attributes"])
    options = decideOptions(test["options"]).union(decideOptions(test["defaultOptions"]))
    if let profiles = test["userProfiles"] {
      profile = UserProfile(userID: Array(userID.utf8), json: profiles.object?.member(userID)?.source)
    }
    subject = OptimizelySubject(content())
  }

  private func content() -> SubjectContent {
    var content = SubjectContent()
    content.segments = test["qualifiedSegments"]?.array?.map { bytes($0) }
    for forced in test["forcedDecisions"]?.array?.map({ $0 }) ?? [] {
      let key = (bytes(forced["flagKey"]), forced["ruleKey"]?.unlessNull.map { bytes($0) })
      content.forcedDecisions.removeAll { $0.flagKey == key.0 && $0.ruleKey == key.1 }
      content.forcedDecisions.append(.init(flagKey: key.0, ruleKey: key.1, variationKey: bytes(forced["variationKey"])))
    }
    for forced in test["setForcedVariations"]?.array?.map({ $0 }) ?? [] { apply(forced, to: &content) }
    content.assignments = profile?.assignments ?? []
    return content
  }

  private func apply(_ forced: JSONValue, to content: inout SubjectContent) {
    let user = forced["userId"]?.string ?? userID
    let experiment = forced["experimentKey"]?.string ?? ""
    guard user.utf8.elementsEqual(userID.utf8), let id = OptimizelyFlags.experimentID(experiment, in: project.snapshot) else {
      return
    }
    let known = Array(id)
    if let key = forced["variationKey"]?.string {
      guard let made = OptimizelyFlags.forcedVariation(experimentKey: experiment, variationKey: key, in: project.snapshot)
      else { return }
      content.forcedVariations.removeAll { $0.experimentID == known }
      content.forcedVariations.append(made)
    } else {
      content.forcedVariations.removeAll { $0.experimentID == known }
    }
  }

  func run() {
    var call = DecideCall(
      snapshot: project.snapshot, context: visitor.frozen, subject: subject, options: options, origin: vectorOrigin,
      wanted: .decision)
    switch test["call"]?.string {
    case "decide": answers = [test["flagKey"].map { bytes($0).withBytes { call.decide($0) } }].compactMap { $0 }
    case "decideForKeys": answers = call.decide(keys: test["flagKeys"]?.array?.map { bytes($0) } ?? [])
    default: answers = call.decideAll()
    }
    effects = call.effects
    for decision in answers where !decision.isUnknown { compare(decision) }
  }

  /// The decision that the core asks for, without reasons, must be the same.
  private func compare(_ decision: OwnedDecision) {
    guard let record = project.snapshot.find(decision.flagKey) else { return }
    var evaluation = Evaluation(want: .any)
    evaluation.subject = subject?.state
    evaluation.options = options.rawValue
    project.snapshot.head.pointee.evaluate(project.snapshot.base, record, visitor.frozen?.base, &evaluation)
    let plain = OptimizelyDecision(evaluation, snapshot: project.snapshot, record: record)
    if without("reasons", plain.json(reasons: [])) != without("reasons", decision.text()) {
      differenceOfRecording = String(decoding: plain.json(reasons: []), as: UTF8.self)
    }
  }

  var decisions: String {
    canonical { writer in
      writer.object { writer in
        for decision in answers {
          writer.key(utf8: decision.flagKey.bindMemory(to: UInt8.self))
          writer.raw(without("reasons", decision.text()))
        }
      }
    }
  }

  var notifications: String {
    canonical { writer in
      writer.array { writer in
        for news in effects.news { writer.raw(without("reasons", member("decisionInfo", of: news.json))) }
      }
    }
  }

  /// What the store is given; nothing where nothing is new.
  var savedProfiles: String {
    let saved = options.contains(.ignoreUserProfileService) ? nil : profile?.adding(effects.assignments)
    return canonical { writer in writer.array { writer in if let saved { writer.raw(saved) } } }
  }

  var reasonTexts: String {
    canonical { writer in
      writer.array { writer in
        for reason in answers.flatMap(\.reasons) { writer.string(reason.string) }
      }
    }
  }
}

/// A member of an object, as JSON text.
func member(_ name: String, of object: [UInt8]) -> [UInt8] {
  guard let document = try? JSONDocument(parsing: object) else { return [] }
  return document.withRoot { (try? $0.object?.member(name)?.text(wholeDoubles: .withFraction)) ?? [] }
}

/// An object without one of its members.
func without(_ name: StaticString, _ object: [UInt8]) -> [UInt8] {
  guard let document = try? JSONDocument(parsing: object) else { return object }
  return document.withRoot { root in
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.object { writer in
      for (key, value) in members(root) where !(key == name) {
        writer.key(utf8: key.utf8)
        writer.raw(value.source)
      }
    }
    return writer.bytes
  }
}
