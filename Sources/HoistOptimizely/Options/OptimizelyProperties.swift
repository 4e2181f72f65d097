internal import HoistCore

/// The properties of an Optimizely client, beside the core's.
enum OptimizelyProperties {
  static let table: [Property] = life + events + decisions + PlatformSettings.properties + PredictionSettings.properties

  /// The datafile: its source and how it is kept current (OPT-01, OPT-07, OPT-20 to OPT-44, OPT-100).
  private static let life: [Property] = [
    Property(
      "sdk_key", .secret, default: "",
      "SDK key of the environment. Needed to download its datafile and to keep it for the next run."),
    Property(
      "datafile", .text, "Datafile to start with, as JSON text; one that an earlier run has saved for this SDK key wins over it."),
    Property("datafile.file", .text, default: "", "File of a datafile to start with; as datafile."),
    Property(
      "datafile.url", .address, default: "",
      "Address of the datafile, with {sdk_key} or %@ where the key goes; empty for the service's own."),
    Property(
      "datafile.access_token", .secret, default: "",
      "Token of a secured environment: its datafile is asked for with it, at the service's address for those."),
    Property(
      "datafile.timeout_ms", .integer(1...600_000), default: "10000",
      "Longest time for one download of the datafile, in milliseconds."),
    Property(
      "datafile.retries", .integer(0...10), default: "3",
      "Further attempts, after 200, 400, 800 ms and so on, of a start's download that fails while there is no datafile at all; then attempts go on at a slower pace."
    ),
    Property(
      "update_on_new_datafile", .boolean, default: "false",
      "Whether a datafile that arrives after a start with a given or saved one is served at once, or only at the next start."),
    Property(
      "background_fetch", .boolean, default: "true",
      "Whether a start with a given or saved datafile asks for a new one in the background."),
    Property(
      "polling_interval", .integer(-1...86_400),
      "Seconds between downloads, each served as soon as it brings another revision; 0 and unset: none, -1: 600."),
    Property(
      "min_polling_interval", .integer(1...86_400), default: "120",
      "Seconds that a shorter polling_interval is raised to, with a warning."),
    Property(
      "start_timeout_ms", .integer(0...600_000), default: "0",
      "Longest wait for the download of a start without a given datafile, in milliseconds; 0: until it has ended."),
    Property(
      "autostart", .boolean, default: "true", "Whether opening the client starts it, or a call of hoist/optimizely.h does."),
  ]

  /// Impressions and conversions (OPT-63, OPT-72, OPT-91, OPT-99).
  private static let events: [Property] = [
    Property(
      "events.batch_size", .integer(-1_000_000...1_000_000), default: "10",
      "Events of one request at most; as many waiting ones are sent at once. 10 when not above 0."),
    Property(
      "events.timer_interval", .integer(-1...86_400),
      "Seconds after which fewer events are sent too; 0 sends each at once, -1 and unset: events.flush_interval_ms, or 60 s."),
    Property("events.url.us", .address, default: "", "Address for events of projects in region US; empty for the service's own."),
    Property("events.url.eu", .address, default: "", "Address for events of projects in region EU; empty for the service's own."),
    Property("client_name", .text, default: "hoist", "Name of the client in events."),
    Property("client_version", .text, default: HoistVersion.text, "Version of the client in events."),
  ]

  private static let decisions: [Property] = [
    Property(
      "decide_options", .textList, default: "[]",
      "Options of every decide call, by the service's names, e.g. [\"INCLUDE_REASONS\"]; those of a call are added."),
    Property(
      "user_profiles", .boolean, default: "true",
      "Whether users stay in the variation of an experiment they were assigned to: kept in the store, or by a user profile service."
    ),
    Property(
      "user_profiles.capacity", .integer(1...10_000_000), default: "10000",
      "Users whose profiles are kept without a user profile service, rounded up to a multiple of 32; the one seen least recently is forgotten first."
    ),
  ]
}
