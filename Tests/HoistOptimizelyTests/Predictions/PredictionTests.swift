import HoistBase
import HoistCore
import HoistOptimizely
import HoistTestSupport
import Testing

@Suite("Contextual bandits ask a server (OPT-94; no client)") struct PredictionTests {
  private let bandit = rule("1", #""cmab":{"trafficAllocation":10000,"attributeIds":["501","gone"]}"#)

  private func project() throws -> Project {
    try Project(flags: flag("f", ["1", "2"]), experiments: bandit + "," + rule("2"))
  }

  private func answered(_ variation: String?) -> SubjectContent {
    var content = SubjectContent()
    content.predictions = [
      .init(experimentID: Array("1".utf8), uuid: Array("UUID".utf8), variationID: variation.map { Array($0.utf8) })
    ]
    return content
  }

  @Test func aSynchronousCallPassesBy() throws {
    let answer = try project().decide("f")
    #expect(answer.rule == "key-2")
    #expect(answer.codes.contains(.cmabNotSupportedInSyncMode))
  }

  @Test func whatIsNeededIsSaid() throws {
    let context = visitor("u1", ["country": .string(Array("de".utf8)), "other": .int(1)])
    let answer = try project().decide("f", context, SubjectContent(), .predictions)
    let need = try #require(answer.decision.neededPrediction)
    let request = PredictionRequest(need, context: answer.hold?.frozen, uuid: "X")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"instances":[{"visitorId":"u1","experimentId":"1","attributes":[{"id":"501","value":"de","type":"custom_attribute"}],"cmabUUID":"X"}]}"#
    )
    #expect(request.url() == "https://prediction.cmab.optimizely.com/predict/1")
    #expect(request.url(endpoint: "http://h/%@/x") == "http://h/1/x")
    #expect(answer.impressions.isEmpty)
  }

  @Test func theAnswerDecides() throws {
    let answer = try project().decide("f", visitor(), answered("11"), .predictions)
    #expect(answer.variation == "on-1")
    #expect(answer.decision.newAssignment == nil)
    #expect(answer.impressions.first?.contains(#""cmab_uuid":"UUID""#) ?? false)
    #expect(try project().decide("f", visitor(), answered("gone"), .predictions).rule == "key-2")
  }

  @Test func aFailureIsAnErrorDecision() throws {
    let answer = try project().decide("f", visitor(), answered(nil), .predictions)
    #expect(answer.decision.isError)
    #expect(answer.variation == nil && answer.rule == nil && answer.variables == "{}")
    #expect(answer.codes == [.cmabFetchFailed])
    #expect(answer.impressions.isEmpty)
    #expect(DecisionNotice.flag(answer.decision, reasons: []) == nil)
  }

  @Test func answersOfTheServerAreRead() {
    func answer(_ status: Int?, _ body: String) -> PredictionAnswer { PredictionAnswer(status: status, body: Array(body.utf8)) }
    #expect(answer(200, #"{"predictions":[{"variation_id":"7"}]}"#) == .variation([0x37]))
    #expect(answer(200, #"{"predictions":[{"variation_id":7}]}"#) == .invalid)
    #expect(answer(200, "") == .invalid)
    #expect(answer(500, "") == .failed)
    #expect(answer(nil, "") == .failed)
  }

  @Test func choicesAreKeptForTheSameAttributes() throws {
    func request(_ country: String) throws -> PredictionRequest {
      let context = visitor("u1", ["country": .string(Array(country.utf8))])
      let answer = try project().decide("f", context, SubjectContent(), .predictions)
      return PredictionRequest(try #require(answer.decision.neededPrediction), context: answer.hold?.frozen, uuid: "X")
    }
    var cache = PredictionCache()
    let choice = PredictionCache.Choice(variationID: [1], uuid: "X")
    try cache.keep(choice, for: request("de"), options: [], at: 0)
    #expect(try cache.choice(for: request("de"), options: [], at: 1_799_999) == choice)
    #expect(try cache.choice(for: request("de"), options: .ignoreCMABCache, at: 1) == nil)
    #expect(try cache.choice(for: request("de"), options: [], at: 1_800_000) == nil)
    try cache.keep(choice, for: request("de"), options: [], at: 0)
    #expect(try cache.choice(for: request("fr"), options: [], at: 1) == nil)
    #expect(try cache.choice(for: request("de"), options: [], at: 1) == nil)
    try cache.keep(choice, for: request("de"), options: [], at: 0)
    #expect(try cache.choice(for: request("de"), options: .invalidateUserCMABCache, at: 1) == nil)
  }
}
