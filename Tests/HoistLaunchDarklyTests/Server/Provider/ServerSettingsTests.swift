import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("The properties of mode server (protocols/launchdarkly-server.md 12)") struct ServerSettingsTests {
  private func settings(_ properties: [String: String] = [:]) throws -> ServerSettings {
    try ServerSettings(
      try TestHost.values(
        ["mode": "server", "mobile_key": "sdk-1"].merging(properties) { $1 }, table: LaunchDarklyProperties.table))
  }

  @Test("Defaults are those of the vendor (LDS-01, LDS-17; no client)") func defaults() throws {
    let settings = try self.settings()
    let common = settings.common
    #expect(common.baseURL.text == "https://sdk.launchdarkly.com" && common.streamURL.text == "https://stream.launchdarkly.com")
    #expect(common.eventsURL.text == "https://events.launchdarkly.com")
    #expect(common.streams && common.pollingMilliseconds == 30_000 && common.initialRetryMilliseconds == 1_000)
    #expect(common.eventCapacity == 10_000 && common.flushMilliseconds == 5_000 && common.sendsEvents)
    #expect(common.diagnosticMilliseconds == 900_000 && common.sendsDiagnostics && !common.compressesEvents)
    #expect(settings.seen.capacity == 1_000 && settings.seen.milliseconds == 300_000 && !settings.seen.omitsAnonymous)
    #expect(settings.filter.isEmpty && !HostRules(settings.given).exists && settings.doubts.isEmpty)
    #expect(!common.hasCustomBaseURL && !common.hasCustomStreamURL && !common.hasCustomEventsURL)
  }

  @Test("Intervals below their minimum are raised, and what the host sets stays (LDS-01; no client)") func minima() throws {
    let raised = try settings(["flag_polling_interval_ms": "1000", "diagnostic_recording_interval_ms": "1000"]).common
    #expect(raised.pollingMilliseconds == 30_000 && raised.diagnosticMilliseconds == 60_000)
    let own = try settings([
      "flag_polling_interval_ms": "60000", "event_capacity": "7", "events.flush_interval_ms": "9000",
      "base_url": "https://own.example",
    ]).common
    #expect(own.pollingMilliseconds == 60_000 && own.eventCapacity == 7 && own.flushMilliseconds == 9_000)
    #expect(own.baseURL.text == "https://own.example" && own.hasCustomBaseURL)
  }

  @Test(
    "A text that is no SDK key, or no filter, counts as none, and is told of without being shown (LDS-15, LDS-16; no client)",
    arguments: ["a b", "é", "a\nb", String(repeating: "k", count: 8193)])
  func badKeys(key: String) throws {
    let settings = try self.settings(["mobile_key": key])
    #expect(settings.common.mobileKey.isEmpty && settings.storageKey == nil)
    #expect(settings.doubts.count == 1 && settings.doubts[0].contains("mobile_key") && !settings.doubts[0].contains(key))
    let filtered = try self.settings(["payload_filter_key": "-f"])
    #expect(filtered.filter.isEmpty && filtered.doubts.count == 1 && filtered.doubts[0].contains("payload_filter_key"))
  }

  @Test("What is for the other mode is told of, in either (LDS-01; before start)") func otherMode() throws {
    for name in ServerSettings.clientOnly + ServerSettings.serverOnly {
      #expect(LaunchDarklyProperties.table.contains { $0.name == name }, "\(name)")
    }
    #expect(try settings(["use_report": "true", "autostart": "true"]).doubts.count == 2)
    let client = try TestClient(LaunchDarklyFactory(), ["mobile_key": "mob-1", "store": "none", "payload_filter_key": "f"])
    #expect(
      client.settle { client.log.messages(.warning).contains { $0.contains("payload_filter_key") && $0.contains("mode server") } }
    )
  }

  @Test("Further environments are further clients (LDS-01; before start)") func secondaryKeys() {
    #expect(throws: ConfigurationFailure.self) { _ = try settings(["secondary_mobile_keys": #"{"a":"sdk-2"}"#]) }
  }
}
