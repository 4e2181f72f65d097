internal import HoistBase
internal import HoistCore

/// The options of one client, read and checked.
struct UnleashSettings: Sendable {
  enum Mode: Sendable { case frontend, backend }
  enum FetchMode: Sendable { case polling, delta, streaming }

  let mode: Mode
  /// nil when the client has no address, and so stays offline.
  private(set) var url: URLText?
  private(set) var key: Secret
  private(set) var keyHeader: String
  /// At first.
  let isOnline: Bool
  let appName: String
  let environment: String
  /// Names of this process: a forked child has its own.
  var instanceID: String { names.current.instance }
  var connectionID: String { names.current.connection }
  private let names: ConnectionNames
  let refreshSeconds: Int64
  let jitterPercent: Int64
  let metricsSeconds: Int64
  let metricsInitialSeconds: Int64
  let countsMetrics: Bool
  let usesPluginTransportForMetrics: Bool
  let registers: Bool
  let initialContext: [String: String]
  let initialProperties: [String: String]
  private(set) var customHeaders: [(name: String, value: String)]
  let usesPOST: Bool
  let fetchMode: FetchMode
  /// Whether the service may ask for streaming.
  let mayStream: Bool
  let project: String
  let namePrefix: String
  let tags: [String]
  let bootstrap: [UInt8]?
  let bootstrapOverrides: Bool
  let bootstrapDelaysFetch: Bool
  let dropsBootstrapOnUpdate: Bool
  let notifiesUnchanged: Bool
  let storageSeconds: Int64
  let announcesAll: Bool
  let flavor: String
  let flavorVersion: String
  let autostart: Bool
  let connectTimeoutMilliseconds: Int64
  let timeoutMilliseconds: Int64
  let maximumResponseBytes: Int
  /// Longest pause between attempts that fail.
  let longestRetryMilliseconds: Int64

  init(_ values: PropertyValues, entropy: any Entropy) throws(ConfigurationFailure) {
    mode = values.text("mode") == "backend" ? .backend : .frontend
    let given = try Self.url(values.text("url"))
    url = mode == .backend ? given.map { Self.base(of: $0) } : given
    isOnline = values.boolean("online")
    key = Secret(values.text("key"))
    keyHeader = values.text("key_header")
    appName = values.text("app_name")
    environment = values.text("environment")
    names = ConnectionNames(instance: values.text("instance_id"), entropy: entropy)
    refreshSeconds = values.integer("refresh_interval")
    jitterPercent = values.integer("refresh_jitter_percent")
    metricsSeconds = values.isSet("metrics_interval") ? values.integer("metrics_interval") : mode == .backend ? 60 : 30
    metricsInitialSeconds = values.isSet("metrics_initial_delay") ? values.integer("metrics_initial_delay") : metricsSeconds
    countsMetrics = !values.boolean("disable_metrics")
    usesPluginTransportForMetrics = values.boolean("metrics_over_plugin_transport")
    registers = !values.boolean("disable_registration")
    initialContext = try InitialContext.members(values.text("context"))
    initialProperties = values.textMap("properties")
    customHeaders = try Self.headers(values.textMap("custom_headers"))
    usesPOST = values.text("fetch_method") == "POST"
    fetchMode = values.text("fetch_mode") == "delta" ? .delta : values.text("fetch_mode") == "streaming" ? .streaming : .polling
    mayStream = fetchMode == .streaming || !values.isSet("fetch_mode")
    project = values.text("project")
    namePrefix = values.text("name_prefix")
    tags = try Self.tags(values.textList("tags"))
    bootstrap = values.isSet("bootstrap") ? Array(values.text("bootstrap").utf8) : nil
    bootstrapOverrides = values.boolean("bootstrap.override")
    bootstrapDelaysFetch = values.boolean("bootstrap.delays_fetch")
    dropsBootstrapOnUpdate = values.boolean("drop_bootstrap_on_update")
    notifiesUnchanged = values.boolean("notify_unchanged")
    storageSeconds = values.integer("storage_ttl")
    announcesAll = values.boolean("impression_data_all")
    flavor = try Self.limited(values, "sdk_flavor", 256)
    flavorVersion = try Self.limited(values, "sdk_flavor_version", 32)
    autostart = values.boolean("autostart")
    connectTimeoutMilliseconds = values.integer("network.connect_timeout_ms")
    timeoutMilliseconds = values.integer("network.timeout_ms")
    maximumResponseBytes = Int(values.integer("network.max_response_bytes"))
    longestRetryMilliseconds = values.integer("network.retry_max_ms")
    if url == nil, isOnline, values.text("bootstrap.file").isEmpty, !values.isSet("bootstrap") {
      throw ConfigurationFailure("url", "property \"url\" is required, unless the client is offline or bootstrapped")
    }
    try Self.check(header: keyHeader, key.reveal(), property: "key")
    try Self.check(header: "unleash-appname", appName, property: "app_name")
    try Self.check(header: "unleash-instanceid", instanceID, property: "instance_id")
    try Self.check(header: "unleash-sdk-flavor", flavor, property: "sdk_flavor")
    try Self.check(header: "unleash-sdk-flavor-version", flavorVersion, property: "sdk_flavor_version")
  }

