internal import HoistBase

/// How the processes over one store share what one of them fetches: properties `fetch.shared…`.
public struct FetchSharing: Sendable {
  /// It never fetches.
  var isReader: Bool
  /// Within that the others notice that the leader is gone.
  var leaseMilliseconds: Int64
  /// Between two looks at the store, at most.
  var pollMilliseconds: Int64

  public init(isReader: Bool, leaseMilliseconds: Int64, pollMilliseconds: Int64) {
    self.isReader = isReader
    self.leaseMilliseconds = leaseMilliseconds
    self.pollMilliseconds = min(pollMilliseconds, leaseMilliseconds / 4)
  }

  /// - Returns: nil where each process fetches for itself.
  init?(_ values: PropertyValues) {
    let mode = values.text("fetch.shared")
    guard mode != "off" else { return nil }
    self.init(
      isReader: mode == "reader", leaseMilliseconds: values.integer("fetch.shared.lease_ms"),
      pollMilliseconds: values.integer("fetch.shared.poll_ms"))
  }

  /// What is asked of the store: an heir looks once more before it finds the lead free.
  var heldMilliseconds: Int64 { leaseMilliseconds - pollMilliseconds }

  /// Refuses what cannot be shared, or not over this store.
  static func check(_ values: PropertyValues, _ factory: any ProviderFactory, _ store: Store) throws(ConfigurationFailure) {
    guard FetchSharing(values) != nil else { return }
    let name = "fetch.shared"
    guard factory.sharesFetches(values) else {
      let mode = factory.mode(values)
      throw ConfigurationFailure(
        name,
        "property \"\(name)\": what \(factory.name)\(mode.isEmpty ? "" : " in mode \(mode)") fetches is of one client alone, for "
          + "its context or visitor; leave it \"off\"")
    }
    guard store.keepsValues else {
      throw ConfigurationFailure(name, "property \"\(name)\" needs a store that processes share; property \"store\" is \"none\"")
    }
    guard store.canLead else {
      throw ConfigurationFailure(
        name, "property \"\(name)\": the cache plug-in has no \"lead\" and \"save_led\"; leave it \"off\"")
    }
  }
}

/// Fetches ten times as seldom while the store is away and each process fetches for itself.
struct SharedPace: FetchPace {
  private static let slowness: Int64 = 10
  private var pace: any FetchPace
  private let shared: SharedFetch

  init(_ pace: any FetchPace, _ shared: SharedFetch) { (self.pace, self.shared) = (pace, shared) }

  var intervalMilliseconds: Int64 { pace.intervalMilliseconds }
  mutating func reset() { pace.reset() }
  mutating func succeeded() -> Int64? { slowed(pace.succeeded()) }
  mutating func failed(_ failure: FetchFailure, hasFlags: Bool, _ entropy: any Entropy) -> Int64? {
    slowed(pace.failed(failure, hasFlags: hasFlags, entropy))
  }

  private func slowed(_ pause: Int64?) -> Int64? {
    pause.map { shared.isAlone ? min($0, 1 << 40) * Self.slowness : $0 }
  }
}
