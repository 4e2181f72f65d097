internal import HoistCore

/// The properties of a LaunchDarkly client, beside the core's (protocols/launchdarkly.md 6; LD-70). Of the options listed
/// there, `startOnline` is the core's `online`, `eventFlushInterval` its `events.flush_interval_ms`, `isDebugMode` its
/// `log.level`; delegate, logger, hooks and plug-ins are tables of functions, not properties.
enum LaunchDarklyProperties {
  static let table: [Property] = environment + service + contexts + events + application + server

  private static let environment: [Property] = [
    Property(
      "mode", .choice(["client", "server"]), default: "client",
      "client: the service decides for the current context; server: its rules are fetched, and flags decided here for any context."
    ),
    Property(
      "mobile_key", .secret, default: "",
      "Mobile key of the environment, in mode server its SDK key; without one the client never goes online."),
    Property(
      "secondary_mobile_keys", .secret, default: "{}",
      "Further environments with the same context: a JSON object of mobile keys by name; \"default\" is taken."),
    Property(
      "context", .json,
      "Context to start with, as JSON: with a \"key\" in the service's form, else in the core's; keys that are missing are made and kept. Unset: an anonymous user."
    ),
    Property("autostart", .boolean, default: "true", "Whether opening the client starts it, or hoist_launchdarkly_start() does."),
  ]

  /// The source of flags, and how they are kept current (LD-75, LD-76, LD-85).
  private static let service: [Property] = [
    Property(
      "base_url", .address, default: LaunchDarklySettings.standardBaseURL,
      "Address that is polled; may have a path. In mode server, when unset, https://sdk.launchdarkly.com."),
    Property(
      "stream_url", .address, default: LaunchDarklySettings.standardStreamURL,
      "Address of the stream; may have a path. In mode server, when unset, https://stream.launchdarkly.com."),
    Property(
      "events_url", .address, default: LaunchDarklySettings.standardEventsURL,
      "Address that events and diagnostics go to; may have a path. In mode server, when unset, https://events.launchdarkly.com."),
    Property(
      "connection_timeout_ms", .integer(1...600_000), default: "10000",
      "Longest time for one poll or one delivery, and for the stream to connect, in milliseconds."),
    Property("streaming_mode", .choice(["streaming", "polling"]), default: "streaming", "How flags are kept fresh."),
    Property(
      "flag_polling_interval_ms", .integer(0...86_400_000), default: "300000",
      "Milliseconds between polls; less than 300000 counts as that. In mode server 30000, when unset and at least."),
    Property(
      "background_flag_polling_interval_ms", .integer(0...86_400_000), default: "3600000",
      "Milliseconds between polls in the background; less than 900000 counts as that."),
    Property(
      "ignore_polling_minimum", .boolean, default: "false",
      "For tests: intervals between polls and diagnostics may be as short as they are set."),
    Property(
      "initial_retry_delay_ms", .integer(1...30_000), default: "1000",
      "Base of the growing pauses before the stream is opened again, in milliseconds, until the service names one."),
    Property(
      "retry_refused", .boolean, default: "false",
      "Whether a service that refuses the mobile key or the stream is asked again, 5 minutes later, in place of giving up."),
    Property("enable_background_updates", .boolean, default: "false", "Whether flags are kept fresh in the background too."),
    Property("use_report", .boolean, default: "false", "Whether contexts travel in the body of REPORT requests, not in URLs."),
    Property("evaluation_reasons", .boolean, default: "false", "Whether the service tells why each value was chosen."),
    Property(
      "max_cached_contexts", .integer(-1...1_000_000), default: "5",
      "Contexts whose flags are kept for the next run, the oldest go first; 0: none, -1: all."),
    Property("secure_mode_hash", .secret, default: "", "Hash of the context, for environments in secure mode; sent as query h."),
    Property(
      "additional_headers", .headers, default: "{}", "Headers of every request; they replace the client's own of the same name."),
  ]

