internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The options of one client, read and checked.
struct LaunchDarklySettings: Sendable {
  static let standardBaseURL = "https://clientsdk.launchdarkly.com"
  static let standardStreamURL = "https://clientstream.launchdarkly.com"
  static let standardEventsURL = "https://mobile.launchdarkly.com"
  /// Where the client decides by itself (server 2.1).
  static let serverBaseURL = "https://sdk.launchdarkly.com"
  static let serverStreamURL = "https://stream.launchdarkly.com"
  static let serverEventsURL = "https://events.launchdarkly.com"
  private static let leastServerPollingMilliseconds: Int64 = 30_000
  private static let leastPollingMilliseconds: Int64 = 300_000
  private static let leastBackgroundPollingMilliseconds: Int64 = 900_000
  private static let leastDiagnosticMilliseconds: Int64 = 300_000
  private static let leastServerDiagnosticMilliseconds: Int64 = 60_000
  private static let standardFlushMilliseconds: Int64 = 30_000
  private static let serverFlushMilliseconds: Int64 = 5_000
  private static let serverEventCapacity = 10_000

  let mobileKey: Secret
  /// Beside the one of `mobileKey`, by name.
  let secondaryMobileKeys: [String: Secret]
  /// JSON text; nil for the default context.
  let context: [UInt8]?
  let autostart: Bool

  let baseURL: URLText
  let streamURL: URLText
  let eventsURL: URLText
  /// Whether each is another than the service's own; for diagnostics.
  let hasCustomBaseURL: Bool
  let hasCustomStreamURL: Bool
  let hasCustomEventsURL: Bool
  let connectionTimeoutMilliseconds: Int64
  let streams: Bool
  let pollingMilliseconds: Int64
  let backgroundPollingMilliseconds: Int64
  let initialRetryMilliseconds: Int64
  let longestRetryMilliseconds: Int64
  /// LD-93: no status ends anything for good.
  let retriesRefusals: Bool
  let updatesInBackground: Bool
  let usesReport: Bool
  let asksForReasons: Bool
  /// -1: all.
  let maximumCachedContexts: Int
  let secureModeHash: Secret
  let additionalHeaders: [(name: String, value: String)]
  let maximumResponseBytes: Int
  /// One that the host has named; for diagnostics.
  let usesProxy: Bool

  let completesContexts: Bool
  let allAttributesArePrivate: Bool
  /// As given; invalid references among them have no effect.
  let privateAttributes: [String]

  let sendsEvents: Bool
  let eventCapacity: Int
  /// Kept at most, also while nothing can be sent; nil where the host has not said.
  let mostEvents: Int?
  let flushMilliseconds: Int64
  let compressesEvents: Bool
  let eventDurability: EventPipeline.Durability
  /// What the service's own clients give up is given up.
  let isStrict: Bool
  let summarizesPerContext: Bool
  let sendsDiagnostics: Bool
  let diagnosticMilliseconds: Int64

  let applicationID: String
  let applicationName: String
  let applicationVersion: String
  let applicationVersionName: String
  let wrapperName: String
  let wrapperVersion: String

  /// - Parameter isServer: the client decides by itself.
  init(_ values: PropertyValues, isServer: Bool = false) throws(ConfigurationFailure) {
    let key = values.text("mobile_key")
    mobileKey = Secret(isServer && !ServerSettings.isKey(key) ? "" : key)
    secondaryMobileKeys = try Self.environments(values.text("secondary_mobile_keys"), beside: key)
    context = values.isSet("context") ? Array(values.text("context").utf8) : nil
    autostart = values.boolean("autostart")
    baseURL = try Self.url(values, "base_url", isServer ? Self.serverBaseURL : nil)
    streamURL = try Self.url(values, "stream_url", isServer ? Self.serverStreamURL : nil)
    eventsURL = try Self.url(values, "events_url", isServer ? Self.serverEventsURL : nil)
    hasCustomBaseURL = values.text("base_url") != Self.standardBaseURL
    hasCustomStreamURL = values.text("stream_url") != Self.standardStreamURL
    hasCustomEventsURL = values.text("events_url") != Self.standardEventsURL
    connectionTimeoutMilliseconds = values.integer("connection_timeout_ms")
    streams = values.text("streaming_mode") == "streaming"
    let isTest = values.boolean("ignore_polling_minimum")
    func interval(_ name: String, least: Int64) -> Int64 { max(values.integer(name), isTest ? 1 : least) }
    let isLeast = isServer && !values.isSet("flag_polling_interval_ms")
    pollingMilliseconds =
      isLeast
      ? Self.leastServerPollingMilliseconds
      : interval(
        "flag_polling_interval_ms", least: isServer ? Self.leastServerPollingMilliseconds : Self.leastPollingMilliseconds)
    backgroundPollingMilliseconds = interval(
      "background_flag_polling_interval_ms", least: Self.leastBackgroundPollingMilliseconds)
    initialRetryMilliseconds = values.integer("initial_retry_delay_ms")
    longestRetryMilliseconds = values.integer("network.retry_max_ms")
    retriesRefusals = values.boolean("retry_refused")
    updatesInBackground = values.boolean("enable_background_updates")
    usesReport = !isServer && values.boolean("use_report")
    asksForReasons = values.boolean("evaluation_reasons")
    maximumCachedContexts = Int(clamping: values.integer("max_cached_contexts"))
    secureModeHash = Secret(values.text("secure_mode_hash"))
    additionalHeaders = try Self.headers(values.textMap("additional_headers"))
    maximumResponseBytes = Int(clamping: values.integer("network.max_response_bytes"))
    usesProxy = values.isSet("network.proxy") && !values.text("network.proxy").isEmpty
    completesContexts = values.boolean("auto_env_attributes")
    allAttributesArePrivate = values.boolean("all_context_attributes_private")
    privateAttributes = values.textList("private_context_attributes")
    sendsEvents = values.boolean("send_events")
    eventCapacity =
      isServer && !values.isSet("event_capacity")
      ? Self.serverEventCapacity : Int(clamping: values.integer("event_capacity"))
    mostEvents = values.isSet("events.capacity") ? Int(clamping: values.integer("events.capacity")) : nil
    let flush = values.integer("events.flush_interval_ms")
    flushMilliseconds = flush > 0 ? flush : isServer ? Self.serverFlushMilliseconds : Self.standardFlushMilliseconds
    compressesEvents = values.boolean("enable_compression")
    eventDurability = EventPipeline.Durability(name: values.text("events.durability"))
    isStrict = values.boolean("strict_vendor")
    summarizesPerContext = values.boolean("summaries_per_context")
    sendsDiagnostics = !values.boolean("diagnostic_opt_out")
    diagnosticMilliseconds = interval(
      "diagnostic_recording_interval_ms",
      least: isServer ? Self.leastServerDiagnosticMilliseconds : Self.leastDiagnosticMilliseconds)
    applicationID = values.text("application_id")
    applicationName = values.text("application_name")
    applicationVersion = values.text("application_version")
    applicationVersionName = values.text("application_version_name")
    wrapperName = try Self.header(values, "wrapper_name")
    wrapperVersion = try Self.header(values, "wrapper_version")
    guard isServer || HeaderText.isSafeValue(key) else {
      throw ConfigurationFailure("mobile_key", "property \"mobile_key\" has a control character")
    }
  }
}

