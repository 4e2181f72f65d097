internal import HoistCore

/// The properties of an Unleash client, beside the core's (rows UNL-10 to UNL-23, UNL-76 to UNL-84, UNL-102).
enum UnleashProperties {
  static let table: [Property] = [
    Property(
      "mode", .choice(["frontend", "backend"]), default: "frontend",
      "frontend: the server evaluates for the current context; backend: definitions are fetched and evaluated here."),
    Property(
      "url", .address, default: "",
      "frontend: full URL of the Frontend API or of Edge; backend: URL of the API; /client or /client/features at its end counts for nothing. Needed to go online."
    ),
    Property("key", .secret, default: "", "Frontend token or client key. Needed to go online."),
    Property("key_header", .text, default: "Authorization", "Name of the header that carries the key."),
    Property(
      "app_name", .text, default: "unleash-swift-client", "Name of the application, in the context, in metrics and in a header."),
    Property("environment", .text, default: "default", "Environment in the context."),
    Property("instance_id", .text, default: "", "Name of this instance in metrics; empty draws one."),
    Property("refresh_interval", .integer(0...86_400), default: "15", "Seconds between fetches; 0 fetches once."),
    Property(
      "refresh_jitter_percent", .integer(0...10), default: "0", "Random addition to each wait, in percent of the interval."),
    Property(
      "metrics_interval", .integer(0...86_400),
      "Seconds between metrics, 30 in frontend and 60 in backend mode when unset; 0 sends on flush only."),
    Property("metrics_initial_delay", .integer(0...86_400), "Seconds before the first metrics; the interval when unset."),
    Property(
      "disable_metrics", .boolean, default: "false",
      "Counts and sends nothing: no evaluations, no impact metrics, no events, nothing of an earlier run."),
    Property(
      "metrics_over_plugin_transport", .boolean, default: "true",
      "Whether a transport plug-in carries metrics too, or fetches only."),
    Property("disable_registration", .boolean, default: "false", "backend: does not announce the client at start."),
    Property(
      "context", .json, default: "{}",
      "Initial context, read as hoist_context_from_json() reads one; members other than userId, sessionId and remoteAddress become properties, frontend ignores appName and environment."
    ),
    Property("properties", .textMap, default: "{}", "Custom properties of the initial context."),
    Property(
      "custom_headers", .headers, default: "{}", "Headers added to every request; they win over defaults except sensitive ones."),
    Property(
      "fetch_method", .choice(["GET", "POST"]), default: "GET",
      "frontend: how the context is sent; a URL over 8 KiB is sent by POST in any case."),
    Property(
      "fetch_mode", .choice(["polling", "delta", "streaming"]), default: "polling",
      "backend: how definitions are kept fresh; when unset, by polling until the service asks for streaming."),
    Property("project", .text, default: "", "backend: fetches this project only."),
    Property("name_prefix", .text, default: "", "backend: fetches flags of this prefix only."),
    Property("tags", .textList, default: "[]", "backend: fetches flags with these tags only; each is name:value, or refused."),
    Property("bootstrap", .json, "Flags to start with: the service's answer format, as JSON."),
    Property("bootstrap.file", .text, default: "", "Flags to start with, from a file in the service's answer format."),
    Property("bootstrap.override", .boolean, default: "true", "Whether bootstrap wins over stored flags."),
    Property("bootstrap.delays_fetch", .boolean, default: "false", "Whether bootstrap puts the first fetch off by one interval."),
    Property(
      "drop_bootstrap_on_update", .boolean, default: "false",
      "Whether a context change before the first fetch drops bootstrapped flags at once."),
    Property(
      "notify_unchanged", .boolean, default: "true",
      "Whether a fetch that changed nothing is announced as an update too, as the vendor's SDK does."),
    Property(
      "storage_ttl", .integer(0...31_536_000), default: "0",
      "Seconds for which stored flags of the same context spare the first fetch."),
    Property("impression_data_all", .boolean, default: "false", "Announces impressions of every flag."),
    Property("sdk_flavor", .text, default: "", "Name of an integration on top of this library, at most 256 characters."),
    Property("sdk_flavor_version", .text, default: "", "Its version, at most 32 characters."),
    Property("autostart", .boolean, default: "true", "Whether opening the client starts it, or hoist_unleash_start() does."),
  ]
}