  private static let contexts: [Property] = [
    Property(
      "auto_env_attributes", .boolean, default: "false",
      "Whether contexts are completed by what is known of the application and the machine."),
    Property(
      "all_context_attributes_private", .boolean, default: "false",
      "Whether no attribute of a context but its key goes into events."),
    Property(
      "private_context_attributes", .textList, default: "[]",
      "Attributes that do not go into events, by name or as references with slashes."),
  ]

  private static let events: [Property] = [
    Property("send_events", .boolean, default: "true", "Whether events and diagnostics are sent at all."),
    Property(
      "event_capacity", .integer(1...1_000_000), default: "100",
      "Events, summaries aside, that are recorded between two deliveries; further ones are dropped and counted. In mode server 10000 when unset."
    ),
    Property(
      "strict_vendor", .boolean, default: "false",
      "Whether a payload that could not be delivered twice is dropped, as the service's own clients do, and not kept for the next delivery."
    ),
    Property(
      "summaries_per_context", .boolean, default: "false",
      "Whether evaluations are summed up for each context, and not for all together."),
    Property("enable_compression", .boolean, default: "false", "Whether events and diagnostics are sent with gzip."),
    Property("diagnostic_opt_out", .boolean, default: "false", "Whether no diagnostics are sent."),
    Property(
      "diagnostic_recording_interval_ms", .integer(0...604_800_000), default: "900000",
      "Milliseconds between diagnostics; less than 300000, in mode server 60000, counts as that."),
  ]

  private static let server: [Property] = [
    Property("payload_filter_key", .text, default: "", "server: key of a filter, for a part of the environment's rules only."),
    Property(
      "bootstrap", .json,
      "server: rules to start with where none are stored, as JSON: flags and segments as the service sends them, and flagValues, which are values by keys of flags."
    ),
    Property(
      "bootstrap.file", .text, default: "",
      "server: the same from a file, or from several, which are merged, as a JSON array of paths; without an SDK key read again by hoist_client_refresh()."
    ),
    Property(
      "bootstrap.duplicates", .choice(["fail", "ignore"]), default: "fail",
      "server: what follows when two files have a flag or a segment of one key: they are refused, or the first file's counts."),
    Property(
      "bootstrap.reload", .boolean, default: "true",
      "server: whether files are looked at every second until the service has spoken, and read again when they have changed."),
    Property(
      "context_keys_capacity", .integer(1...1_000_000), default: "1000",
      "server: contexts that are remembered as sent in an event of their own, the latest ones."),
    Property(
      "context_keys_flush_interval_ms", .integer(1...86_400_000), default: "300000",
      "server: milliseconds after which all of them are forgotten."),
    Property(
      "omit_anonymous_contexts", .boolean, default: "false", "server: whether anonymous contexts get no events of their own."),
    Property(
      "daemon_mode", .boolean, default: "false",
      "server: whether rules come from a store alone, which another program fills, and not from the service; see launchdarkly/stores.h."
    ),
    Property(
      "rules_cache_ms", .integer(-1...86_400_000), default: "15000",
      "server: milliseconds after which all rules are read from their store again; 0: every 500, -1: never."),
    Property(
      "big_segments_context_cache_size", .integer(0...10_000_000), default: "1000",
      "server: contexts whose big segments are remembered, those used last."),
    Property(
      "big_segments_context_cache_ms", .integer(0...86_400_000), default: "5000",
      "server: milliseconds after which their store is asked for them again."),
    Property(
      "big_segments_status_poll_ms", .integer(1...86_400_000), default: "5000",
      "server: milliseconds between questions for the status of that store."),
    Property(
      "big_segments_stale_ms", .integer(1...86_400_000_000), default: "120000",
      "server: milliseconds since it was brought up to date after which it is stale."),
  ]

  private static let application: [Property] = [
    Property(
      "application_id", .text, default: "",
      "Id of the application in tags: at most 64 letters, digits, dots, dashes and underscores."),
    Property("application_name", .text, default: "", "Its name, likewise."),
    Property("application_version", .text, default: "", "Its version, likewise."),
    Property("application_version_name", .text, default: "", "The name of its version, likewise."),
    Property("wrapper_name", .text, default: "", "Name of a library on top of this one."),
    Property("wrapper_version", .text, default: "", "Its version."),
  ]
}
