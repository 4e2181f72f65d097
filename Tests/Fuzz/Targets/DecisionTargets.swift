import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely

/// Every flag of a datafile that compiles is decided, the same way twice, and can be explained, reported and listed.
func checkDatafile(_ bytes: ByteView) -> String? {
  let listing = try? OptimizelyConfigText.json(ofDatafile: bytes)
  guard let snapshot = try? OptimizelyDatafile.compile(bytes) else {
    return listing == nil ? nil : "a datafile that is refused is listed"
  }
  defer { snapshot.destroy() }
  _ = SegmentsSettings(snapshot)
  guard let listing, (try? JSONDocument(parsing: listing)) != nil else { return "the listing is no JSON" }
  for index in 0..<min(OptimizelyFlags.flagCount(of: snapshot), 64) {
    let flag = OptimizelyFlags.flag(at: index, of: snapshot)
    for context in contexts {
      if let problem = check(flag, in: snapshot, context, SubjectContent()) { return "flag \(index): \(problem)" }
    }
  }
  return nil
}

/// Whoever the visitor is and whatever the visitor has, decisions hold. The lines of the input: the user id, then forced
/// decisions (flag, rule or nothing, variation), forced variations and a stored profile (experiment, variation),
/// predictions (experiment, variation or nothing), segments, each separated by blanks; the rest is JSON of attributes.
func checkDecide(_ bytes: ByteView) -> String? {
  guard let snapshot = project else { return "the project does not compile" }
  var lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 6, omittingEmptySubsequences: false).map { Array($0) }
  while lines.count < 7 { lines.append([]) }
  let context = (lines[6].withUnsafeBytes { try? ContextJSON.context($0) }) ?? EvaluationContext()
  context.setTargetingKey(lines[0])
  var content = SubjectContent()
  content.forcedDecisions = groups(of: 3, in: lines[1]).map {
    SubjectContent.ForcedDecision(flagKey: $0[0], ruleKey: $0[1].isEmpty ? nil : $0[1], variationKey: $0[2])
  }
  content.forcedVariations = groups(of: 2, in: lines[2]).map { .init(experimentID: $0[0], variationID: $0[1]) }
  content.assignments = groups(of: 2, in: lines[3]).map { .init(experimentID: $0[0], variationID: $0[1]) }
  content.predictions = groups(of: 2, in: lines[4]).map {
    .init(experimentID: $0[0], uuid: Array("uuid".utf8), variationID: $0[1].isEmpty ? nil : $0[1])
  }
  if !lines[5].isEmpty { content.segments = words(in: lines[5]) }
  for index in 0..<OptimizelyFlags.flagCount(of: snapshot) {
    let flag = OptimizelyFlags.flag(at: index, of: snapshot)
    if let problem = check(flag, in: snapshot, context, content) { return "flag \(index): \(problem)" }
  }
  return nil
}

private func words(in line: [UInt8]) -> [[UInt8]] {
  line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { Array($0) }
}

private func groups(of size: Int, in line: [UInt8]) -> [[[UInt8]]] {
  let words = words(in: line)
  return stride(from: 0, to: words.count - size + 1, by: size).map { Array(words[$0..<$0 + size]) }
}

private func check(
  _ flag: UnsafeRawPointer, in snapshot: Snapshot, _ context: EvaluationContext, _ content: SubjectContent
) -> String? {
  guard let subject = OptimizelySubject(content), let hold = context.reference() else { return nil }
  let frozen = hold.frozen
  for options in [DecideOptions.predictions, [.predictions, .includeReasons], [.ignoreUserProfileService]] {
    let decision = OptimizelyFlags.decide(flag, in: snapshot, context: frozen, subject: subject, options: options)
    let (explained, reasons) = OptimizelyFlags.explain(
      flag, in: snapshot, context: frozen, subject: subject, options: options)
    let text = decision.json(reasons: reasons)
    if text != explained.json(reasons: reasons) { return "it is explained as something else than it is" }
    guard let tree = try? JSONDocument(parsing: text) else { return "a decision is no JSON" }
    if tree.withRoot({ $0["variables"]?.object == nil }) { return "the variables are no object" }
    if decision.variationKey == nil, decision.enabled { return "on without a variation" }
    let events = OptimizelyImpressions.events(of: decision, context: frozen, client: client) { stamp }
    if let need = decision.neededPrediction {
      let request = PredictionRequest(need, context: frozen, uuid: "uuid")
      guard PredictionAnswer(status: 200, body: request.body) == .invalid else { return "a question reads as an answer" }
    }
    for event in events where (try? JSONDocument(parsing: event.body)) == nil { return "an impression is no JSON" }
  }
  return nil
}

