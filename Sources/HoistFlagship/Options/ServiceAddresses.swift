internal import HoistBase
internal import HoistCore

/// Where the service is (3.1), every base of it changeable.
struct ServiceAddresses: Sendable {
  /// `POST`: the campaigns of one visitor.
  let campaigns: String
  let activate: String
  let bucketingFile: String
  let accountSettings: String
  let hits: String
  let troubleshooting: String
  let usage: String
  let emotionEvents: String
  private let environment: String
  private let segments: String
  private let scores: String

  init(_ values: PropertyValues) throws(ConfigurationFailure) {
    let environment = PercentEncoding.encode(values.text("env_id"))
    let decision = try BaseAddress.read(values, "decision.url")
    let content = try BaseAddress.read(values, "cdn.url")
    let events = try BaseAddress.read(values, "events.url")
    // A server of one's own serves one environment (FS-211).
    let path = values.boolean("decision.self_hosted") ? "" : "/\(environment)"
    campaigns = "\(decision)\(path)/campaigns?exposeAllKeys=true&extras%5B%5D=accountSettings"
    activate = "\(decision)/activate"
    bucketingFile = "\(content)/\(environment)/bucketing.json"
    accountSettings = "\(content)/\(environment)/accountSettings.json"
    hits = "\(events)/"
    troubleshooting = "\(events)/troubleshooting"
    usage = "\(events)/analytics"
    emotionEvents = "\(events)/emotionsai"
    self.environment = environment
    segments = try BaseAddress.read(values, "segments.url")
    scores = try BaseAddress.read(values, "emotion.url")
  }

  /// FS-209
  func segments(of visitorID: [UInt8]) -> String {
    "\(segments)/accounts/\(environment)/segments/\(PercentEncoding.encode(visitorID))"
  }

  /// FS-207
  func emotionScore(of visitorID: [UInt8]) -> String {
    "\(scores)/v1/segments/clients/\(environment)/visitors/\(PercentEncoding.encode(visitorID))?partner=eai"
  }
}
