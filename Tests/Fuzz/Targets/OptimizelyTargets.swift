import HoistBase
import HoistCore
import HoistOptimizely

/// Every flag of a datafile that compiles is decided, the same way twice, and what is said of it is whole.
func checkDatafile(_ bytes: ByteView) -> String? {
  guard let snapshot = try? OptimizelyDatafile.compile(bytes) else { return nil }
  defer { snapshot.destroy() }
  _ = SegmentsSettings(snapshot)
  _ = try? OptimizelyConfigText.json(ofDatafile: Array(bytes))
  guard let subject = OptimizelySubject(content) else { return nil }
  for index in 0..<min(snapshot.flagCount, 64) {
    let record = snapshot.record(at: index)
    for context in visitors {
      guard let held = context.reference() else { continue }
      if let problem = check(record, in: snapshot, held, subject) { return "flag \(index): \(problem)" }
    }
  }
  return nil
}

private func check(
  _ record: UnsafeRawPointer, in snapshot: Snapshot, _ context: ContextReference, _ subject: OptimizelySubject
) -> String? {
  let options: DecideOptions = [.includeReasons, .predictions]
  let (first, _) = OptimizelyFlags.explain(record, in: snapshot, context: context.frozen, subject: subject, options: options)
  let (second, _) = OptimizelyFlags.explain(record, in: snapshot, context: context.frozen, subject: subject, options: options)
  guard Texts(first) == Texts(second) else { return "decided otherwise the second time" }
  if let need = first.neededPrediction {
    let request = PredictionRequest(need, context: context.frozen, uuid: "uuid")
    guard PredictionAnswer(status: 200, body: request.body) == .invalid else { return "a question reads as an answer" }
  }
  return nil
}

/// What a decision says, apart from the memory it is in.
private struct Texts: Equatable {
  let variation: [UInt8]?
  let rule: [UInt8]?
  let variables: [UInt8]
  let enabled: Bool

  init(_ decision: OptimizelyDecision) {
    variation = decision.variationKey.map { Array($0) }
    rule = decision.ruleKey.map { Array($0) }
    variables = Array(decision.variables)
    enabled = decision.enabled
  }
}

/// An answer is read the same way twice; names are text; a status alone decides where it is no success.
func checkSegments(_ bytes: ByteView) -> String? {
  let body = Array(bytes)
  let answer = SegmentsAnswer(status: 200, body: body)
  guard answer == SegmentsAnswer(status: 200, body: body) else { return "read otherwise the second time" }
  if case .segments(let names) = answer, !names.allSatisfy({ UTF8Text.isValid($0) }) { return "a segment is not UTF-8" }
  guard SegmentsAnswer(status: 503, body: body) == .failed("503") else { return "a refusal is read" }
  return SegmentsAnswer(status: nil, body: body) == .failed("network error") ? nil : "no answer is read"
}

/// The same for the prediction server.
func checkPrediction(_ bytes: ByteView) -> String? {
  let body = Array(bytes)
  let answer = PredictionAnswer(status: 200, body: body)
  guard answer == PredictionAnswer(status: 200, body: body) else { return "read otherwise the second time" }
  if case .variation(let id) = answer, !UTF8Text.isValid(id) { return "a variation's id is not UTF-8" }
  if answer == .failed { return "an answer counts as none" }
  return PredictionAnswer(status: 500, body: body) == .failed ? nil : "a refusal is read"
}

private let visitors: [EvaluationContext] = [
  EvaluationContext(targetingKey: Array("u1".utf8)),
  EvaluationContext(
    targetingKey: Array("user-729692".utf8),
    attributes: [
      Attribute(name: Array("country".utf8), value: .string(Array("de".utf8))),
      Attribute(name: Array("age".utf8), value: .int(30)),
      Attribute(name: Array("version".utf8), value: .string(Array("3.7.1-beta".utf8))),
      Attribute(name: Array("member".utf8), value: .bool(true)),
    ]),
]

private let content: SubjectContent = {
  var content = SubjectContent()
  content.forcedDecisions = [.init(flagKey: Array("shop".utf8), ruleKey: nil, variationKey: Array("on".utf8))]
  content.assignments = [.init(experimentID: Array("1".utf8), variationID: Array("11".utf8))]
  content.segments = [Array("newsletter".utf8)]
  return content
}()
