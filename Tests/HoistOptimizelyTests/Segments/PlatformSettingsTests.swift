import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("Settings of the data platform (OPT-10 to OPT-15, OPT-55; no client)") struct PlatformSettingsTests {
  private func settings(_ properties: [String: String] = [:]) throws -> PlatformSettings {
    PlatformSettings(try TestHost.values(properties, table: PlatformSettings.properties))
  }

  @Test("All are optional (OPT-10; no client)") func unsetTheyAreTheServices() throws {
    let settings = try settings()
    #expect(settings.isEnabled)
    #expect(settings.cacheCapacity == 100)
    #expect(settings.cacheMilliseconds == 600_000)
    #expect(settings.fetchTimeoutMilliseconds == 10_000)
    #expect(settings.eventTimeoutMilliseconds == 10_000)
  }

  @Test("0 means the transport's own limit (OPT-13, OPT-14; no client)") func zeroMeansTheTransports() throws {
    let settings = try settings([
      "odp.segment_fetch_timeout_ms": "0", "odp.event_timeout_ms": "0", "network.timeout_ms": "1234",
    ])
    #expect(settings.fetchTimeoutMilliseconds == 1_234)
    #expect(settings.eventTimeoutMilliseconds == 1_234)
  }

  @Test func theyAreIndependentOfEachOther() throws {
    let settings = try settings([
      "odp.segments_cache_size": "3", "odp.segments_cache_timeout": "4", "odp.segment_fetch_timeout_ms": "5",
      "odp.event_timeout_ms": "6", "odp.disable": "true",
    ])
    #expect(!settings.isEnabled)
    #expect(settings.cacheCapacity == 3 && settings.cacheMilliseconds == 4_000)
    #expect(settings.fetchTimeoutMilliseconds == 5 && settings.eventTimeoutMilliseconds == 6)
  }

  @Test(arguments: [
    ("odp.segments_cache_size", "-1"), ("odp.segments_cache_timeout", "1.5"), ("odp.event_timeout_ms", "never"),
    ("odp.disable", "yes"), ("vuid.enabled", "1"),
  ])
  func whatIsOutOfRangeIsRefusedByName(_ name: String, _ value: String) {
    #expect { try settings([name: value]) } throws: { ($0 as? ConfigurationFailure)?.property == name }
  }

  @Test("The event's own limit goes with each delivery (OPT-14; ready)") func deliveriesHaveTheirLimit() throws {
    let rig = try PlatformRig(["odp.event_timeout_ms": "77"])
    try rig.serve()
    _ = rig.send("one")
    #expect(rig.requests.first?.timeoutMilliseconds == 77)
  }
}
