import HoistOptimizely
import HoistTestSupport
import Testing

@Suite("The data platform's requests and answers (OPT-67, OPT-68; no client)") struct SegmentsTests {
  @Test func vuidsAreAskedForAsSuch() {
    let query = SegmentsQuery(host: "https://h", apiKey: "k", userID: Array("vuid_1".utf8), segments: [])
    #expect(String(decoding: query.body, as: UTF8.self).contains("customer(vuid: $userId)"))
    #expect(query.url == "https://h/v3/graphql")
  }

  @Test func failuresSayWhy() {
    func answer(_ status: Int?, _ body: String) -> SegmentsAnswer { SegmentsAnswer(status: status, body: Array(body.utf8)) }
    #expect(answer(nil, "") == .failed("network error"))
    #expect(answer(403, "") == .failed("403"))
    #expect(answer(200, "x") == .failed("decode error"))
    #expect(answer(200, #"{"errors":[{"extensions":{"classification":"X"}}]}"#) == .failed("X"))
    let unknown = #"{"errors":[{"extensions":{"classification":"X","code":"INVALID_IDENTIFIER_EXCEPTION"}}]}"#
    #expect(answer(200, unknown) == .invalidIdentifier)
  }

  @Test func eventsNeedAnAction() {
    #expect(throws: PlatformEvent.Refusal.invalidAction) {
      try PlatformEvent(
        type: nil, action: "", identifiers: [], data: [], sender: PlatformEvent.Sender(name: "n", version: "v"),
        idempotenceID: "I")
    }
  }

  @Test func anEventTellsOfItsDeviceWhereItIsKnown() throws {
    let event = try PlatformEvent(
      type: "", action: "a", identifiers: [("Fs-User-Id", "u"), ("vuid", "v")], data: [("n", .int(1))],
      sender: PlatformEvent.Sender(name: "hoist", version: "1", device: [("os", "Linux")]), idempotenceID: "I")
    #expect(
      String(decoding: event.json, as: UTF8.self)
        == #"{"type":"fullstack","action":"a","identifiers":{"fs_user_id":"u","vuid":"v"},"data":{"idempotence_id":"I","#
        + #""data_source_type":"sdk","data_source":"hoist","data_source_version":"1","os":"Linux","n":1}}"#)
    #expect(PlatformEvent.outcome(ofStatus: 204) == .delivered)
    #expect(PlatformEvent.outcome(ofStatus: 400) == .refused)
    #expect(PlatformEvent.outcome(ofStatus: nil) == .retry)
  }
}
