import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("What visitors do (protocols/flagship.md 5.5, 5.6)") struct VisitorHitTests {
  private func bodies(_ rig: FlagshipRig) -> [String] {
    rig.scheduler.advance(milliseconds: 5_000)
    for _ in 0..<4 { rig.scheduler.run() }
    return rig.transport.requests.filter { $0.url.hasSuffix("events.flagship.io/") }.map(\.text)
  }

  private func rig() throws -> FlagshipRig { try FlagshipRig { _ in .status(200) } }

  @Test("A new visitor tells its consent, and each answer is told again (FS-67; ready)") func consents() throws {
    let rig = try rig()
    let visitor = try rig.visitor("v")
    #expect(visitor.setConsent(true) == .ok)
    let body = try #require(bodies(rig).first)
    #expect(body.components(of: "\"el\":\"hoist:true\"") == 2)
  }

  @Test("A refusal takes back what was recorded, and nothing enters any more (FS-65, FS-66, FS-71; no consent)") func refusal()
    throws
  {
    let rig = try rig()
    let visitor = try rig.visitor("v")
    #expect(visitor.send(.screen("a")) == .ok)
    #expect(visitor.setConsent(false) == .ok)
    #expect(visitor.send(.screen("b")) == .flagshipNoConsent)
    #expect(visitor.send(.page("/relative")) == .flagshipHitInvalid)
    let sent = bodies(rig).joined()
    #expect(!sent.contains("SCREENVIEW") && sent.contains("hoist:false"))
    #expect(visitor.setConsent(true) == .ok)
    #expect(visitor.send(.screen("c")) == .ok)
    #expect(bodies(rig).last?.contains("\"dl\":\"c\"") == true)
  }

  @Test("Events of the core are event hits of the shared visitor, or of their context's") func tracked() throws {
    let rig = try rig()
    _ = try rig.visitor("shared")
    func track(_ key: String, _ value: Double?, _ properties: [(String, String)] = [], user: String? = nil) -> Status {
      rig.provider.track(
        TrackedEvent(
          key: key, context: user.flatMap { EvaluationContext(targetingKey: $0).reference() }, value: value,
          properties: properties.map { ($0.0, .string(Array($0.1.utf8))) }, unixMilliseconds: 0))
    }
    #expect(track("buy", 7, [("category", "User Engagement"), ("label", "l")]) == .ok)
    #expect(track("whole", 2, user: "other") == .ok)
    #expect(track("half", 0.5) == .flagshipHitInvalid && track("less", -1) == .flagshipHitInvalid)
    #expect(track("huge", 1e300) == .flagshipHitInvalid && track("none", .nan) == .flagshipHitInvalid)
    #expect(track("odd", nil, [("category", "odd")]) == .argument)
    #expect(track("", nil) == .flagshipHitInvalid)
    let body = try #require(bodies(rig).first)
    #expect(body.contains(#""vid":"shared","ec":"User Engagement","ea":"buy","el":"l","ev":7,"#))
    #expect(body.contains(#""vid":"other","ec":"Action Tracking","ea":"whole","ev":2,"#))
    #expect(!["odd", "half", "less", "huge", "none"].contains { body.contains("\"\($0)\"") })
  }

  @Test("Without its client a visitor sends nothing (FS-71; handle outlives client)") func orphan() throws {
    let visitor = try rig().visitor("v")
    #expect(visitor.send(.screen("a")) == .flagshipNotInitialized)
  }
}

extension String {
  /// How often a text stands in it.
  fileprivate func components(of part: String) -> Int {
    guard !part.isEmpty else { return 0 }
    return indices.filter { self[$0...].hasPrefix(part) }.count
  }
}
