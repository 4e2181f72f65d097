import HoistCore
import HoistTestSupport
import Testing

/// What follows from reports of a service that refuses, and of flags that it has not confirmed.
struct RefusalTests {
  @Test("a refusal is an error in the log once, also when it comes after other failures; a good answer begins a new episode")
  func aRefusalIsToldOnce() {
    let host = TestHost()
    host.report(.failed(.network, "the service answered 503"))
    host.report(.refused(.network, "the service answered 401"))
    host.report(.refused(.network, "the service answered 401"))
    #expect(host.lines.messages(.error) == ["the service answered 401"] && host.life.state == .error)
    host.report(.answered("flags"))
    host.report(.refused(.network, "the service answered 403"))
    #expect(host.lines.messages(.error).count == 2 && host.life.state == .stale)
  }

  @Test("flags of the host's own in place of confirmed ones are stale until the service answers")
  func unconfirmedFlagsAreStale() {
    let host = TestHost()
    host.report(.answered("flags"))
    #expect(host.life.state == .ready)
    host.report(.unconfirmed("a bootstrap is served"))
    #expect(host.life.state == .stale)
    host.report(.answered("flags"))
    #expect(host.life.state == .ready)
  }
}
