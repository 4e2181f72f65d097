internal import HoistCore

/// How hits are batched and stored (FS-14 to FS-20, FS-201, FS-204, FS-210).
struct HitSettings: Sendable {
  enum Strategy: String, CaseIterable {
    /// Each hit is in the cache before it is in a batch.
    case continuous = "continuous_caching"
    /// The pool is copied to the cache periodically.
    case periodic = "periodic_caching"
    /// Each hit is posted alone and at once.
    case none = "no_batching"

    /// In usage reports.
    var vendorName: String {
      switch self {
      case .continuous: "CONTINUOUS_CACHING"
      case .periodic: "PERIODIC_CACHING"
      case .none: "NO_BATCHING"
      }
    }
  }

  let strategy: Strategy
  /// Between two batches.
  let intervalMilliseconds: Int64
  /// With this many pooled hits they are sent before the interval ends.
  let poolSize: Int
  /// Whether activates wait for either, too (FS-204).
  let batchesActivates: Bool
  let capacity: Int
  let durability: EventPipeline.Durability
  /// 0: every one is sent.
  let deduplicationMilliseconds: Int64
  /// How long the host's cache may take to tell its hits (FS-24).
  let lookupTimeoutMilliseconds: Int64
  /// Marks every hit and activate as one of a test (FS-210).
  let isQA: Bool

  /// Hits and activates that are older are dropped (5.5).
  static let maximumAgeMilliseconds: Int64 = 4 * 3_600_000

  static let table: [Property] = [
    Property(
      "hits.strategy", .choice(Strategy.allCases.map(\.rawValue)), default: Strategy.continuous.rawValue,
      "How hits are kept: each before the call returns, the pool every 100 ms, or each posted alone at once."),
    Property("hits.batch_interval", .integer(1...86_400), default: "5", "Seconds between two batches of hits."),
    Property(
      "hits.pool_max_size", .integer(1...100_000), default: "10", "Pooled hits that are sent without waiting for the interval."),
    Property(
      "hits.batch_activates", .boolean, default: "false",
      "Whether activates wait for the interval or a full pool as hits do, and the host hears of exposures as late; without, each is sent at once."
    ),
    Property(
      "hits.deduplication_ms", .integer(0...86_400_000), default: "0",
      "Milliseconds in which an identical hit or activate of a visitor is dropped; 0 sends every one (newer SDKs of the vendor: 2500)."
    ),
    Property(
      "hit_cache.timeout_ms", .integer(1...60_000), default: "200", "Longest wait for a hit cache of the host's, in milliseconds."
    ),
    Property("qa", .boolean, default: "false", "Whether hits and activates are marked as those of a test."),
  ]

  init(_ values: PropertyValues) {
    strategy = Strategy(rawValue: values.text("hits.strategy")) ?? .continuous
    let interval = values.integer("events.flush_interval_ms")
    intervalMilliseconds = interval > 0 ? interval : values.integer("hits.batch_interval") * 1_000
    poolSize = Int(clamping: values.integer("hits.pool_max_size"))
    batchesActivates = values.boolean("hits.batch_activates")
    capacity = Int(clamping: values.integer("events.capacity"))
    deduplicationMilliseconds = values.integer("hits.deduplication_ms")
    lookupTimeoutMilliseconds = values.integer("hit_cache.timeout_ms")
    isQA = values.boolean("qa")
    if values.isSet("events.durability") {
      durability = EventPipeline.Durability(name: values.text("events.durability"))
    } else {
      durability = strategy == .continuous ? .immediate : .periodic
    }
  }

  /// What the pipelines of hits and activates have in common.
  func pipelineOptions(_ name: String) -> EventPipeline.Options {
    var options = EventPipeline.Options(name: name)
    options.maximumRows = capacity
    options.durability = durability
    options.commitLimitMilliseconds = 500
    options.flushIntervalMilliseconds = intervalMilliseconds
    options.flushTiming = .sinceStart
    options.flushesAdopted = true
    options.maximumAgeMilliseconds = Self.maximumAgeMilliseconds
    options.encodesEveryAttempt = true
    return options
  }
}
