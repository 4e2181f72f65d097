import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("Configuration files (KAM-01; no client)")
struct ConfigurationFileTests {
  private let empty = PropertyValues(table: CoreProperties.table + KameleoonFactory().properties)

  private func refusal(_ text: String) -> ConfigurationFile.Failure? {
    do throws(ConfigurationFile.Failure) {
      _ = try ConfigurationFile.applying(Array(text.utf8), to: empty)
      return nil
    } catch {
      return error
    }
  }

  @Test("A property list and JSON set the same properties, by the vendor's keys (KAM-02 to KAM-08; no client)")
  func bothForms() throws {
    let list = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>client_id</key><string>id</string>
      <key>client_secret</key><string>secret</string>
      <key>refresh_interval_minute</key><integer>15</integer>
      <key>data_expiration_interval_minute</key><integer>1440</integer>
      <key>default_timeout_millisecond</key><integer>5000</integer>
      <key>tracking_interval_millisecond</key><integer>500</integer>
      <key>environment</key><string>staging</string>
      <key>is_unique_identifier</key><true/>
      <key>network_domain</key><string>example.com</string>
      </dict></plist>
      """
    let json = """
      {"client_id":"id","client_secret":"secret","refresh_interval_minute":15,"data_expiration_interval_minute":1440,
      "default_timeout_millisecond":5000,"tracking_interval_millisecond":500,"environment":"staging",
      "is_unique_identifier":true,"network_domain":"example.com"}
      """
    for text in [list, json] {
      var values = try ConfigurationFile.applying(Array(text.utf8), to: empty)
      try values.set("site_code", "x")
      let settings = try KameleoonSettings(values)
      #expect(settings.hasCredentials)
      #expect(settings.refreshMilliseconds == 15 * 60_000)
      #expect(settings.dataExpirationMilliseconds == 86_400_000)
      #expect(settings.timeoutMilliseconds == 5000)
      #expect(settings.trackingIntervalMilliseconds == 500)
      #expect(settings.environment == "staging")
      #expect(settings.isUniqueIdentifier)
    }
  }

  @Test("What is wrong is named, with line and key, and nothing is set")
  func refusals() {
    let list =
      "<plist><dict>\n<key>environment</key><string>a</string>\n<key>refresh_interval_minute</key>\n<string>soon</string></dict></plist>"
    #expect(refusal(list)?.status == .configuration)
    #expect(refusal(list)?.message.hasPrefix("line 4: property \"refresh_interval_minute\"") == true)
    let unknown = refusal("<plist><dict><key>colour</key><true/></dict></plist>")
    #expect(unknown?.message.hasPrefix("line 1: unknown property \"colour\"") == true)
    #expect(refusal("<plist><dict>")?.status == .parse)
    #expect(refusal("{\"environment\":")?.status == .parse)
    #expect(refusal("{\"colour\":1}")?.message.contains("\"colour\"") == true)
    #expect(refusal("{\"client_secret\":{}}") == nil)
  }

  @Test("A file that is not there is named")
  func missing() {
    #expect { try ConfigurationFile.applying(path: "/nowhere/at/all.plist", to: empty) } throws: { error in
      let failure = error as? ConfigurationFile.Failure
      return failure?.status == .io && failure?.message.contains("/nowhere/at/all.plist") == true
    }
  }

  @Test(
    "Intervals out of range are brought into it, and told of (KAM-05, KAM-B17, KAM-B18, A1; no client)",
    arguments: [
      ("50", 100), ("100", 100), ("2000", 2000), ("5000", 5000), ("5001", 5000), ("-1", 100),
    ] as [(String, Int64)])
  func trackingInterval(given: String, used: Int64) throws {
    var values = empty
    try values.set("site_code", "x")
    try values.set("tracking_interval_millisecond", given)
    let settings = try KameleoonSettings(values)
    #expect(settings.trackingIntervalMilliseconds == used)
    #expect(settings.warnings.isEmpty == (Int64(given) == used))
  }

  @Test("Without a word of them the intervals are the vendor's (KAM-02, KAM-03, KAM-05, KAM-07; no client)")
  func defaults() throws {
    var values = empty
    try values.set("site_code", "x")
    let settings = try KameleoonSettings(values)
    #expect(settings.refreshMilliseconds == 3_600_000)
    #expect(settings.dataExpirationMilliseconds == nil)
    #expect(settings.timeoutMilliseconds == 10_000)
    #expect(settings.trackingIntervalMilliseconds == 1000)
    #expect(!settings.isUniqueIdentifier)
    #expect(!settings.hasCredentials)
  }
}
