internal import HoistBase
internal import HoistCore

/// Where assignments are made (FS-06 to FS-08).
public enum DecisionMode: String, Sendable {
  case decisionAPI = "decision_api"
  case bucketing
}

/// The options of one client, read and checked.
struct FlagshipSettings: Sendable {
  let environmentID: String
  let apiKey: Secret
  let mode: DecisionMode
  let autostart: Bool
  let decisionTimeoutMilliseconds: Int64
  /// 0: exactly one download.
  /// Of the visitor that the client speaks for from the start; nil for none.
  let context: ContextReference?
  let pollingSeconds: Int64
  let longestRetryMilliseconds: Int64
  /// The host's bucketing file to start with (FS-212); nil for none.
  let givenFile: [UInt8]?
  /// The same as the path of a file; "" for none.
  let givenFilePath: String
  /// "" for none.
  let decisionGroup: String
  let widensIntegers: Bool
  /// The vendor's level, for reports.
  let logLevel: String
  let tracksUsage: Bool
  let usesSegments: Bool
  let usesEmotionScore: Bool
  let downloadsAccount: Bool
  /// Whether evaluations of the core count the visitor.
  let exposes: Bool
  let addresses: ServiceAddresses
  let hits: HitSettings
  /// What requests and contexts call this SDK.
  let clientName: String
  let connectTimeoutMilliseconds: Int64
  /// Of every request but the decision request.
  let timeoutMilliseconds: Int64
  let maximumResponseBytes: Int
  let visitors: VisitorSettings

  /// The vendor's own limit for requests (3.1).
  private static let standardTimeoutMilliseconds: Int64 = 60_000

  init(_ values: PropertyValues) throws(ConfigurationFailure) {
    environmentID = values.text("env_id")
    apiKey = Secret(values.text("api_key"))
    mode = DecisionMode(rawValue: values.text("mode")) ?? .decisionAPI
    autostart = values.boolean("autostart")
    decisionTimeoutMilliseconds = values.integer("timeout_ms")
    context = try Self.context(values)
    pollingSeconds = values.integer("polling_interval")
    longestRetryMilliseconds = values.integer("network.retry_max_ms")
    givenFile = values.isSet("bucketing") ? Array(values.text("bucketing").utf8) : nil
    givenFilePath = values.text("bucketing.file")
    decisionGroup = values.text("decision_group")
    logLevel = values.isSet("log_level") ? values.text("log_level") : values.text("log.level")
    tracksUsage = values.boolean("usage_tracking")
    usesSegments = values.boolean("third_party_segments")
    usesEmotionScore = values.boolean("emotion_score")
    downloadsAccount = values.boolean("account_settings") || values.boolean("emotion_score")
    widensIntegers = values.boolean("numeric_widening")
    exposes = values.boolean("expose")
    addresses = try ServiceAddresses(values)
    hits = HitSettings(values)
    clientName = values.text("client_name")
    connectTimeoutMilliseconds = values.integer("network.connect_timeout_ms")
    timeoutMilliseconds =
      values.isSet("network.timeout_ms") ? values.integer("network.timeout_ms") : Self.standardTimeoutMilliseconds
    maximumResponseBytes = Int(values.integer("network.max_response_bytes"))
    visitors = VisitorSettings(values)
    guard HeaderText.isSafeValue(apiKey.reveal()) else {
      throw ConfigurationFailure("api_key", "property \"api_key\" has a control character")
    }
    guard HeaderText.isSafeValue(clientName), !clientName.isEmpty else {
      throw ConfigurationFailure("client_name", "property \"client_name\" is empty or has a control character")
    }
  }

  /// How documents of campaigns are read.
  func campaignOptions(_ log: Log, _ automatic: AutomaticContext) -> CampaignOptions {
    var options = CampaignOptions(widensIntegers: widensIntegers, log: log)
    options.automatic = automatic
    return options
  }

  /// The vendor's form of an environment id; others work with servers of one's own.
  var hasUsualEnvironmentID: Bool {
    environmentID.utf8.count == 20
      && environmentID.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "v") ~= $0
      }
  }
}

extension FlagshipSettings {
  private static func context(_ values: PropertyValues) throws(ConfigurationFailure) -> ContextReference? {
    guard values.isSet("context") else { return nil }
    do throws(ContextJSON.Failure) {
      return try values.text("context").withBytes { text in
        Result { () throws(ContextJSON.Failure) in try ContextJSON.context(text).reference() }
      }.get()
    } catch {
      throw ConfigurationFailure("context", "property \"context\" is no context: \(error.message)")
    }
  }
}

/// What a client's options say of visitors.
struct VisitorSettings: Sendable {
  /// FS-23, FS-24
  let lookUpTimeoutMilliseconds: Int64
  /// 0: every fetch is one (FS-204).
  let bufferingMilliseconds: Int64
  /// FS-212
  let fetchesAtCreation: Bool
  /// The default consent of visitors (FS-34).
  let hasConsented: Bool
  let keepsGeneratedIDs: Bool

  init(_ values: PropertyValues) {
    lookUpTimeoutMilliseconds = values.integer("visitor_cache.timeout_ms")
    bufferingMilliseconds = values.integer("fetch.buffering_ms")
    fetchesAtCreation = values.boolean("fetch.at_creation")
    hasConsented = values.boolean("has_consented")
    keepsGeneratedIDs = values.boolean("generated_ids.keep")
  }

  static let table: [Property] = [
    Property(
      "visitor_cache.timeout_ms", .integer(1...60_000), default: "200",
      "Longest time that a look-up in the visitor cache may take, in milliseconds."),
    Property(
      "fetch.buffering_ms", .integer(0...600_000), default: "0",
      "Milliseconds after a fetch in which another one of the same visitor, whose flags are fetched, does nothing; 0 for none. Newer SDKs of the vendor have 2000."
    ),
    Property(
      "fetch.at_creation", .boolean, default: "false",
      "Whether a new visitor fetches its flags at once, as a call right after would; making it does not wait for them (the vendor's fetchNow)."
    ),
    Property(
      "has_consented", .boolean, default: "true",
      "Whether visitors have consented that are made without a word of it: by the calls of the core, and without options."),
    Property(
      "generated_ids.keep", .boolean, default: "false", "Whether generated ids of visitors are kept in the store and used again."),
  ]
}
