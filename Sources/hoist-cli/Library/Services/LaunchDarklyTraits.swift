struct LaunchDarklyTraits: ProviderTraits {
  let name = "launchdarkly"
  let connectionProperty = "mobile_key"
  let connectionOptions = "--mobile-key KEY"
  /// A relay has one address for everything.
  let addressProperties = ["base_url", "stream_url", "events_url"]
  let silentProperties: [(name: String, value: String)] = [("send_events", "false"), ("diagnostic_opt_out", "true")]

  func place(_ configuration: Configuration) -> String {
    let property = configuration.value(of: "streaming_mode") == "polling" ? "base_url" : "stream_url"
    guard let url = configuration.value(of: property) else { return "LaunchDarkly" }
    return url.isEmpty || url == configuration.row(property)?.defaultValue ? "LaunchDarkly" : RedactedURL.text(url)
  }

  func kind(ofKey key: String) -> String {
    if key.hasPrefix("mob-") { return "a mobile key" }
    return key.hasPrefix("sdk-") ? "a server's SDK key, which must stay on servers: use the environment's mobile key" : "a key"
  }
}
