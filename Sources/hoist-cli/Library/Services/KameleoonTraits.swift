struct KameleoonTraits: ProviderTraits {
  let name = "kameleoon"
  let connectionProperty = "site_code"
  let connectionOptions = "--set site_code=CODE"
  /// Data, real-time events and tokens have hosts of their own.
  let addressProperties = ["configuration.url"]
  let fileProperty: String? = "default_datafile.file"
  /// A visitor that nothing is told of is told as active only when it is flushed.
  let silentProperties: [(name: String, value: String)] = [("track_evaluations", "false")]

  func place(_ configuration: Configuration) -> String {
    let url = configuration.value(of: "configuration.url") ?? ""
    guard url.isEmpty else { return RedactedURL.text(url) }
    let domain = configuration.value(of: "network_domain") ?? ""
    return domain.isEmpty ? "Kameleoon" : "Kameleoon at \(domain)"
  }

  /// Nobody sees the site, which a client must have.
  func offlineProperties(features path: String) -> [(name: String, value: String)]? {
    [("online", "false"), ("default_datafile.file", path), ("site_code", "none")]
  }

  func kind(ofKey key: String) -> String { "a client secret" }
}
