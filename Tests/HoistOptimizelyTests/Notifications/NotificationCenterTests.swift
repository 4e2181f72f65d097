import HoistBase
import HoistCore
import HoistJSON
import Testing

@testable import HoistOptimizely

@Suite("Observers of notifications (OPT-69, 5.5; ready)") struct NotificationCenterTests {
  @Test("Each kind has its payload (OPT-101; ready)") func payloads() throws {
    let rig = try UserRig()
    let (activations, decisions) = (rig.listen(.activate), rig.listen(.decision))
    _ = try rig.user("u1", ["country": .string(bytes("de"))]).decide("shop", .excludeVariables)
    _ = try rig.user().decide("nobody")
    #expect(activations.all.isEmpty, "they are told when the host asks")
    rig.hear()
    #expect(activations.all.count == 1)
    #expect(
      activations.all.first?.hasPrefix(
        #"{"experiment":{"id":"e","key":"key-e"},"userId":"u1","attributes":{"country":"de"},"variation":{"id":"e1","key":"on-e"},"event":{"url":"https://logx.optimizely.com/v1/events","body":{"account_id":"a""#
      ) == true)
    #expect(
      decisions.all == [
        #"{"type":"flag","userId":"u1","attributes":{"country":"de"},"decisionInfo":{"flagKey":"shop","enabled":true,"variables":{},"variationKey":"on-e","ruleKey":"key-e","reasons":[],"decisionEventDispatched":true,"experimentId":"e","variationId":"e1"}}"#
      ])
    _ = "other".withBytes { rig.face.isFeatureEnabled($0, visitor()) }
    rig.hear()
    #expect(
      decisions.all.last
        == #"{"type":"feature","userId":"u1","attributes":{},"decisionInfo":{"featureKey":"other","featureEnabled":true,"source":"rollout","sourceInfo":{"experimentKey":"key-d","variationKey":"on-d"}}}"#
    )
  }

  @Test("The client's own call ends an observer, which hears no more, also of what was posted before") func registration() throws
  {
    let rig = try UserRig()
    let (first, second, third) = (rig.listen(.decision), rig.listen(.decision), rig.listen(.track))
    #expect(Set([first.token, second.token, third.token, 0]).count == 4)
    let user = try rig.user()
    _ = user.decide("shop")
    #expect(rig.client.unobserve(first.token) && !rig.client.unobserve(first.token) && !rig.client.unobserve(0))
    rig.hear()
    #expect(first.all.isEmpty && second.all.count == 1)
    rig.face.unobserveAll(.decision)
    _ = user.decide("shop")
    _ = "buy".withBytes { user.track($0, tags: nil) }
    rig.hear()
    #expect(second.all.count == 1 && third.all.count == 1)
    rig.face.unobserveAll(nil)
    #expect(rig.provider.notifications.wanted.isEmpty)
    #expect(rig.listen(.logEvent).token > third.token)
  }

  @Test("Without observers no payload is made") func nothingForNobody() {
    let center = NotificationCenter { _ in Issue.record("nobody is there") }
    center.post(.decision) {
      Issue.record("a payload for nobody")
      return []
    }
    let heard = Heard()
    _ = center.add(.track, heard)
    center.post(.decision) {
      Issue.record("a payload for nobody")
      return []
    }
    #expect(center.wanted == .track)
  }

  @Test("Observers are bounded (G5)") func bounded() {
    let center = NotificationCenter { $0() }
    for _ in 0..<NotificationCenter.maximumObservers { #expect(center.add(.track, Heard()) > 0) }
    #expect(center.add(.track, Heard()) == 0)
  }
}