private let client = EventClient(name: "hoist", version: "1")
private let stamp = EventStamp(unixMilliseconds: 1_700_000_000_000, uuid: "U")

/// Somebody with nothing, and some with a value for whatever a rule may ask.
private let contexts: [EvaluationContext] = {
  let attributes = ["a", "b", "country", "version", "$opt_bucketing_id"].map {
    Attribute(name: Array($0.utf8), value: .string(Array("1.2.3".utf8)))
  }
  let others = [
    Attribute(name: Array("country".utf8), value: .string(Array("de".utf8))),
    Attribute(name: Array("age".utf8), value: .int(30)), Attribute(name: Array("member".utf8), value: .bool(true)),
  ]
  return [
    EvaluationContext(targetingKey: []), EvaluationContext(targetingKey: Array("u".utf8), attributes: attributes),
    EvaluationContext(targetingKey: Array("user-729692".utf8), attributes: others),
  ]
}()

/// A project with one of everything; compiled once, never freed.
private let project: Snapshot? = try? OptimizelyDatafile.compile(
  #"{"version":"4","projectId":"p","accountId":"a","revision":"7","anonymizeIP":true,"botFiltering":true,"#
    + #""sendFlagDecisions":true,"featureFlags":[\#(flags)],"experiments":[\#(experiments)],"rollouts":[{"id":"r","#
    + #""experiments":[\#(rule("11", "[\"and\",\"1\",\"2\"]")),\#(rule("12", "[]"))]}],"groups":[{"id":"g","policy":"random","#
    + #""trafficAllocation":[{"entityId":"21","endOfRange":5000}],"experiments":[\#(rule("21", "[\"not\",\"3\"]"))]}],"#
    + #""holdouts":[\#(rule("31", "[\"4\"]", #""excludeTargetedDeliveries":true"#))],"#
    + #""localHoldouts":[\#(rule("32", "[\"5\"]", #""includedRules":["2"]"#))],"audiences":[],"#
    + #""typedAudiences":[\#(audiences)],"attributes":[{"id":"501","key":"a"}],"events":[{"id":"601","key":"buy"}]}"#)

private let flags = [("f", ["1", "2"]), ("g", ["21", "3"]), ("h", ["4"]), ("bare", [])].map { key, ids in
  #"{"id":"f-\#(key)","key":"\#(key)","experimentIds":["\#(ids.joined(separator: "\",\""))"],"rolloutId":"r","#
    + #""variables":[{"id":"v1","key":"n","type":"integer","defaultValue":"1"},"#
    + #"{"id":"v2","key":"j","type":"json","defaultValue":"{\"x\":[1.0]}"},{"id":"v3","key":"d","type":"double","defaultValue":"no"}]}"#
}.joined(separator: ",")

private let experiments = [
  rule("1", #"["or",["and","1","3"],["not","6"]]"#), rule("2", #"["or","7"]"#, #""type":"td""#),
  rule("3", "[]", #""type":"fr""#), rule("4", "[]", #""cmab":{"trafficAllocation":9000,"attributeIds":["501"]}"#),
].joined(separator: ",")

private func rule(_ id: String, _ conditions: String, _ more: String = "") -> String {
  #"{"id":"\#(id)","key":"key-\#(id)","status":"Running","layerId":"9\#(id)","audienceIds":[],"#
    + #""audienceConditions":\#(conditions),"forcedVariations":{"listed":"on-\#(id)"},"variations":[{"id":"\#(id)1","#
    + #""key":"on-\#(id)","featureEnabled":true,"variables":[{"id":"v1","value":"7"}]},{"id":"\#(id)2","key":"off-\#(id)"}],"#
    + #""trafficAllocation":[{"entityId":"\#(id)1","endOfRange":4000},{"entityId":"","endOfRange":5000},"#
    + #"{"entityId":"\#(id)2","endOfRange":9000}]\#(more.isEmpty ? "" : ",")\#(more)}"#
}

private let audiences = [
  ("exact", #""text""#), ("exact", "1.5"), ("gt", "18"), ("substring", #""x""#), ("semver_ge", #""1.2.3-beta""#),
  ("exists", "null"), ("qualified", #""segment""#),
].enumerated().map { index, condition in
  let type = condition.0 == "qualified" ? "third_party_dimension" : "custom_attribute"
  return #"{"id":"\#(index + 1)","name":"n","conditions":["or",{"type":"\#(type)","name":"a","match":"\#(condition.0)","#
    + #""value":\#(condition.1)},["and",{"type":"custom_attribute","name":"b","value":true}]]}"#
}.joined(separator: ",")
