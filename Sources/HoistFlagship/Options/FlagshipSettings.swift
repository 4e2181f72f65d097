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
  let pollingSeconds: Int64
  /// A bucketing file of the host's to start with (FS-212); nil for none.
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
    pollingSeconds = values.integer("polling_interval")
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
    timeoutMilliseconds = values.isSet("network.timeout_ms") ? values.integer("network.timeout_ms") : Self.standardTimeoutMilliseconds
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
  func campaignOptions(_ log: Log) -> CampaignOptions { CampaignOptions(widensIntegers: widensIntegers, log: log) }

  /// The vendor's form of an environment id; others work with servers of one's own.
  var hasUsualEnvironmentID: Bool {
    environmentID.utf8.count == 20
      && environmentID.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "v") ~= $0 }
  }
}
