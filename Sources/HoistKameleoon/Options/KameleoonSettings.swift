internal import HoistBase
internal import HoistCore

/// The options of one client, read and checked.
struct KameleoonSettings: Sendable {
  let siteCode: String
  /// "" when none is asked for (§7-A10).
  let environment: String
  /// "" for none.
  let clientID: String
  let clientSecret: Secret
  let refreshMilliseconds: Int64
  let longestRetryMilliseconds: Int64
  /// Of every request, unless the call has one of its own (KAM-04).
  let timeoutMilliseconds: Int64
  let connectTimeoutMilliseconds: Int64
  let maximumResponseBytes: Int
  /// nil for none (KAM-B11).
  let defaultDatafile: [UInt8]?
  /// "" for none.
  let defaultDatafilePath: String
  /// KAM-B26
  let failsFast: Bool
  /// Of the client's own visitor; "" generates one (KAM-12).
  let visitorCode: String
  let isUniqueIdentifier: Bool
  /// nil: data never expires (KAM-03).
  let dataExpirationMilliseconds: Int64?
  let trackingIntervalMilliseconds: Int64
  /// nil: none; 0: one at the start (KAM-B17).
  let activityIntervalMilliseconds: Int64?
  let tracksEvaluations: Bool
  /// How many recorded data may wait, and how soon they are stored.
  let eventCapacity: Int
  let consentCapacity: Int
  let eventDurability: EventPipeline.Durability
  let sdkName: String
  let sdkVersion: String
  /// §7-A2
  let searchesRegex: Bool
  /// §7
  let isStrictVendor: Bool
  /// What was changed, for the log.
  let warnings: [String]

  private static let standardRefreshMinutes: Int64 = 60
  private static let standardTimeoutMilliseconds: Int64 = 10_000
  private static let trackingIntervals: ClosedRange<Int64> = 100...5000
  private static let leastActivityMilliseconds: Int64 = 15_000
  /// KAM-11: code points.
  static let maximumVisitorCodeLength = 255

  init(_ values: PropertyValues) throws(ConfigurationFailure) {
    var warnings: [String] = []
    siteCode = values.text("site_code")
    environment = values.text("environment")
    clientID = values.text("client_id")
    clientSecret = Secret(values.text("client_secret"))
    longestRetryMilliseconds = values.integer("network.retry_max_ms")
    refreshMilliseconds = Self.positive(values, "refresh_interval_minute", else: Self.standardRefreshMinutes, &warnings) * 60_000
    timeoutMilliseconds = Self.positive(values, "default_timeout_millisecond", else: Self.standardTimeoutMilliseconds, &warnings)
    connectTimeoutMilliseconds = values.integer("network.connect_timeout_ms")
    maximumResponseBytes = Int(values.integer("network.max_response_bytes"))
    defaultDatafile = values.isSet("default_datafile") ? Array(values.text("default_datafile").utf8) : nil
    defaultDatafilePath = values.text("default_datafile.file")
    failsFast = values.boolean("ready.fails_fast")
    visitorCode = values.text("visitor_code")
    isUniqueIdentifier = values.boolean("is_unique_identifier")
    let minutes = values.integer("data_expiration_interval_minute")
    dataExpirationMilliseconds = minutes > 0 ? minutes * 60_000 : nil
    let interval = values.integer("tracking_interval_millisecond")
    trackingIntervalMilliseconds = min(max(interval, Self.trackingIntervals.lowerBound), Self.trackingIntervals.upperBound)
    if interval != trackingIntervalMilliseconds {
      warnings.append("tracking_interval_millisecond \(interval) becomes \(trackingIntervalMilliseconds)")
    }
    activityIntervalMilliseconds = Self.activityInterval(values, &warnings)
    tracksEvaluations = values.boolean("track_evaluations")
    eventCapacity = Int(clamping: values.integer("events.capacity"))
    consentCapacity = values.consentCapacity
    eventDurability = EventPipeline.Durability(name: values.text("events.durability"))
    sdkName = values.text("sdk_name")
    sdkVersion = values.text("sdk_version")
    searchesRegex = values.boolean("regex_search")
    isStrictVendor = values.boolean("strict_vendor")
    if let missing = Self.missingCredential(clientID, clientSecret) { warnings.append(missing) }
    self.warnings = warnings
    for (name, value) in [("sdk_name", sdkName), ("sdk_version", sdkVersion)]
    where !HeaderText.isSafeValue(value) || value.isEmpty {
      throw ConfigurationFailure(name, "property \"\(name)\" is empty or has a control character")
    }
    guard visitorCode.unicodeScalars.count <= Self.maximumVisitorCodeLength else {
      throw ConfigurationFailure(
        "visitor_code", "property \"visitor_code\" has more than \(Self.maximumVisitorCodeLength) characters")
    }
  }

  /// Whether requests for data and tracking are authorised (KAM-08).
  var hasCredentials: Bool { !clientID.isEmpty && clientSecret.withRevealedBytes { !$0.isEmpty } }

  /// One without the other is of no use; nil for both, and for none.
  private static func missingCredential(_ id: String, _ secret: Secret) -> String? {
    let hasSecret = secret.withRevealedBytes { !$0.isEmpty }
    guard id.isEmpty == hasSecret else { return nil }
    let (given, missing) = hasSecret ? ("client_secret", "client_id") : ("client_id", "client_secret")
    return "\(given) without \(missing) is not used: requests for data and tracking are not authorised"
  }

  /// - Parameter milliseconds: of a call that has a timeout of its own; nil for the client's.
  func limit(_ request: inout HTTPRequest, toMilliseconds milliseconds: Int64? = nil) {
    request.connectTimeoutMilliseconds = connectTimeoutMilliseconds
    request.timeoutMilliseconds = milliseconds ?? timeoutMilliseconds
    request.maximumResponseBytes = maximumResponseBytes
  }

  /// Vendor SDKs use their default for values not above 0 (4.2).
  private static func positive(
    _ values: PropertyValues, _ name: String, else standard: Int64, _ warnings: inout [String]
  ) -> Int64 {
    let value = values.integer(name)
    if value > 0 { return value }
    warnings.append("\(name) \(value) is not above 0; it becomes \(standard)")
    return standard
  }

  private static func activityInterval(_ values: PropertyValues, _ warnings: inout [String]) -> Int64? {
    let name = "activity_tracking_interval_millisecond"
    guard values.isSet(name) else { return nil }
    let value = values.integer(name)
    guard value > 0, value < leastActivityMilliseconds else { return value }
    warnings.append("\(name) \(value) becomes \(leastActivityMilliseconds)")
    return leastActivityMilliseconds
  }
}
