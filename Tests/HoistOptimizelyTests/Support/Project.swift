import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely

/// A compiled datafile, made of the parts that a test cares about.
final class Project {
  let snapshot: Snapshot

  init(
    flags: String = "", experiments: String = "", rollouts: String = "", audiences: String = "", typed: String = "",
    groups: String = "", more: String = ""
  ) throws {
    snapshot = try OptimizelyDatafile.compile(
      Self.datafile(
        flags: flags, experiments: experiments, rollouts: rollouts, audiences: audiences, typed: typed, groups: groups,
        more: more))
  }

  deinit { snapshot.destroy() }

  static func datafile(
    flags: String = "", experiments: String = "", rollouts: String = "", audiences: String = "", typed: String = "",
    groups: String = "", more: String = ""
  ) -> String {
    #"{"version":"4","projectId":"p","accountId":"a","revision":"7","anonymizeIP":true,"featureFlags":[\#(flags)],"#
      + #""experiments":[\#(experiments)],"rollouts":[\#(rollouts)],"audiences":[\#(audiences)],"typedAudiences":[\#(typed)],"#
      + #""groups":[\#(groups)],"attributes":[{"id":"501","key":"country"}],"#
      + #""events":[{"id":"601","key":"buy","experimentIds":[]}]\#(more.isEmpty ? "" : ",")\#(more)}"#
  }

  func decide(
    _ key: String, _ context: EvaluationContext = visitor(), _ content: SubjectContent = SubjectContent(),
    _ options: DecideOptions = [.includeReasons]
  ) throws -> Answer {
    guard let record = key.withBytes({ snapshot.find($0) }), let subject = OptimizelySubject(content) else { throw Missing() }
    let hold = context.reference()
    let (decision, reasons) = OptimizelyFlags.explain(
      record, in: snapshot, context: hold?.frozen, subject: subject, options: options)
    return Answer(project: self, subject: subject, hold: hold, decision: decision, reasons: reasons)
  }

  struct Missing: Error {}
}

/// A decision and all it borrows from.
struct Answer {
  let project: Project
  let subject: OptimizelySubject
  let hold: ContextReference?
  let decision: OptimizelyDecision
  let reasons: [DecisionReason]

  var variation: String? { decision.variationKey.map { text($0) } }
  var rule: String? { decision.ruleKey.map { text($0) } }
  var variables: String { text(decision.variables) }
  var codes: [ReasonCode] { reasons.map(\.code) }

  var impressions: [String] {
    OptimizelyImpressions.events(of: decision, context: hold?.frozen, client: testClient) {
      EventStamp(unixMilliseconds: 1_700_000_000_000, uuid: "U")
    }.map { String(decoding: $0.body, as: UTF8.self) }
  }
}

let testClient = EventClient(name: "hoist", version: "1")

func text(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }

func visitor(_ id: String = "u1", _ attributes: KeyValuePairs<String, AttributeValue> = [:]) -> EvaluationContext {
  EvaluationContext(
    targetingKey: Array(id.utf8), attributes: attributes.map { Attribute(name: Array($0.key.utf8), value: $0.value) })
}

/// A flag over experiments and perhaps a rollout of the same name.
func flag(_ key: String, _ experiments: [String] = [], rollout: String = "", variables: String = "") -> String {
  let ids = experiments.map { "\"\($0)\"" }.joined(separator: ",")
  return #"{"id":"f-\#(key)","key":"\#(key)","experimentIds":[\#(ids)],"rolloutId":"\#(rollout)","variables":[\#(variables)]}"#
}

/// A rule whose one variation, `on` of its id and `1`, gets everybody below `end`.
func rule(_ id: String, end: Int = 10_000, enabled: Bool = true, values: String = "", _ more: String = "") -> String {
  #"{"id":"\#(id)","key":"key-\#(id)","status":"Running","layerId":"9\#(id)","audienceIds":[],"forcedVariations":{},"#
    + #""variations":[{"id":"\#(id)1","key":"on-\#(id)","featureEnabled":\#(enabled),"variables":[\#(values)]}],"#
    + #""trafficAllocation":[{"entityId":"\#(id)1","endOfRange":\#(end)}]\#(more.isEmpty ? "" : ",")\#(more)}"#
}

func rollout(_ id: String, _ rules: String...) -> String {
  #"{"id":"\#(id)","experiments":[\#(rules.joined(separator: ","))]}"#
}
