internal import HoistCore

/// The properties of a Kameleoon client, beside the core's: the vendor's names, in its configuration files too.
enum KameleoonProperties {
  static let table: [Property] = site + configuration + visitors + identity

  /// KAM-01 to KAM-08
  private static let site: [Property] = [
    Property("site_code", .text, default: "", required: true, "Code of the site."),
    Property(
      "environment", .text, default: "", "Environment whose flags are fetched; empty asks for none and gets production's."),
    Property(
      "client_id", .text, default: "", "Id for access tokens; with client_secret, requests for data and tracking are authorised."),
    Property("client_secret", .secret, default: "", "Secret for access tokens."),
    Property(
      "network_domain", .text, default: "",
      "Domain whose hosts stand in for the service's; empty for the service's own, which are used for what is no domain, too, but get no client_secret then."
    ),
    Property(
      "configuration.url", .address, default: "",
      "Address that configurations are fetched from, with or without /v3 at its end; empty for the service's own."),
    Property(
      "data.url", .address, default: "", "Address of tracking, visitor data and remote data; empty for the service's own."),
    Property("stream.url", .address, default: "", "Address of real-time events; empty for the service's own."),
    Property("token.url", .address, default: "", "Address of access tokens; empty for the service's own."),
  ]

  private static let configuration: [Property] = [
    Property(
      "refresh_interval_minute", .integer(-1_000_000...1_000_000), default: "60",
      "Minutes between fetches of the configuration; 60 when not above 0."),
    Property(
      "default_timeout_millisecond", .integer(-86_400_000...86_400_000), default: "10000",
      "Longest time for one request, in milliseconds; 10000 when not above 0."),
    Property(
      "default_datafile", .text,
      "Configuration to start with, as JSON text, unless a newer one, or one at all when this has no dateModified, is stored."),
    Property("default_datafile.file", .text, default: "", "Path of a configuration to start with; as default_datafile."),
    Property(
      "ready.fails_fast", .boolean, default: "false",
      "Whether waiting for readiness ends when a fetch has failed, as newer SDKs of the vendor's servers do, and not only when its time is over."
    ),
  ]

  /// KAM-03, KAM-05, KAM-07, KAM-B17
  private static let visitors: [Property] = [
    Property(
      "visitor_code", .text, default: "",
      "Code of the client's own visitor; empty generates one, which is kept in the store and used again."),
    Property(
      "is_unique_identifier", .boolean, default: "false",
      "Whether visitor codes are unique identifiers, which link a visitor across devices."),
    Property(
      "data_expiration_interval_minute", .integer(0...52_560_000), default: "0",
      "Minutes that data of a visitor is kept, each by its own age; 0 for ever."),
    Property(
      "tracking_interval_millisecond", .integer(-86_400_000...86_400_000), default: "1000",
      "Milliseconds between tracking requests, 100 to 5000; outside it is the nearest of these, with a warning."),
    Property(
      "activity_tracking_interval_millisecond", .integer(0...86_400_000),
      "Milliseconds between activity events, 15000 at least; 0: one at the start; unset: none."),
    Property(
      "track_evaluations", .boolean, default: "true",
      "Whether evaluations by the calls of the core report the visitor's variation."),
  ]

  private static let identity: [Property] = [
    Property("sdk_name", .text, default: "SWIFT", "Name of the SDK in requests and conditions."),
    Property("sdk_version", .text, default: "4.25.0", "Version of the SDK in requests and conditions."),
    Property(
      "regex_search", .boolean, default: "false",
      "Whether a regular expression of a condition may match a part of the text, and not the whole text only."),
    Property("strict_vendor", .boolean, default: "false", "Whether faults of the vendor's SDK are reproduced; for comparing."),
  ]
}