  /// What requests prove themselves with, as far as it is known before they are made.
  var credential: String { Self.credential(key: key.reveal(), keyHeader: keyHeader, customHeaders) }

  /// - Returns: the key, or what custom headers replace it by.
  static func credential(key: String, keyHeader: String, _ headers: [(name: String, value: String)]) -> String {
    func given(_ name: String) -> String? { headers.first { ASCII.equalsIgnoringCase($0.name, name) }?.value }
    let own = given(keyHeader) ?? key
    guard !ASCII.equalsIgnoringCase(keyHeader, "Authorization"), let other = given("Authorization") else { return own }
    return "\(own)\n\(other)"
  }

  /// These settings with the address, key and headers of other ones.
  func reporting(as other: UnleashSettings) -> UnleashSettings {
    var copy = self
    (copy.url, copy.key, copy.keyHeader, copy.customHeaders) = (other.url, other.key, other.keyHeader, other.customHeaders)
    return copy
  }

  /// UNL-10: a URL that does not parse or has no scheme is refused (the vendor's SDK ends the process).
  private static func url(_ text: String) throws(ConfigurationFailure) -> URLText? {
    if text.isEmpty { return nil }
    do throws(URLText.Problem) {
      return try URLText(text)
    } catch {
      throw ConfigurationFailure("url", "property \"url\" must be an absolute http or https URL: \(error)")
    }
  }

  /// The API's URL out of that of the client API, or of its definitions, which the vendor's pages show as often.
  private static func base(of url: URLText) -> URLText {
    let isDefinitions = url.lastSegment == "features" && url.parent.lastSegment == "client"
    let client = isDefinitions ? url.parent : url
    return client.lastSegment == "client" ? client.parent : url
  }

  /// Of another form they select nothing, and the service answers as if there were no flags.
  private static func tags(_ list: [String]) throws(ConfigurationFailure) -> [String] {
    for (index, tag) in list.enumerated() {
      let parts = tag.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
        throw ConfigurationFailure("tags", "property \"tags\": text \(index + 1) is not of the form name:value")
      }
    }
    return list
  }

  private static func headers(_ map: [String: String]) throws(ConfigurationFailure) -> [(name: String, value: String)] {
    for (name, value) in map { try check(header: name, value, property: "custom_headers") }
    return map.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func check(header name: String, _ value: String, property: String) throws(ConfigurationFailure) {
    guard HeaderText.isSafeName(name), HeaderText.isSafeValue(value) else {
      throw ConfigurationFailure(
        property,
        "property \"\(property)\" cannot be sent as header \"\(name.prefix(40))\": a control character or an invalid name")
    }
  }

  private static func limited(_ values: PropertyValues, _ name: String, _ limit: Int) throws(ConfigurationFailure) -> String {
    let text = values.text(name)
    guard text.unicodeScalars.count <= limit else {
      throw ConfigurationFailure(name, "property \"\(name)\" is longer than \(limit) characters")
    }
    return text
  }

  /// Without an address there is no place for counts, unless other clients send what is in a cache of the host's.
  func countsReads(_ host: any ProviderHost) -> Bool {
    countsMetrics && (url != nil || host.plugins.cacheManager != nil)
  }
}
