import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

/// Options, their defaults, and what is refused (UNL-10 to UNL-23, UNL-76 to UNL-84; no client).
struct FrontendOptionsTests {
  private func settings(_ properties: [String: String]) throws -> UnleashSettings {
    var values = PropertyValues(table: CoreProperties.table + UnleashProperties.table)
    for (name, value) in frontend.merging(properties, uniquingKeysWith: { $1 }) { try values.set(name, value) }
    return try ClientSettings(values, Plugins(), entropy: SeededEntropy(seed: 1)).fetching
  }

  private func refusal(_ properties: [String: String], _ plugins: Plugins = Plugins()) -> ConfigurationFailure? {
    do throws(ConfigurationFailure) {
      var values = PropertyValues(table: CoreProperties.table + UnleashProperties.table)
      for (name, value) in properties { try values.set(name, value) }
      _ = try ClientSettings(values, plugins, entropy: SeededEntropy(seed: 1))
      return nil
    } catch {
      return error
    }
  }

  @Test("What holds when only address and key are given (UNL-12, UNL-14 to UNL-18, UNL-21, UNL-23, UNL-76 to UNL-84; no client)")
  func defaults() throws {
    let plain = try settings([:])
    #expect(plain.mode == .frontend && plain.appName == "unleash-swift-client" && plain.environment == "default")
    #expect(plain.refreshSeconds == 15 && plain.jitterPercent == 0)
    #expect(plain.metricsSeconds == 30 && plain.metricsInitialSeconds == 30 && plain.countsMetrics)
    #expect(plain.initialContext.isEmpty && plain.initialProperties.isEmpty && plain.customHeaders.isEmpty)
    #expect(plain.bootstrap == nil && plain.bootstrapOverrides && !plain.dropsBootstrapOnUpdate && !plain.bootstrapDelaysFetch)
    #expect(!plain.usesPOST && plain.keyHeader == "Authorization" && !plain.announcesAll && plain.notifiesUnchanged)
    #expect(plain.storageSeconds == 0 && plain.flavor.isEmpty && plain.flavorVersion.isEmpty && plain.autostart)
    #expect(plain.usesPluginTransportForMetrics)
    #expect(plain.timeoutMilliseconds == 30_000 && plain.connectTimeoutMilliseconds == 10_000)
    #expect(try settings(["mode": "backend"]).metricsSeconds == 60)
  }

  @Test("Address and key are required, and named when they are missing (UNL-10, UNL-11; no client)")
  func addressAndKeyAreRequired() throws {
    #expect(refusal([:])?.property == "url")
    let keyless = ["url": "https://flags.test/api/frontend"]
    #expect(refusal(keyless)?.property == "key" && refusal(keyless)?.message.contains("\"key\"") == true)
    #expect(refusal(keyless.merging(["online": "false"]) { $1 }) == nil)
    #expect(refusal(keyless.merging(["custom_headers": #"{"authorization":"k"}"#]) { $1 }) == nil)
    #expect(refusal(keyless.merging(["custom_headers": #"{"X-Other":"k"}"#]) { $1 })?.property == "key")
    #expect(refusal(["bootstrap": #"{"toggles":[]}"#]) == nil)
    var plugins = Plugins()
    plugins.headerProvider = NoHeaders()
    #expect(refusal(keyless, plugins) == nil)
  }

  @Test("Without a key of its own a client sends no empty one (UNL-47; starting)")
  func noEmptyKey() throws {
    let rig = try #require(
      ClientRig(["url": "https://flags.test/api/frontend", "key": ""], providerHeaders: ["Authorization": "fresh"]))
    rig.start(toggles("a"))
    #expect(
      rig.transport.requests[0].headers.filter { $0.name.lowercased() == "authorization" } == [
        HTTPHeader("Authorization", "fresh")
      ])
  }

  @Test(
    "Values that make no sense are refused by name (UNL-12, UNL-14, UNL-16, UNL-76, G8; no client)",
    arguments: [
      ("refresh_interval", "-1"), ("refresh_interval", "86401"), ("refresh_interval", "1.5"), ("refresh_interval", ""),
      ("metrics_interval", "-1"), ("metrics_initial_delay", "-1"), ("refresh_jitter_percent", "11"),
      ("disable_metrics", "yes"), ("context", #"{"userId":[1]}"#), ("context", "[]"), ("properties", "{"),
      ("tags", #"["web"]"#), ("tags", #"["team:web",":web"]"#), ("tags", #"["team:"]"#), ("tags", #"["a\nb"]"#),
      ("custom_headers", #"{"X-A":"a\r\nX-B: b"}"#), ("custom_headers", #"{"a b":"c"}"#), ("custom_headers", #"{"":"c"}"#),
      ("key_header", "a:b"), ("key", "a\nb"), ("app_name", "a\r\nb: c"), ("instance_id", "a\nb"),
      ("sdk_flavor", "a\nb"), ("sdk_flavor_version", "1\r\n2"), ("bootstrap", "{"), ("fetch_method", "PUT"),
      ("storage_ttl", "-1"), ("bootstrap.override", "1"), ("autostart", "no"),
    ])
  func nonsenseIsRefusedByName(_ name: String, _ value: String) {
    let refused = refusal(frontend.merging([name: value]) { $1 })
    // The name of the key's header is checked together with the key.
    #expect(refused?.property == (name == "key_header" ? "key" : name))
    #expect(refused?.message.contains("\n") == false)
  }

  @Test("A flavour has at most 256 characters, its version 32 (UNL-76; no client)")
  func flavoursAreLimited() {
    #expect(refusal(frontend.merging(["sdk_flavor": String(repeating: "é", count: 256)]) { $1 }) == nil)
    #expect(refusal(frontend.merging(["sdk_flavor": String(repeating: "x", count: 257)]) { $1 })?.property == "sdk_flavor")
    #expect(refusal(frontend.merging(["sdk_flavor_version": String(repeating: "1", count: 32)]) { $1 }) == nil)
    #expect(
      refusal(frontend.merging(["sdk_flavor_version": String(repeating: "1", count: 33)]) { $1 })?.property
        == "sdk_flavor_version")
  }

  @Test("Application and environment inside a context do not count (UNL-18, UNL-43; starting)")
  func fixedFieldsComeFromOptions() throws {
    let properties = ["context": #"{"appName":"x","environment":"y","userId":"u","currentTime":"now"}"#, "environment": "prod"]
    let rig = try #require(ClientRig(frontend.merging(properties) { $1 }))
    rig.start(toggles("a"))
    let sent = rig.transport.requests[0].url
    #expect(
      sent.contains("appName=unleash-swift-client&environment=prod&userId=u&")
        && sent.hasSuffix("&properties%5BcurrentTime%5D=now"))
    #expect(rig.header("unleash-appname", ofRequest: 0) == "unleash-swift-client")
  }
}

private final class NoHeaders: HeaderProvider {
  func headers(for url: String) -> [HTTPHeader]? { nil }
}