/// Properties that need more than their type.
extension LaunchDarklySettings {
  static let primaryEnvironment = "default"

  /// Tells the environment's rows and values in a store from those of others, and no more of its key (G7).
  var mobileKeyDigest: String { mobileKey.withRevealedBytes { String(Hex.encode(SHA256.hash($0)).prefix(8)) } }

  /// 5.2: a key of another environment, or a name that is taken, is refused.
  static func environments(_ text: String, beside primaryKey: String) throws(ConfigurationFailure) -> [String: Secret] {
    func refuse(_ problem: String) -> ConfigurationFailure {
      ConfigurationFailure("secondary_mobile_keys", "property \"secondary_mobile_keys\" \(problem)")
    }
    guard let document = try? JSONDocument(parsing: text) else { throw refuse("is no JSON") }
    return try document.withRoot { root throws(ConfigurationFailure) in
      guard let object = root.object else { throw refuse("is no JSON object") }
      var seen: Set<[UInt8]> = [Array(primaryKey.utf8)]
      var keys: [String: Secret] = [:]
      for (name, value) in object {
        guard let key = value.string else { throw refuse("has a member that is no text") }
        if name.utf8.elementsEqual(primaryEnvironment.utf8) {
          throw refuse("has the name \"default\", which is that of mobile_key")
        }
        guard seen.insert(Array(key.utf8)).inserted else { throw refuse("has the same mobile key for two environments") }
        guard HeaderText.isSafeValue(key) else { throw refuse("has a control character") }
        keys[name.string] = Secret(key)
      }
      return keys
    }
  }

  /// - Parameter standard: in place of the property's own default.
  private static func url(
    _ values: PropertyValues, _ property: String, _ standard: String?
  ) throws(ConfigurationFailure) -> URLText {
    do throws(URLText.Problem) {
      return try URLText(standard.flatMap { values.isSet(property) ? nil : $0 } ?? values.text(property))
    } catch {
      throw ConfigurationFailure(property, "property \"\(property)\" must be an absolute http or https URL: \(error)")
    }
  }

  private static func headers(_ map: [String: String]) throws(ConfigurationFailure) -> [(name: String, value: String)] {
    for (name, value) in map where !HeaderText.isSafeName(name) || !HeaderText.isSafeValue(value) {
      throw ConfigurationFailure(
        "additional_headers",
        "property \"additional_headers\" cannot be sent as header \"\(name.prefix(40))\": a control character or an invalid name")
    }
    return map.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func header(_ values: PropertyValues, _ property: String) throws(ConfigurationFailure) -> String {
    let text = values.text(property)
    guard HeaderText.isSafeValue(text) else {
      throw ConfigurationFailure(property, "property \"\(property)\" has a control character")
    }
    return text
  }
}

/// What a client's options say of contexts.
extension LaunchDarklySettings {
  var application: ApplicationInfo {
    func given(_ text: String) -> String? { text.isEmpty ? nil : text }
    return ApplicationInfo(
      id: given(applicationID), name: given(applicationName), version: given(applicationVersion),
      versionName: given(applicationVersionName))
  }

  /// Nil where contexts are not completed. Reads small files of the system.
  var environmentAttributes: EnvironmentAttributes? {
    completesContexts ? EnvironmentAttributes(application: application, machine: .current()) : nil
  }

  /// The application as headers name it: as in contexts, where it is there (2.1 "Tags").
  var tags: ApplicationTags {
    ApplicationTags(
      completesContexts ? EnvironmentAttributes(application: application, machine: MachineFacts()).application : application)
  }

  var redaction: Redaction {
    Redaction(
      allAttributesPrivate: allAttributesArePrivate, globalPrivate: privateAttributes.map { AttributeReference($0) })
  }
}
