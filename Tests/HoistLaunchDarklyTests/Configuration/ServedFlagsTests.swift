import HoistBase
import HoistCore
@testable import HoistLaunchDarkly
import HoistTestSupport
import Testing

@Suite("A client serves what the service has sent") struct ServedFlagsTests {
  private func detail(_ fixture: LifeFixture, _ key: String, _ want: WantedType = .any, _ context: EvaluationContext? = nil)
    -> EvaluationDetail
  {
    key.withBytes { fixture.client.evaluate($0, context?.subject, want, [.counted, .detailed]) { _, detail in detail() } }
  }

  private func put(_ fixture: LifeFixture, _ text: String) -> FlagOutcome? {
    fixture.provider.took(.put(Array(text.utf8), entityTag: nil))
  }

  private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  @Test("Flags, and all of them, from the start to the close (LD-25; before start, offline, closed)")
  func fromStartToClose() throws {
    let fixture = try LifeFixture(["autostart": "false", "online": "false"]).opened()
    #expect(fixture.face.allFlags == nil)
    #expect(DetailReason.errorKind(detail(fixture, "f")).map { "\($0)" } == "CLIENT_NOT_READY")
    fixture.provider.startAll(waitMilliseconds: -1, done: fixture.tell("start"))
    #expect(fixture.heard() == ["start 0"])
    #expect(text(fixture.face.allFlags) == "{}")
    #expect(text(DetailReason.json(detail(fixture, "f"))) == #"{"kind":"ERROR","errorKind":"FLAG_NOT_FOUND"}"#)
    #expect(put(fixture, #"{"f":{"value":7,"variation":2,"reason":{"kind":"OFF"}},"n":{"value":null}}"#) == .applied)
    #expect(text(fixture.face.allFlags) == #"{"f":7,"n":null}"#)
    let told = detail(fixture, "f", .int)
    #expect(told.value.string == "7" && told.variation.string == "2" && told.reason == .disabled)
    #expect(text(DetailReason.json(told)) == #"{"kind":"OFF"}"# && DetailReason.variationIndex(told) == 2)
    let wrong = detail(fixture, "f", .bool)
    #expect(text(DetailReason.json(wrong)) == #"{"kind":"ERROR","errorKind":"WRONG_TYPE"}"#)
    #expect(DetailReason.variationIndex(wrong) == nil)
    #expect(put(fixture, "{") != .applied)
    #expect(text(fixture.face.allFlags) == #"{"f":7,"n":null}"#)
    fixture.close()
    #expect(fixture.face.allFlags == nil)
    #expect(DetailReason.errorKind(detail(fixture, "f")).map { "\($0)" } == "CLIENT_NOT_READY")
  }

  @Test func anotherContextGetsNobodyElsesFlags() throws {
    let fixture = try LifeFixture(["online": "false"]).opened()
    _ = put(fixture, #"{"f":{"value":true}}"#)
    let other = EvaluationContext(targetingKey: "other")
    #expect(detail(fixture, "f", .bool, other).errorCode == .invalidContext)
    _ = fixture.client.identify(other.reference(), completion: nil)
    fixture.time.run()
    #expect(text(fixture.face.allFlags) == "{}")
    _ = put(fixture, #"{"f":{"value":false}}"#)
    #expect(detail(fixture, "f", .bool, other).value.string == "false" && detail(fixture, "f", .bool).value.string == "false")
  }

  @Test("Values of a type of the caller's own are converted by the caller (LD-60, LD-61; offline)")
  func decoding() throws {
    let fixture = try LifeFixture(["online": "false"]).opened()
    _ = put(fixture, #"{"o":{"value":{"size":3},"variation":1},"b":{"value":true},"n":{"value":null}}"#)
    var seen: [String] = []
    func decode(_ key: String, _ accepts: Bool) -> (Bool, String) {
      key.withBytes { key in
        let result = fixture.face.common.decode(key, fallback: EvaluationFallback(), isDetailed: true) { value in
          seen.append(String(decoding: value, as: UTF8.self))
          return accepts
        }
        return (result.isConverted, DetailReason.errorKind(result.detail).map { "\($0)" } ?? "")
      }
    }
    #expect(decode("o", true) == (true, ""))
    #expect(decode("o", false) == (false, "WRONG_TYPE"))
    #expect(decode("b", false) == (false, "WRONG_TYPE"))
    #expect(decode("n", true) == (false, ""))
    #expect(decode("x", true) == (false, "FLAG_NOT_FOUND"))
    #expect(seen == [#"{"size":3}"#, #"{"size":3}"#, "true"])
  }

  @Test func explanationsTellTheServicesAnswer() throws {
    let fixture = try LifeFixture(["online": "false"]).opened()
    _ = put(fixture, #"{"f":{"value":1,"version":4,"prerequisites":["p"]}}"#)
    let told = "f".withBytes { fixture.client.evaluate($0, nil, .any, .explained) { _, detail in detail().explanation.string } }
    #expect(told == #"{"evaluatedBy":"service","answer":"the value","value":1,"prerequisites":["p"],"version":4}"#)
  }
}
