import HoistBase
import HoistCore
import HoistJSON
import HoistOptimizely

/// Decisions of a contextual bandit, with a server that answers by a script.
func runPredictions(_ root: JSONValue, _ report: Report) {
  var skipped = 0
  forEachCase(root) { id, test in
    guard let datafile = test["datafile"], let project = try? Project(datafile.source) else {
      return report.fail(id, expected: "a datafile that is taken", actual: "one that is refused")
    }
    var cache = PredictionCache()
    for (index, step) in (test["steps"]?.array?.map { $0 } ?? []).enumerated() {
      var session = PredictionSession(project: project, step: step)
      let answer = session.decide(&cache)
      if step["divergence"] != nil {
        skipped += 1
        continue
      }
      report.check(
        "\(id).\(index)", expected: "\(step["expect"]?.canonicalText ?? "-") \(step["expectRequests"]?.canonicalText ?? "-")",
        actual: "\(answer) \(session.requests)")
      report.check(
        "\(id).\(index) events", expected: expectedPosts(step["expectEvents"]), actual: actualPosts(session.events))
      report.check(
        "\(id).\(index) profile", expected: step["expectProfileSaved"]?.canonicalText ?? "-",
        actual: session.isRemembered ? "remembered" : "[]")
    }
  }
  if skipped > 0 { report.skip(skipped, reason: "steps in which the vendor's kits differ") }
}

private struct PredictionSession {
  let project: Project
  let step: JSONValue
  var asked: [PredictionRequest] = []
  var events: [UserEvent] = []
  var isRemembered = false

  init(project: Project, step: JSONValue) {
    self.project = project
    self.step = step
  }

  mutating func decide(_ cache: inout PredictionCache) -> String {
    guard let flag = project.flags.first else { return "no flag" }
    let visitor = Visitor(step["userId"]?.string ?? "", step["attributes"])
    let options = decideOptions(step["options"]).union(.predictions)
    var content = SubjectContent()
    var subject = OptimizelySubject(content)
    var decision = OptimizelyFlags.decide(flag, in: project.snapshot, context: visitor.frozen, subject: subject, options: options)
    while let need = decision.neededPrediction, content.predictions.count < 4 {
      let request = PredictionRequest(need, context: visitor.frozen, uuid: "<CMAB_UUID>")
      content.predictions.append(predict(request, &cache, options))
      subject = OptimizelySubject(content)
      decision = OptimizelyFlags.decide(flag, in: project.snapshot, context: visitor.frozen, subject: subject, options: options)
    }
    isRemembered = decision.newAssignment != nil
    events = OptimizelyImpressions.events(of: decision, context: visitor.frozen, client: vectorClient, stamp: vectorStamp)
    return canonical(text: without("reasons", decision.json(reasons: [])))
  }

  private mutating func predict(
    _ request: PredictionRequest, _ cache: inout PredictionCache, _ options: DecideOptions
  ) -> SubjectContent.Prediction {
    var choice = cache.choice(for: request, options: options, at: 0)
    let script = step["serverScript"]?.array?.map { $0 } ?? []
    var attempt = 0
    while choice == nil, attempt < 2 {
      asked.append(request)
      let answer = attempt < script.count ? script[attempt].array : nil
      attempt += 1
      switch PredictionAnswer(
        status: answer?.element(at: 0)?.int64.map { Int($0) }, body: answer?.element(at: 1)?.source ?? [])
      {
      case .variation(let id):
        choice = PredictionCache.Choice(variationID: id, uuid: request.uuid)
        if let choice { cache.keep(choice, for: request, options: options, at: 0) }
      case .failed: continue
      case .invalid: attempt = 2
      }
    }
    return SubjectContent.Prediction(
      experimentID: request.experimentID, uuid: Array(request.uuid.utf8), variationID: choice?.variationID)
  }

  var requests: String {
    canonical { writer in
      writer.array { writer in
        for request in asked {
          writer.object { writer in
            writer.member("url", request.url())
            writer.key("headers")
            writer.object { $0.member("Content-Type", "application/json") }
            writer.key("body")
            writer.raw(request.body)
            writer.key("timeout")
            writer.int(10)
          }
        }
      }
    }
  }
}

