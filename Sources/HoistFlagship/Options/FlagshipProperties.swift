internal import HoistCore

/// The properties of a Flagship client, beside the core's.
enum FlagshipProperties {
  static let table: [Property] = life + beside + addresses + VisitorSettings.table + HitSettings.table

  /// Starts and modes (FS-02 to FS-13).
  private static let life: [Property] = [
    Property("env_id", .text, default: "", required: true, "Id of the environment."),
    Property("api_key", .secret, default: "", required: true, "API key of the environment."),
    Property(
      "mode", .choice(["decision_api", "bucketing"]), default: "decision_api",
      "Whether the service assigns campaigns, or this library from the bucketing file."),
    Property("autostart", .boolean, default: "true", "Whether opening the client starts it, or a call of hoist/flagship.h does."),
    Property(
      "context", .json,
      "Visitor that the client speaks for from the start, as a JSON object: targetingKey, and pairs of the context; unset: none before an identify."
    ),
    Property(
      "timeout_ms", .integer(1...600_000), default: "2000", "Longest time for one request for decisions, in milliseconds."),
    Property(
      "polling_interval", .integer(0...86_400), default: "60",
      "Seconds from the end of one download of the bucketing file to the next; 0 downloads it once."),
    Property("bucketing", .text, "Bucketing file to start with while none is stored, as JSON text."),
    Property("bucketing.file", .text, default: "", "Path of a bucketing file to start with while none is stored; as bucketing."),
    Property(
      "decision_group", .text, default: "",
      "Group of the visitors: all of a group get the same variations, in decision_api mode; empty for none."),
    Property(
      "expose", .boolean, default: "true",
      "Whether evaluations by the calls of the core count the visitor as having seen the flag."),
    Property(
      "numeric_widening", .boolean, default: "false",
      "Whether a flag's integer may be read as a double; the vendor's SDKs give the default then."),
    Property(
      "log_level", .choice(VendorLogLevel.allCases.map(\.name)),
      "The vendor's log level, in place of log.level: errors, then warnings, then debugging, then information."),
    Property("client_name", .text, default: "hoist", "Name of the SDK in requests, hits and contexts."),
  ]

  /// What is sent beside flags and hits, and fetched beside campaigns (FS-25, FS-203, FS-207 to FS-209).
  private static let beside: [Property] = [
    Property(
      "usage_tracking", .boolean, default: "true",
      "Whether about two visitors in a thousand report how the client is set up, without anything of themselves; environment variable HOIST_NO_USAGE_TRACKING ends that for all clients."
    ),
    Property(
      "account_settings", .boolean, default: "false",
      "Whether the account's settings are downloaded at the start, too: they come with campaigns."),
    Property(
      "third_party_segments", .boolean, default: "false",
      "Whether each fetch in bucketing mode asks for the visitor's segments of third parties first, which become pairs of the context."
    ),
    Property(
      "emotion_score", .boolean, default: "false",
      "Whether each fetch asks for the visitor's emotion score first, where the account has it."),
  ]

  private static let addresses: [Property] = [
    Property(
      "decision.url", .address, default: "https://decision.flagship.io/v2", "Address of the Decision API, up to its version."),
    Property(
      "decision.self_hosted", .boolean, default: "false",
      "Whether decision.url is a server of one's own, whose paths do not name the environment."),
    Property("cdn.url", .address, default: "https://cdn.flagship.io", "Address of bucketing files and account settings."),
    Property("events.url", .address, default: "https://events.flagship.io", "Address that hits are sent to."),
    Property(
      "segments.url", .address, default: "https://api-data-connector.flagship.io", "Address of the segments of third parties."),
    Property("emotion.url", .address, default: "https://uc-info.flagship.io", "Address of emotion scores."),
  ]
}
