import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

/// The product's own scenario: somebody who is not known yet gets a variation, logs in, and is one visitor from then on.
@Suite("One visitor before and after login (KAM-67, KAM-68, KAM-69; ready)")
struct SessionMergingTests {
  private static let flag = bytes("ff123")
  private static let configuration = """
    {"customData":[{"id":1,"index":4,"scope":"VISITOR"},{"id":2,"index":91,"scope":"VISITOR","isMappingIdentifier":true}],
     "featureFlags":[{"id":1,"featureKey":"ff123","defaultVariationKey":"off","environmentEnabled":true,
      "variations":[{"key":"a","name":"A"},{"key":"b","name":"B"},{"key":"c","name":"C"},{"key":"off","name":"Off"}],
      "rules":[{"id":10,"type":"EXPERIMENTATION","exposition":1,"experimentId":100,"variationByExposition":[
       {"variationKey":"a","variationId":11,"exposition":0.34},{"variationKey":"b","variationId":12,"exposition":0.33},
       {"variationKey":"c","variationId":13,"exposition":0.34}]}]}]}
    """

  private func rig(respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil) throws -> KameleoonRig {
    try KameleoonRig(configuration: Self.configuration) { request in
      respond?(request) ?? (request.url.contains("/v3/") ? answer(304) : answer(200))
    }
  }

  private func variation(_ visitor: KameleoonVisitor, isTracked: Bool = true) throws -> String {
    let (found, status) = Self.flag.withUnsafeBytes { visitor.variation($0, isTracked: isTracked) }
    #expect(status == .ok)
    let variation = try #require(found)
    defer { variation.release() }
    return text(variation.key)
  }

  /// Lines of tracking requests since the last look, as their parameters.
  private func sent(_ rig: KameleoonRig, after first: Int = 0) -> [[String: String]] {
    rig.transport.requests.dropFirst(first).filter { $0.url.contains("/visit/events") }
      .flatMap { $0.text.split(separator: "\n") }
      .map { line in
        line.split(separator: "&").reduce(into: [:]) { fields, pair in
          let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          fields[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
      }
  }

  private func login(_ anonymous: KameleoonVisitor, as user: String, _ rig: KameleoonRig) throws -> KameleoonVisitor {
    #expect(anonymous.add([.customData(CustomData(index: 91, values: [bytes(user)]))]) == .ok)
    #expect(anonymous.flush(isInstant: true) == .ok)
    rig.scheduler.run()
    let visitor = try rig.visitor(user)
    #expect(visitor.add([.uniqueIdentifier(true)]) == .ok)
    return visitor
  }

  @Test("The variation stays, whatever the codes are; without the link it would not")
  func sameVariation() throws {
    let rig = try rig()
    var others = 0
    for number in 0..<30 {
      let anonymous = try rig.visitor("anonymous-\(number)")
      let before = try variation(anonymous)
      if try variation(rig.visitor("nobody-\(number)")) != before { others += 1 }
      let user = try login(anonymous, as: "user-\(number)", rig)
      #expect(try variation(user) == before)
      #expect(try variation(anonymous) == before)
    }
    #expect(others > 5)
  }

  @Test("Both are told of as one visitor: the link first, then the user under the identifier")
  func trackedAsOne() throws {
    let rig = try rig()
    let anonymous = try rig.visitor("anonymous")
    _ = try variation(anonymous)
    let user = try login(anonymous, as: "user", rig)
    let before = sent(rig)
    #expect(before.allSatisfy { $0["visitorCode"] == "anonymous" && $0["mappingValue"] == nil })
    let link = try #require(before.first { $0["mappingIdentifier"] == "true" })
    #expect(link["index"] == "91")
    #expect(link["valuesCountMap"] == "%7B%22user%22%3A1%7D")
    #expect(before.contains { $0["eventType"] == "experiment" && $0["id"] == "100" })

    let first = rig.transport.requests.count
    _ = try variation(user)
    #expect(user.trackConversion(Conversion(goalID: 123, revenue: 10)) == .ok)
    rig.scheduler.advance(milliseconds: 2_000)
    let after = sent(rig, after: first)
    let conversions = after.filter { $0["eventType"] == "conversion" }
    #expect(conversions.map { $0["goalId"] } == ["123"])
    #expect(conversions.compactMap { $0["revenue"] }.compactMap { Double($0) } == [10])
    let ofUser = after.filter { $0["visitorCode"] != "anonymous" }
    #expect(!ofUser.isEmpty)
    #expect(ofUser.allSatisfy { $0["mappingValue"] == "user" && $0["visitorCode"] == nil })
  }

  @Test("What is fetched for the one is there for the other, and its code is what the service answers by (KAM-66, KAM-68; ready)")
  func sharedRemoteData() throws {
    let rig = try rig { request in
      guard request.url.contains("/visit/visitor") else { return nil }
      return answer(
        200, #"{"currentVisit":{"visitorCode":"earlier","customDataEvents":[{"data":{"index":4,"valuesCountMap":{"gold":1}}}]}}"#)
    }
    let anonymous = try rig.visitor("anonymous")
    let before = try variation(anonymous)
    let user = try login(anonymous, as: "user", rig)
    let told = Locked<Status?>(nil)
    #expect(user.ask(.visitorData(RemoteVisitorDataFilter(), adds: true)) { told.value = $0.status } == .ok)
    rig.settle { told.value != nil }
    #expect(told.value == .ok)
    #expect(rig.transport.requests.contains { $0.url.contains("&mappingValue=user&") })
    #expect(anonymous.facts.customData.map(\.index) == [91, 4])
    #expect(user.facts.customData.map(\.index) == [91, 4])
    #expect(try variation(user) == before)
  }

  @Test("On another device the identifier comes with the visits, and with it the variation (KAM-53, KAM-69; ready)")
  func anotherDevice() throws {
    let here = try rig()
    let anonymous = try here.visitor("anonymous")
    let before = try variation(anonymous)
    _ = try login(anonymous, as: "user", here)
    let there = try rig { request in
      request.url.contains("/visit/visitor") ? answer(200, #"{"currentVisit":{"visitorCode":"anonymous"}}"#) : nil
    }
    let user = try there.visitor("user")
    _ = user.add([.uniqueIdentifier(true)])
    let told = Locked<Status?>(nil)
    #expect(user.ask(.visitorData(RemoteVisitorDataFilter(), adds: true)) { told.value = $0.status } == .ok)
    there.settle { told.value != nil }
    #expect(try variation(user) == before)
  }
}
