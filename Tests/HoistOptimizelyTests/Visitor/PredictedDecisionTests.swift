import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Asynchronous decisions ask the prediction server (OPT-60, OPT-94, 4.15; ready)") struct PredictedDecisionTests {
  /// Answers by experiment when the test says so.
  final class Server: Predictor, @unchecked Sendable {
    private let lock = Lock()
    private var open: [(PredictionRequest, @Sendable (SubjectContent.Prediction) -> Void)] = []
    private(set) var asked: [String] = []

    func predict(
      _ request: PredictionRequest, options: DecideOptions, completion: @escaping @Sendable (SubjectContent.Prediction) -> Void
    ) {
      lock.withLock {
        asked.append(String(decoding: request.experimentID, as: UTF8.self))
        open.append((request, completion))
      }
    }

    func answer(_ variations: [String: String]) {
      let waiting = lock.withLock {
        defer { open = [] }
        return open
      }
      for (request, completion) in waiting {
        let variation = variations[String(decoding: request.experimentID, as: UTF8.self)]
        completion(.init(experimentID: request.experimentID, uuid: bytes("UUID"), variationID: variation.map { bytes($0) }))
      }
    }
  }

  final class Told: @unchecked Sendable {
    private let lock = Lock()
    private var kept: [(Status, OwnedDecisions?)] = []
    func add(_ status: Status, _ decisions: OwnedDecisions?) { lock.withLock { kept.append((status, decisions)) } }
    var all: [(status: Status, decisions: OwnedDecisions?)] { lock.withLock { kept } }
  }

  static let bandit = #""cmab":{"trafficAllocation":10000,"attributeIds":[]}"#
  static let datafile = Project.datafile(
    flags: flag("a", ["1", "3"]) + "," + flag("b", ["1"]) + "," + flag("c", ["2"]),
    experiments: rule("1", bandit) + "," + rule("2") + "," + rule("3", bandit))

  let server = Server()
  let rig: UserRig
  let services: VisitorServices
  let user: OptimizelyUser

  init() throws {
    rig = try UserRig(Self.datafile)
    let own = rig.provider.visitors
    services = VisitorServices(
      notifications: own.notifications, profiles: own.profiles, forcedVariations: own.forcedVariations,
      defaultOptions: own.defaultOptions, origin: own.origin, record: own.record, predictor: server,
      onPluginLane: own.onPluginLane, entropy: own.entropy, log: own.log)
    user = OptimizelyUser(client: rig.client, services: services, attributes: visitor())
  }

  @Test("Each experiment is asked once, and the answers decide") func answersDecide() {
    let told = Told()
    #expect(user.decideAsync(keys: nil, []) { told.add($0, $1) } == .ok)
    #expect(server.asked == ["1"] && rig.recorded == 0)
    // Decided for what the user was when the call began.
    user.setForcedDecisionOfAll()
    server.answer(["1": "11"])
    rig.hear()
    #expect(told.all.count == 1 && told.all.first?.status == .ok)
    let decisions = told.all.first?.decisions
    #expect(decisions?.decisions.map(\.key) == ["a", "b", "c"])
    #expect("a".withBytes { decisions?.find($0) }?.variation == "on-1" && rig.recorded == 3)
  }

  @Test("A choice that the experiment does not have lets the next rule ask") func nextRuleAsks() {
    let told = Told()
    _ = user.decideAsync(keys: [bytes("a")], .includeReasons) { told.add($0, $1) }
    server.answer(["1": "gone"])
    #expect(server.asked == ["1", "3"])
    server.answer(["3": "31"])
    rig.hear()
    #expect(told.all.first?.decisions?.decisions.first?.rule == "key-3")
  }

  @Test("A failure makes an error decision of its flag alone (OPT-94; failing)") func failures() {
    let told = Told()
    _ = user.decideAsync(keys: [bytes("a"), bytes("c"), bytes("x")], []) { told.add($0, $1) }
    server.answer([:])
    rig.hear()
    let decisions = told.all.first?.decisions?.decisions ?? []
    #expect(decisions.map(\.variation) == [nil, "on-2", nil] && rig.recorded == 1)
    #expect(decisions.first?.reasonTexts == ["Failed to fetch CMAB data for experiment key-1."])
    #expect(decisions.first?.enabled == false && decisions.first.map { text($0.variables) } == "{}")
  }

  @Test("Whoever waits waits for the limit, and takes what there is") func waiting() {
    let decisions = user.decideAndWait(keys: nil, [], timeoutMilliseconds: 0)
    #expect(decisions.decisions.map(\.variation) == [nil, nil, "on-2"] && rig.recorded == 1)
    server.answer(["1": "11"])
    #expect(rig.recorded == 1, "a late answer changes nothing")
  }

  @Test("A client that closes first tells so, once (G4) (OPT-60, OPT-94; closing)") func closing() {
    let told = Told()
    _ = user.decideAsync(keys: nil, []) { told.add($0, $1) }
    _ = rig.client.close(timeoutMilliseconds: 0)
    server.answer(["1": "11"])
    #expect(told.all.count == 1 && told.all.first?.status == .cancelled && told.all.first?.decisions == nil)
  }

  @Test("A synchronous call passes by the rule and says so") func synchronousCalls() {
    let decision = user.decide("a", .includeReasons)
    #expect(decision.variation == nil && server.asked.isEmpty)
    #expect(decision.reasonTexts.contains(#"Experiment "key-1" asks the service, which a synchronous call does not."#))
  }
}

extension OptimizelyUser {
  fileprivate func setForcedDecisionOfAll() {
    for key in ["a", "b", "c"] { _ = setForcedDecision(bytes(key), nil, bytes("on-2")) }
  }
}
