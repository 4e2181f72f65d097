internal import HoistBase
internal import HoistCore

/// How impressions and conversions travel (protocols/optimizely.md 5.6; OPT-72).
struct EventSettings: Sendable {
  static let standardBatchSize = 10
  static let standardIntervalMilliseconds: Int64 = 60_000

  let batchSize: Int
  let capacity: Int
  /// 0: each event at once.
  let intervalMilliseconds: Int64
  let durability: EventPipeline.Durability
  let usURL: URLText?
  let euURL: URLText?
  private let usAddress: [UInt8]
  private let euAddress: [UInt8]
  let client: EventClient

  init(_ values: PropertyValues) throws(ConfigurationFailure) {
    let batch = Int(values.integer("events.batch_size"))
    batchSize = batch > 0 ? batch : Self.standardBatchSize
    capacity = max(Int(clamping: values.integer("events.capacity")), batchSize)
    let seconds = values.isSet("events.timer_interval") ? values.integer("events.timer_interval") : -1
    let given = values.integer("events.flush_interval_ms")
    intervalMilliseconds = seconds >= 0 ? seconds * 1000 : given > 0 ? given : Self.standardIntervalMilliseconds
    durability = EventPipeline.Durability(name: values.text("events.durability"))
    usURL = try OptimizelySettings.optionalURL(values, "events.url.us")
    euURL = try OptimizelySettings.optionalURL(values, "events.url.eu")
    usAddress = Array((usURL?.text ?? "").utf8)
    euAddress = Array((euURL?.text ?? "").utf8)
    client = EventClient(name: values.text("client_name"), version: values.text("client_version"))
  }

  /// The same as it goes into records; empty for the service's own address.
  func address(for region: OptimizelyRegion) -> [UInt8] { region == .us ? usAddress : euAddress }

  /// Where the host wants events of a region to go; nil for the service's own address.
  func url(for region: OptimizelyRegion) -> URLText? { region == .us ? usURL : euURL }
}