/// Requests, answers, events and the cache of the data platform.
func runDataPlatform(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    switch test["kind"]?.string {
    case "segments": runSegments(id, test, report)
    case "event": runPlatformEvent(id, test, report)
    case "eventRetry":
      let status = test["status"]?.int64.map { Int($0) }
      report.check(
        id, expected: test["expectRetry"]?.canonicalText ?? "-",
        actual: "\(PlatformEvent.outcome(ofStatus: status) == .retry)")
    default: runCache(id, test, report)
    }
  }
}

private func runSegments(_ id: String, _ test: JSONValue, _ report: Report) {
  let query = SegmentsQuery(
    host: "https://odp.example", apiKey: "PUBLIC-KEY", userID: bytes(test["userValue"]),
    segments: test["segmentsToCheck"]?.array?.map { bytes($0) } ?? [])
  report.check(
    "\(id) request", expected: test["expectRequest"]?.canonicalText ?? "-",
    actual: canonical { writer in
      writer.object { writer in
        writer.member("method", "POST")
        writer.member("url", query.url)
        writer.key("headers")
        writer.object { writer in for header in query.headers { writer.member(header.name, header.value) } }
        writer.key("body")
        writer.raw(query.body)
      }
    })
  let response = test["response"]
  let body = response?.string.map { Array($0.utf8) } ?? response?.source ?? []
  let answer = SegmentsAnswer(status: test["status"]?.int64.map { Int($0) }, body: body)
  var segments = "null"
  if case .segments(let names) = answer {
    segments = canonical { writer in
      writer.array { writer in for name in names { writer.string(String(decoding: name, as: UTF8.self)) } }
    }
  }
  report.check("\(id) segments", expected: test["expectSegments"]?.canonicalText ?? "null", actual: segments)
  let isFailure = !(test["expectFailure"]?.isNull ?? true)
  report.check("\(id) failure", expected: "\(isFailure)", actual: "\(segments == "null")")
}

private func runPlatformEvent(_ id: String, _ test: JSONValue, _ report: Report) {
  let identifiers = members(test["identifiers"]).map { (name: $0.key.string, value: $0.value.string ?? "") }
  let data = members(test["data"]).map { (name: $0.key.string, value: platformValue($0.value)) }
  let event = try? PlatformEvent(
    type: test["type"]?.string, action: test["action"]?.string ?? "", identifiers: identifiers, data: data,
    sender: PlatformEvent.Sender(name: "<CLIENT_NAME>", version: "<CLIENT_VERSION>"), idempotenceID: "<UUID>")
  report.check(id, expected: test["expectEvent"]?.canonicalText ?? "-", actual: canonical(text: event?.json ?? []))
}

private func platformValue(_ value: JSONValue) -> PlatformEvent.Value {
  if let truth = value.bool { return .bool(truth) }
  if let whole = value.int64 { return .int(whole) }
  if let number = value.double { return .double(number) }
  return value.string.map { .string($0) } ?? .null
}

private func runCache(_ id: String, _ test: JSONValue, _ report: Report) {
  var cache = ExpiringCache<String, Int64>(
    capacity: Int(test["size"]?.int64 ?? 0), lifetime: (test["timeoutSecs"]?.int64 ?? 0))
  var now: Int64 = 0
  for (index, step) in (test["ops"]?.array?.map { $0.array } ?? []).enumerated() {
    let key = step?.element(at: 1)?.string ?? ""
    let expected = step?.element(at: 2)?.canonicalText ?? "null"
    switch step?.element(at: 0)?.string {
    case "advance": now += step?.element(at: 1)?.int64 ?? 0
    case "save": cache.save(key, step?.element(at: 2)?.int64 ?? 0, at: now)
    case "reset": cache.removeAll()
    case "peek": report.check("\(id).\(index)", expected: expected, actual: cache.peek(key).map { "\($0)" } ?? "null")
    default:
      report.check("\(id).\(index)", expected: expected, actual: cache.lookUp(key, at: now).map { "\($0)" } ?? "null")
    }
  }
}
