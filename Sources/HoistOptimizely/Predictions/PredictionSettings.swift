internal import HoistBase
internal import HoistCore

/// How the prediction server of contextual bandits is asked (row OPT-94; protocols/optimizely.md 3.7, 4.15).
struct PredictionSettings: Sendable {
  /// With `%@` where the experiment's id goes; empty for the service's own.
  let endpoint: String
  let cacheCapacity: Int
  let cacheMilliseconds: Int64
  let timeoutMilliseconds: Int64
  let connectTimeoutMilliseconds: Int64

  static let properties: [Property] = [
    Property(
      "cmab.endpoint", .address, default: "",
      "Address of the prediction server, with %@ where the experiment's id goes; blank for the service's own."),
    Property(
      "cmab.cache_size", .integer(0...10_000), default: "100", "Choices of the prediction server kept in memory; 0 means 100."),
    Property(
      "cmab.cache_timeout", .integer(0...31_536_000), default: "1800", "Seconds for which such a choice holds; 0 means 1800."),
    Property(
      "cmab.timeout_ms", .integer(0...600_000), default: "10000",
      "Longest time for one question to the prediction server, in milliseconds; 0 means network.timeout_ms."),
  ]

  init(_ values: PropertyValues) throws(ConfigurationFailure) {
    let given = values.text("cmab.endpoint")
    endpoint = given.utf8.allSatisfy { $0 == 0x20 } ? "" : given
    cacheCapacity = Int(values.integer("cmab.cache_size"))
    cacheMilliseconds = values.integer("cmab.cache_timeout") * 1000
    let timeout = values.integer("cmab.timeout_ms")
    timeoutMilliseconds = timeout > 0 ? timeout : values.integer("network.timeout_ms")
    connectTimeoutMilliseconds = values.integer("network.connect_timeout_ms")
    do throws(URLText.Problem) {
      _ = try URLText(PredictionRequest.url(of: Array("1".utf8), endpoint: endpoint))
    } catch {
      throw ConfigurationFailure("cmab.endpoint", "property \"cmab.endpoint\" must be an absolute http or https URL: \(error)")
    }
  }
}
