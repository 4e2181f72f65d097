internal import HoistBase
internal import HoistCore

/// The options of one client, read and checked.
struct OptimizelySettings: Sendable {
  let sdkKey: Secret
  /// Given as a property; nil when there is none.
  let datafile: [UInt8]?
  /// The path of a given datafile; "" for none.
  let datafilePath: String
  /// Where the datafile is; nil without an SDK key.
  let datafileURL: URLText?
  /// The same for messages, without the key (G7).
  let shownDatafileURL: String
  let accessToken: Secret
  let downloadTimeoutMilliseconds: Int64
  let downloadRetries: Int
  let updatesOnNewDatafile: Bool
  let fetchesInBackground: Bool
  /// 0: no polling.
  let pollingSeconds: Int64
  /// What the host wanted, when it was too short.
  let refusedPollingSeconds: Int64?
  /// nil waits for the end of the download.
  let startTimeoutMilliseconds: Int64?
  let autostart: Bool
  let events: EventSettings
  let decideOptions: DecideOptions
  /// Whether assignments are remembered at all.
  let keepsProfiles: Bool
  let profileCapacity: Int
  let platform: PlatformSettings
  let visitorID: VisitorID.Wish
  let predictions: PredictionSettings
  let connectTimeoutMilliseconds: Int64
  let timeoutMilliseconds: Int64
  let maximumResponseBytes: Int
  /// Longest pause between downloads that fail.
  let longestRetryMilliseconds: Int64

  init(_ values: PropertyValues) throws(ConfigurationFailure) {
    let key = values.text("sdk_key")
    sdkKey = Secret(key)
    datafile = values.isSet("datafile") ? Array(values.text("datafile").utf8) : nil
    datafilePath = values.text("datafile.file")
    accessToken = Secret(values.text("datafile.access_token"))
    let format = Self.datafileFormat(values)
    datafileURL = key.isEmpty ? nil : try Self.url(Self.filling(format, with: PercentEncoding.encode(key)), of: "datafile.url")
    shownDatafileURL = Self.without(key, in: URLText.redacted(Self.filling(format, with: "***")))
    downloadTimeoutMilliseconds = values.integer("datafile.timeout_ms")
    downloadRetries = Int(values.integer("datafile.retries"))
    updatesOnNewDatafile = values.boolean("update_on_new_datafile")
    fetchesInBackground = values.boolean("background_fetch")
    let interval = values.isSet("polling_interval") ? values.integer("polling_interval") : 0
    let wanted = interval < 0 ? 600 : interval
    let least = values.integer("min_polling_interval")
    pollingSeconds = wanted == 0 ? 0 : max(wanted, least)
    refusedPollingSeconds = wanted > 0 && wanted < least ? wanted : nil
    let limit = values.integer("start_timeout_ms")
    startTimeoutMilliseconds = limit > 0 ? limit : nil
    autostart = values.boolean("autostart")
    events = try EventSettings(values)
    decideOptions = try Self.decideOptions(values.textList("decide_options"))
    keepsProfiles = values.boolean("user_profiles")
    profileCapacity = Int(clamping: values.integer("user_profiles.capacity"))
    platform = PlatformSettings(values)
    visitorID = values.boolean("vuid.enabled") ? .kept : values.isSet("vuid.enabled") ? .deleted : .none
    predictions = try PredictionSettings(values)
    connectTimeoutMilliseconds = values.integer("network.connect_timeout_ms")
    timeoutMilliseconds = values.integer("network.timeout_ms")
    maximumResponseBytes = Int(values.integer("network.max_response_bytes"))
    longestRetryMilliseconds = values.integer("network.retry_max_ms")
    try requireSource(values)
    guard HeaderText.isSafeValue(accessToken.reveal()) else {
      throw ConfigurationFailure("datafile.access_token", "property \"datafile.access_token\" has a control character")
    }
  }

  /// The datafile that the properties bring.
  var given: GivenDocument {
    GivenDocument(bytes: datafile, path: datafilePath, property: "datafile.file", limitBytes: maximumResponseBytes)
  }

  /// What the datafile is stored under (OPT-50); nil keeps none.
  var storageKey: String? {
    sdkKey.isEmpty ? nil : "datafile." + sdkKey.withRevealedBytes { Hex.encode(SHA256.hash($0)) }
  }

  /// A transport's message may name the address, in which the key stands.
  func withoutKey(_ message: String) -> String { Self.without(sdkKey.reveal(), in: message) }

  private static func without(_ key: String, in message: String) -> String {
    [PercentEncoding.encode(key), key].reduce(message) { replacing($1, in: $0, with: "***") }
  }

  /// Replaces a word wherever it is not part of a longer one.
  private static func replacing(_ word: String, in text: String, with other: String) -> String {
    let (word, text) = (Array(word.utf8), Array(text.utf8))
    if word.isEmpty { return String(decoding: text, as: UTF8.self) }
    func isEnd(_ index: Int) -> Bool {
      guard text.indices.contains(index) else { return true }
      return !ASCII.isDigit(text[index]) && !(0x61...0x7A).contains(text[index] | 0x20)
    }
    var (result, at): ([UInt8], Int) = ([], 0)
    while at < text.count {
      if text[at...].starts(with: word), isEnd(at - 1), isEnd(at + word.count) {
        result += other.utf8
        at += word.count
      } else {
        result.append(text[at])
        at += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// A client that starts by itself must be able to.
  private func requireSource(_ values: PropertyValues) throws(ConfigurationFailure) {
    guard sdkKey.isEmpty, autostart, datafile == nil, datafilePath.isEmpty else { return }
    throw ConfigurationFailure("sdk_key", "property \"sdk_key\" is required, unless a datafile is given, or autostart is false")
  }

  private static func decideOptions(_ names: [String]) throws(ConfigurationFailure) -> DecideOptions {
    var options: DecideOptions = []
    for name in names {
      guard let option = DecideOptions(name: name) else {
        throw ConfigurationFailure(
          "decide_options", "property \"decide_options\" has \"\(name.prefix(80))\", which is no decide option")
      }
      options.insert(option)
    }
    return options
  }
}

/// Addresses.
extension OptimizelySettings {
  private static let publicFormat = "https://cdn.optimizely.com/datafiles/{sdk_key}.json"
  private static let securedFormat = "https://config.optimizely.com/datafiles/auth/{sdk_key}.json"

  private static func datafileFormat(_ values: PropertyValues) -> String {
    let given = values.text("datafile.url")
    if !given.isEmpty { return given }
    return values.text("datafile.access_token").isEmpty ? publicFormat : securedFormat
  }

  /// - Returns: nil for an empty text.
  static func optionalURL(_ values: PropertyValues, _ property: String) throws(ConfigurationFailure) -> URLText? {
    let text = values.text(property)
    return text.isEmpty ? nil : try url(text, of: property)
  }

  private static func url(_ text: String, of property: String) throws(ConfigurationFailure) -> URLText {
    do throws(URLText.Problem) {
      return try URLText(text)
    } catch {
      throw ConfigurationFailure(property, "property \"\(property)\" must be an absolute http or https URL: \(error)")
    }
  }

  /// The first placeholder there is, replaced.
  private static func filling(_ format: String, with text: String) -> String {
    for placeholder in ["{sdk_key}", "%@", "%s"] {
      for start in format.indices where format[start...].hasPrefix(placeholder) {
        let end = format.index(start, offsetBy: placeholder.count)
        return format[..<start] + text + format[end...]
      }
    }
    return format
  }
}
