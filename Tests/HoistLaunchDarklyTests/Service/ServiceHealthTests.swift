import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("What the client's state says of its flags (LD-76, G3)") struct ServiceHealthTests {
  private let host = TestHost()

  @Test("cached flags are stale until the service has answered, and again when it fails")
  func cachedFlagsAreStale() {
    let health = ServiceHealth(host: host)
    health.servesCached()
    health.failed("no answer")
    health.isFresh("flags")
    health.failed("no answer")
    health.isOffline()
    #expect(host.states.value == [.stale, .stale, .ready, .stale, .stale])
    #expect(host.notifications.value.map(\.topic) == [.fetchFailed, .fetchFailed])
  }

  @Test("without any flags a failure is an error, and a final one is fatal")
  func withoutFlagsFailuresAreErrors() {
    let health = ServiceHealth(host: host)
    health.isOffline()
    health.failed("no answer")
    health.hasEnded("refused", .launchDarklyUnauthorized)
    #expect(host.states.value == [.error, .fatal])
    #expect(host.notifications.value.last?.status == .launchDarklyUnauthorized)
  }

  @Test("another context is reconciling while the service is asked; its failures are its own")
  func anotherContextReconciles() {
    let health = ServiceHealth(host: host)
    health.isFresh("flags")
    health.contextChanged(hasFlags: false, isOnline: true)
    health.failed("no answer")
    health.contextChanged(hasFlags: false, isOnline: false)
    health.hasEnded("refused", .launchDarklyStreamShutDown)
    #expect(host.states.value == [.ready, .reconciling, .error, .stale, .fatal])
  }
}
