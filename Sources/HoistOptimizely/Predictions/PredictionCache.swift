internal import HoistBase

/// Choices of the prediction server that still hold, by user and experiment (protocols/optimizely.md 4.15). Not
/// thread-safe.
public struct PredictionCache {
  public struct Choice: Sendable, Equatable {
    public var variationID: [UInt8]
    public var uuid: String
    public init(variationID: [UInt8], uuid: String) {
      self.variationID = variationID
      self.uuid = uuid
    }
  }

  public static let standardCapacity = 100
  public static let standardLifetimeMilliseconds: Int64 = 1_800_000

  private struct Entry {
    var fingerprint: UInt64
    var choice: Choice
  }

  private struct Key: Hashable {
    var user: [UInt8]
    var experiment: [UInt8]
  }

  private var entries: ExpiringCache<Key, Entry>

  /// Values of 0 or below mean the standard ones.
  public init(capacity: Int = standardCapacity, lifetimeMilliseconds: Int64 = standardLifetimeMilliseconds) {
    entries = ExpiringCache(
      capacity: capacity > 0 ? capacity : Self.standardCapacity,
      lifetime: lifetimeMilliseconds > 0 ? lifetimeMilliseconds : Self.standardLifetimeMilliseconds)
  }

  /// The choice that serves the request, after what the options ask to forget; nil when the server has to be asked.
  public mutating func choice(for request: PredictionRequest, options: DecideOptions, at now: Int64) -> Choice? {
    if options.contains(.ignoreCMABCache) { return nil }
    if options.contains(.resetCMABCache) { entries.removeAll() }
    let key = Key(user: request.userID, experiment: request.experimentID)
    if options.contains(.invalidateUserCMABCache) { entries.remove(key) }
    guard let entry = entries.lookUp(key, at: now) else { return nil }
    if entry.fingerprint == request.fingerprint { return entry.choice }
    entries.remove(key)
    return nil
  }

  public mutating func keep(_ choice: Choice, for request: PredictionRequest, options: DecideOptions, at now: Int64) {
    if options.contains(.ignoreCMABCache) { return }
    entries.save(
      Key(user: request.userID, experiment: request.experimentID), Entry(fingerprint: request.fingerprint, choice: choice),
      at: now)
  }
}
