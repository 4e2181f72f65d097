import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon
import HoistRegex
import HoistTestSupport

/// Plays the steps of one case: one client, a visitor for each code, a clock that the steps turn, a network that answers as
/// the step says.
final class KameleoonCase: @unchecked Sendable {
  /// Carries out a step.
  typealias Operation = @Sendable (KameleoonCase, JSONValue) -> StepOutcome

  /// Each concern has its own table.
  static let operations: [String: Operation] = [
    visitorOperations, trackingOperations, remoteOperations, flagOperations, fetchOperations,
  ].reduce(into: [:]) { all, table in all.merge(table) { $1 } }

  /// What the services answer now.
  struct Answers: Sendable {
    /// By attempt; the last one holds on.
    var statuses: [Int] = []
    /// To requests for data.
    var response: [UInt8] = []
    /// To requests for the configuration.
    var configuration = answer(304)
    /// Of the token endpoint: status and body.
    var token: (status: Int, body: [UInt8]) = (500, [])
  }

  let site: String
  let scheduler: ManualScheduler
  let transport: ScriptedTransport
  let client: Client
  let face: KameleoonFace
  let answers = Locked(Answers())
  var nonces = NonceLabels()
  private var visitors: [String: KameleoonVisitor] = [:]

  /// - Parameters:
  ///   - site: code of the site.
  ///   - configuration: JSON; nil: the client is offline, and a step has it fetch.
  ///   - clock: milliseconds of Unix time.
  ///   - codes: who exists from the beginning.
  ///   - more: properties over the standard ones.
  init?(
    site: String, configuration: [UInt8]?, clock: Int64, isStrict: Bool, codes: [String], properties more: [String: String] = [:]
  ) {
    self.site = site
    let scheduler = ManualScheduler(unixMilliseconds: clock)
    self.scheduler = scheduler
    let answers = answers
    transport = ScriptedTransport(scheduler: scheduler) { request in
      if request.url.contains("/v3/") { return answers.value.configuration }
      return answers.value.take(for: request.url, answers)
    }
    let transport = transport
    let pauseless = PauselessScheduler(scheduler)
    let services = ClientServices(
      scheduler: pauseless, clock: pauseless, entropy: SeededEntropy(seed: 7), regex: PCRE2RegexEngine(),
      makeTransport: { _ in transport }, makeCacheManager: { _ in nil }, defaultLogSink: RecordingLogSink())
    let factory = KameleoonFactory()
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    var properties = [
      "site_code": site, "dispatch": "manual", "store": "none", "log.level": "none", "events.durability": "memory",
      "strict_vendor": isStrict ? "true" : "false", "client_id": "cid", "client_secret": "csecret",
    ]
    if let configuration {
      properties["default_datafile"] = String(decoding: configuration, as: UTF8.self)
    } else {
      properties["online"] = "false"
    }
    for (name, value) in properties.merging(more, uniquingKeysWith: { $1 }) { _ = try? values.set(name, value) }
    guard let client = try? Client(factory: factory, values: values, plugins: Plugins(), services: services),
      let face = KameleoonFace(client)
    else { return nil }
    self.client = client
    self.face = face
    client.open()
    settle()
    for code in codes { visitors[code] = try? face.visitor(Array(code.utf8), waits: false) }
    settle()
  }

  deinit {
    client.dispose()
    // The last work is done on the scheduler's thread: without it the client stays for ever.
    scheduler.run()
  }

  /// The site that a case is of, or else its file: as they name it, or as the addresses that are expected have it.
  static func site(of test: JSONValue, in root: JSONValue) -> String {
    let named = test["siteCode"]?.string ?? test["input"]?["siteCode"]?.string ?? root["siteCode"]?.string
    return named ?? siteInAddress(of: test) ?? "site"
  }

  private static func siteInAddress(of test: JSONValue) -> String? {
    let parts = String(decoding: test.source, as: UTF8.self).split(separator: "siteCode=", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return String(parts[1].prefix { $0 != "&" && $0 != "\"" })
  }

  /// Carries out what is due.
  func settle() {
    for _ in 0..<10 {
      scheduler.run()
      _ = client.dispatch(limit: 1000)
    }
  }

  /// The visitor that a step speaks of.
  func visitor(_ step: JSONValue) throws(Status) -> KameleoonVisitor {
    let code = step["visitorCode"]?.string ?? ""
    if let known = visitors[code] { return known }
    return try face.visitor(Array(code.utf8), waits: false)
  }

  /// Runs `body` with the step's visitor, and says why there is none.
  func withVisitor(_ step: JSONValue, _ body: (KameleoonVisitor) -> StepOutcome) -> StepOutcome {
    do throws(Status) { return body(try visitor(step)) } catch { return StepOutcome(error: error) }
  }

  /// Takes over what the step says of the services.
  func listen(to step: JSONValue) {
    var answers = Answers()
    if let statuses = step["statuses"]?.array { answers.statuses = statuses.map { Int($0.int64 ?? 200) } }
    if let status = step["status"]?.int64 { answers.statuses = [Int(status)] }
    answers.response = step["response"]?.source ?? []
    if let token = step["tokenResponse"] { answers.token = (200, token.source) }
    self.answers.value = answers
  }

  /// The requests since then that a step tells of: neither the configuration's nor, unless it says so, the tokens'.
  func requests(since first: Int, _ step: JSONValue) -> [HTTPRequest] {
    let showsTokens = step["showTokenRequests"]?.bool ?? false
    return transport.requests.dropFirst(first).filter { request in
      !request.url.contains("/v3/") && (showsTokens || !request.url.contains("/oauth/"))
    }
  }
}

extension KameleoonCase.Answers {
  fileprivate func take(for url: String, _ kept: Locked<KameleoonCase.Answers>) -> ScriptedTransport.Answer {
    if url.contains("/oauth/") { return .success(HTTPResponse(status: token.status, body: token.body)) }
    let status = statuses.first ?? 200
    if statuses.count > 1 { kept.change { _ = $0.statuses.removeFirst() } }
    return status == 0 ? noAnswer : .success(HTTPResponse(status: status, body: response))
  }
}

/// What came of a step.
struct StepOutcome {
  /// In the vectors' words; nil for none.
  var error: String?
  /// JSON texts, by the names of `expect`.
  var members: [String: [UInt8]] = [:]
  /// nil where the step sends nothing.
  var requests: [HTTPRequest]?

  init() {}

  init(_ name: String, _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    write(&writer)
    members[name] = writer.bytes
  }

  init(error status: Status) { if status != .ok { error = Self.names[status.rawValue] ?? "status \(status.rawValue)" } }

  private static let names: [Int32: String] = [
    Status.kameleoonSDKNotReady.rawValue: "SDKNotReady",
    Status.kameleoonVisitorCodeInvalid.rawValue: "VisitorCodeInvalid",
    Status.kameleoonFeatureNotFound.rawValue: "FeatureNotFound",
    Status.kameleoonFeatureEnvironmentDisabled.rawValue: "FeatureEnvironmentDisabled",
    Status.kameleoonFeatureEvaluationBlocked.rawValue: "FeatureEnvironmentDisabled",
    Status.kameleoonFeatureVariationNotFound.rawValue: "FeatureVariationNotFound",
    Status.kameleoonFeatureVariableNotFound.rawValue: "FeatureVariableNotFound",
    Status.kameleoonFeatureExperimentNotFound.rawValue: "FeatureExperimentNotFound",
  ]
}
