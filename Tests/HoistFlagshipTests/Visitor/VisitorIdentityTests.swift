import Testing

@testable import HoistFlagship

@Suite("Experience continuity (FS-68, FS-69, protocols/flagship.md 5.7; no client)") struct VisitorIdentityTests {
  private func identity(_ visitor: String, _ anonymous: String? = nil) -> VisitorIdentity {
    VisitorIdentity(visitorID: Array(visitor.utf8), anonymousID: anonymous.map { Array($0.utf8) })
  }

  @Test func authenticatingKeepsTheFormerIDAsTheAnonymousOne() {
    var visitor = identity("anonymous")
    visitor.authenticate(as: Array("known".utf8))
    #expect(visitor == identity("known", "anonymous"))
    #expect(visitor.anonymousID != nil)
  }

  @Test func authenticatingAgainChangesTheVisitorIDAlone() {
    var visitor = identity("known", "anonymous")
    visitor.authenticate(as: Array("other".utf8))
    #expect(visitor == identity("other", "anonymous"))
  }

  @Test func unauthenticatingBringsTheAnonymousIDBack() {
    var visitor = identity("known", "anonymous")
    visitor.unauthenticate()
    #expect(visitor == identity("anonymous"))
    visitor.unauthenticate()
    #expect(visitor == identity("anonymous"))
    #expect(visitor.anonymousID == nil)
  }
}
