internal import HoistBase
internal import HoistCore

/// Keeps visitors' profiles, so that who was assigned stays assigned (OPT-05). Thread-safe; memory first.
final class ProfileStore: ClientPart, @unchecked Sendable {
  private let store: Store
  private let lock = Lock()
  /// By user; guarded by `lock`.
  private var profiles: [[UInt8]: [UInt8]] = [:]

  init(host: any ProviderHost, settings: OptimizelySettings) { store = host.store }

  func lookUp(_ userID: [UInt8]) -> UserProfile {
    UserProfile(userID: userID, json: lock.withLock { profiles[userID] })
  }

  /// - Parameter json: the whole profile.
  func save(_ json: [UInt8], of userID: [UInt8]) { lock.withLock { profiles[userID] = json } }
}
