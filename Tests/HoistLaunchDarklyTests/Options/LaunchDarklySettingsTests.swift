import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite struct LaunchDarklySettingsTests {
  private func settings(_ properties: [String: String] = [:]) throws -> LaunchDarklySettings {
    try LaunchDarklySettings(try TestHost.values(properties, table: LaunchDarklyProperties.table))
  }

  private func problem(_ properties: [String: String]) throws -> ConfigurationFailure? {
    let values = try TestHost.values(properties, table: LaunchDarklyProperties.table)
    do throws(ConfigurationFailure) {
      _ = try LaunchDarklySettings(values)
      return nil
    } catch {
      return error
    }
  }

  @Test("Defaults are those of the vendor (LD-70; no client)")
  func defaultsAreThoseOfTheVendor() throws {
    let settings = try settings()
    #expect(settings.baseURL.text == "https://clientsdk.launchdarkly.com")
    #expect(settings.streamURL.text == "https://clientstream.launchdarkly.com")
    #expect(settings.eventsURL.text == "https://mobile.launchdarkly.com")
    #expect(settings.eventCapacity == 100)
    #expect(settings.connectionTimeoutMilliseconds == 10_000)
    #expect(settings.flushMilliseconds == 30_000)
    #expect(settings.pollingMilliseconds == 300_000)
    #expect(settings.backgroundPollingMilliseconds == 3_600_000)
    #expect(settings.streams)
    #expect(!settings.updatesInBackground && !settings.usesReport && !settings.asksForReasons)
    #expect(settings.maximumCachedContexts == 5)
    #expect(settings.sendsEvents && settings.sendsDiagnostics && !settings.compressesEvents)
    #expect(settings.diagnosticMilliseconds == 900_000)
    #expect(!settings.completesContexts && !settings.allAttributesArePrivate && settings.privateAttributes.isEmpty)
    #expect(!settings.hasCustomBaseURL && !settings.hasCustomStreamURL && !settings.hasCustomEventsURL)
  }

  @Test("Intervals below their minimum are raised, but for tests (LD-70; no client)")
  func shortIntervalsAreRaised() throws {
    let short = [
      "flag_polling_interval_ms": "1000", "background_flag_polling_interval_ms": "2000",
      "diagnostic_recording_interval_ms": "3000",
    ]
    let raised = try settings(short)
    #expect(raised.pollingMilliseconds == 300_000)
    #expect(raised.backgroundPollingMilliseconds == 900_000)
    #expect(raised.diagnosticMilliseconds == 300_000)
    let lifted = try settings(short.merging(["ignore_polling_minimum": "true"]) { $1 })
    #expect(lifted.pollingMilliseconds == 1000)
    #expect(lifted.backgroundPollingMilliseconds == 2000)
    #expect(lifted.diagnosticMilliseconds == 3000)
    // A timer of 0 would never let go of the thread.
    #expect(try settings(["flag_polling_interval_ms": "0", "ignore_polling_minimum": "true"]).pollingMilliseconds == 1)
  }

  @Test(
    "Secondary environments have names and keys of their own (LD-09; no client)",
    arguments: [
      #"{"other":"main"}"#, #"{"default":"k"}"#, #"{"a":"k","b":"k"}"#, #"{"a":1}"#, "[]", "{",
    ])
  func badSecondaryKeysAreRefused(keys: String) throws {
    #expect(try problem(["mobile_key": "main", "secondary_mobile_keys": keys])?.property == "secondary_mobile_keys")
  }

  @Test("Good secondary environments are taken (LD-09; no client)")
  func goodSecondaryKeysAreTaken() throws {
    let settings = try settings(["mobile_key": "main", "secondary_mobile_keys": #"{"a":"k1","b":"k2"}"#])
    #expect(settings.secondaryMobileKeys.mapValues { $0.reveal() } == ["a": "k1", "b": "k2"])
  }

  @Test("G7: no message and no listing shows a key")
  func keysAreNotShown() throws {
    let values = try TestHost.values(
      ["mobile_key": "mob-1", "secondary_mobile_keys": #"{"a":"mob-2"}"#], table: LaunchDarklyProperties.table)
    #expect(values.shown("mobile_key") == "***")
    #expect(values.shown("secondary_mobile_keys") == "***")
    let refused = try problem(["mobile_key": "mob-1", "secondary_mobile_keys": #"{"a":"mob-1"}"#])
    #expect(refused?.message.contains("mob-1") == false)
  }

  @Test(
    "what cannot be a header or an address is refused",
    arguments: [
      ["mobile_key": "a\nb"], ["wrapper_name": "a\rb"], ["additional_headers": #"{"a b":"c"}"#],
      ["additional_headers": #"{"a":"b\nc"}"#], ["base_url": "ftp://x"], ["stream_url": ""], ["events_url": "nowhere"],
    ])
  func badTextsAreRefused(properties: [String: String]) throws {
    #expect(try problem(properties)?.property == properties.keys.first)
  }
}
