import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Asking the prediction server (OPT-94; ready)") struct PredictionServiceTests {
  /// The service, and what it told in order: who asked, and which variation they got.
  private final class Rig {
    let host = TestHost()
    let service: PredictionService
    let told = Locked<[String]>([])

    init(_ properties: [String: String] = [:]) throws {
      service = PredictionService(
        host: host, settings: try PredictionSettings(TestHost.values(properties, table: PredictionSettings.properties)))
    }

    deinit {
      service.stop()
      host.time.run()
    }

    func ask(
      _ name: String, user: String = "u", rule id: String = "1", country: String = "de", _ options: DecideOptions = []
    ) throws {
      let bandit = #""cmab":{"trafficAllocation":10000,"attributeIds":["501"]}"#
      let project = try Project(flags: flag("f", [id]), experiments: rule(id, bandit))
      let context = visitor(user, ["country": .string(Array(country.utf8))])
      let found = try project.decide("f", context, SubjectContent(), .predictions)
      let need = try #require(found.decision.neededPrediction)
      let told = told
      service.predict(PredictionRequest(need, context: found.hold?.frozen, uuid: name), options: options) { prediction in
        let variation = prediction.variationID.map { String(decoding: $0, as: UTF8.self) } ?? "none"
        let uuid = String(decoding: prediction.uuid, as: UTF8.self)
        told.change { $0.append("\(name) \(variation) \(uuid)") }
      }
    }

    /// After what is due now.
    func heard() -> [String] {
      host.time.run()
      return told.value
    }

    func answerNext(_ answer: ScriptedTransport.Answer) {
      host.network.open.first?.complete(answer)
      host.time.run()
    }
  }

  private func choice(_ variation: String) -> ScriptedTransport.Answer {
    answer(200, #"{"predictions":[{"variation_id":"\#(variation)"}]}"#)
  }

  @Test func theQuestionIsPosted() throws {
    let rig = try Rig()
    try rig.ask("A", rule: "7/8")
    _ = rig.heard()
    let request = try #require(rig.host.network.requests.first)
    #expect(request.method == "POST" && request.timeoutMilliseconds == 10_000)
    #expect(request.url == "https://prediction.cmab.optimizely.com/predict/7%2F8")
    #expect(request.headers.value(of: "content-type") == "application/json")
    #expect(request.text.contains(#""cmabUUID":"A""#))
  }

  @Test func theEndpointIsAProperty() throws {
    let rig = try Rig(["cmab.endpoint": "http://127.0.0.1:1/p/%@/x", "cmab.timeout_ms": "50"])
    try rig.ask("A")
    _ = rig.heard()
    #expect(rig.host.network.requests.first?.url == "http://127.0.0.1:1/p/1/x")
    #expect(rig.host.network.requests.first?.timeoutMilliseconds == 50)
    #expect(throws: ConfigurationFailure.self) { try Rig(["cmab.endpoint": "nowhere/%@"]) }
  }

  @Test func whatWasChosenIsKept() throws {
    let rig = try Rig()
    rig.host.network.enqueue(choice("11"), choice("12"))
    try rig.ask("A")
    #expect(rig.heard() == ["A 11 A"])
    try rig.ask("B")
    // Told within the call, under the id of the question that was answered.
    #expect(rig.told.value == ["A 11 A", "B 11 A"])
    rig.host.time.advance(milliseconds: 1_800_000)
    try rig.ask("C")
    #expect(rig.heard().last == "C 12 C")
  }

  @Test func otherAttributesAreAskedAgain() throws {
    let rig = try Rig()
    rig.host.network.enqueue(choice("11"), choice("12"))
    try rig.ask("A")
    _ = rig.heard()
    try rig.ask("B", country: "fr")
    #expect(rig.heard() == ["A 11 A", "B 12 B"])
  }

  @Test func optionsOfTheCacheAreHeeded() throws {
    let rig = try Rig()
    rig.host.network.setResponder { _ in answer(200, #"{"predictions":[{"variation_id":"11"}]}"#) }
    try rig.ask("A")
    try rig.ask("V", user: "v")
    _ = rig.heard()
    try rig.ask("B", .ignoreCMABCache)
    #expect(rig.heard().last == "B 11 B")
    try rig.ask("C")
    #expect(rig.told.value.last == "C 11 A")
    try rig.ask("D", .invalidateUserCMABCache)
    #expect(rig.heard().last == "D 11 D")
    try rig.ask("W", user: "v")
    #expect(rig.told.value.last == "W 11 V")
    try rig.ask("E", .resetCMABCache)
    _ = rig.heard()
    try rig.ask("X", user: "v")
    #expect(rig.heard().last == "X 11 X")
  }

  @Test("(OPT-94; failing)") func afterAFailureItIsAskedOnceMore() throws {
    let rig = try Rig()
    rig.host.network.enqueue(answer(500), choice("11"))
    try rig.ask("A")
    #expect(rig.heard() == [])
    rig.host.time.advance(milliseconds: 99)
    #expect(rig.host.network.requests.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.told.value == ["A 11 A"])
    #expect(rig.host.network.requests[0].text == rig.host.network.requests[1].text)
    rig.host.network.enqueue(noAnswer, noAnswer, choice("12"))
    try rig.ask("B", user: "v")
    rig.host.time.advance(milliseconds: 100)
    #expect(rig.told.value.last == "B none B")
    #expect(rig.host.network.requests.count == 4)
    // A failure is not kept.
    try rig.ask("C", user: "v")
    #expect(rig.heard().last == "C 12 C")
  }

  @Test("(OPT-94; failing)") func aServerThatFailsIsToldOncePerEpisode() throws {
    let rig = try Rig()
    func warnings() -> [String] { rig.host.lines.messages(.warning) }
    rig.host.network.enqueue(answer(500), answer(503))
    try rig.ask("A")
    rig.host.time.advance(milliseconds: 100)
    #expect(warnings().count == 1 && warnings().first?.contains("503") ?? false)
    rig.host.network.enqueue(noAnswer, noAnswer)
    try rig.ask("B")
    rig.host.time.advance(milliseconds: 100)
    #expect(warnings().count == 1)
    rig.host.network.enqueue(choice("11"), noAnswer, noAnswer)
    try rig.ask("C")
    try rig.ask("D", user: "v")
    rig.host.time.advance(milliseconds: 100)
    #expect(warnings().count == 2 && warnings().last?.contains("no answer") ?? false, "\(warnings())")
  }

  @Test("(OPT-94; failing)") func whatCannotBeReadIsNotAskedAgain() throws {
    let rig = try Rig()
    rig.host.network.enqueue(answer(200, #"{"predictions":[{"variation_id":7}]}"#))
    try rig.ask("A")
    rig.host.time.advance(milliseconds: 1_000)
    #expect(rig.told.value == ["A none A"])
    #expect(rig.host.network.requests.count == 1)
  }

  @Test func whoAsksTheSameMeanwhileSharesTheAnswer() throws {
    let rig = try Rig()
    for name in ["A", "B", "C"] { try rig.ask(name) }
    try rig.ask("V", user: "v")
    try rig.ask("R", rule: "2")
    _ = rig.heard()
    #expect(rig.host.network.open.count == 3)
    rig.answerNext(choice("11"))
    #expect(rig.told.value == ["A 11 A", "B 11 A", "C 11 A"])
  }

  @Test("(OPT-94; failing)") func aFailureIsSharedToo() throws {
    let rig = try Rig()
    for name in ["A", "B"] { try rig.ask(name) }
    _ = rig.heard()
    rig.answerNext(answer(200, "?"))
    #expect(rig.told.value == ["A none A", "B none B"])
    #expect(rig.host.network.requests.count == 1)
  }

  @Test func whoAsksOtherwiseWaitsForTheTurn() throws {
    let rig = try Rig()
    try rig.ask("A")
    try rig.ask("B", country: "fr")
    try rig.ask("C", .ignoreCMABCache)
    try rig.ask("D", country: "fr")
    _ = rig.heard()
    #expect(rig.host.network.open.count == 1)
    rig.answerNext(choice("11"))
    #expect(rig.told.value == ["A 11 A"])
    #expect(rig.host.network.open.count == 1)
    rig.answerNext(choice("12"))
    #expect(rig.told.value == ["A 11 A", "B 12 B", "D 12 B"])
    rig.answerNext(choice("13"))
    #expect(rig.told.value.last == "C 13 C")
    #expect(rig.host.network.open.isEmpty)
  }

  @Test("(OPT-94; closing)") func aStopAnswersWhoeverWaits() throws {
    let rig = try Rig()
    for name in ["A", "B"] { try rig.ask(name, .ignoreCMABCache) }
    rig.host.network.enqueue(answer(500))
    try rig.ask("P", user: "v")
    _ = rig.heard()
    rig.service.stop()
    #expect(Set(rig.heard()) == ["A none A", "B none B", "P none P"])
    try rig.ask("C", user: "w")
    #expect(rig.told.value.last == "C none C")
    #expect(rig.host.time.pendingTimerCount == 0)
    rig.service.start()
    rig.host.network.setResponder { [choice] _ in choice("11") }
    try rig.ask("D")
    #expect(rig.heard().last == "D 11 D")
  }

  @Test("(OPT-94; offline)") func offlineNobodyIsAsked() throws {
    let rig = try Rig()
    rig.host.isOnline = false
    try rig.ask("A")
    #expect(rig.told.value == ["A none A"])
    #expect(rig.host.network.requests.isEmpty)
  }

  @Test("(OPT-94; forked)") func aForkedChildLeavesTheParentsQuestionsAlone() throws {
    let rig = try Rig()
    try rig.ask("A")
    _ = rig.heard()
    rig.host.time.simulateFork()
    rig.host.network.setResponder { [choice] _ in choice("11") }
    try rig.ask("B")
    rig.service.abandonAfterFork()
    rig.service.start()
    #expect(rig.heard() == ["B 11 B"])
  }
}
