internal import HoistBase
internal import HoistCore

/// Where the profiles of users are kept: in the host's service, in the client's own store, or nowhere
/// (protocols/optimizely.md 4.6). Thread-safe.
final class ProfileStore: ClientPart, @unchecked Sendable {
  private let service: (any UserProfileService)?
  private let cache: ProfileCache?
  private let log: Log

  convenience init(host: any ProviderHost, settings: OptimizelySettings) {
    let cache =
      settings.keepsProfiles
      ? ProfileCache(store: host.store, scheduler: host.scheduler, capacity: settings.profileCapacity) : nil
    let service = host.plugins.vendor[OptimizelyPlugins.profileService] as? any UserProfileService
    self.init(service: settings.keepsProfiles ? service : nil, cache: cache, log: host.log)
  }

  /// - Parameters:
  ///   - service: a plug-in, which replaces the cache.
  ///   - cache: nil keeps none.
  init(service: (any UserProfileService)?, cache: ProfileCache?, log: Log) {
    self.service = service
    self.cache = service == nil ? cache : nil
    self.log = log
  }

  /// Whether looking up and saving call the host: then they must not happen in a reading section or on the scheduler.
  var isHosts: Bool { service != nil }
  /// Those of every call: without a place for profiles nothing has to be remembered.
  func options(_ defaults: DecideOptions) -> DecideOptions {
    service == nil && cache == nil ? defaults.union(.ignoreUserProfileService) : defaults
  }

  /// The stored profile of a user, if any.
  /// - Parameter hash: of the user id.
  func lookUp(_ user: ByteView, hash: UInt64) -> StoredProfile? {
    guard let service else { return cache?.profile(of: user, hash: hash) }
    let id = Array(user)
    switch service.lookUp(id) {
    case .profile(let json): return StoredProfile(userID: id, json: json)
    case .none: return nil
    case .failed:
      log.warning("the user profile service did not look a user up; decisions go on without a profile, and none is saved")
      return StoredProfile(userID: id, json: nil, mayBeReplaced: false)
    }
  }

  /// Keeps new assignments in addition to what was looked up.
  /// - Returns: what the host's service has saved.
  @discardableResult
  func save(_ new: [SubjectContent.Assignment], of user: [UInt8], lookedUp: StoredProfile?) -> StoredProfile? {
    if new.isEmpty { return nil }
    guard let service else {
      cache?.add(new, to: user)
      return nil
    }
    let profile = lookedUp ?? StoredProfile(userID: user, json: nil)
    guard profile.mayBeReplaced, let json = profile.adding(new) else { return nil }
    if service.save(user, json) { return StoredProfile(userID: user, json: json) }
    log.warning("the user profile service did not save a profile")
    return nil
  }

  /// On the scheduler's thread: reads the profiles of earlier runs.
  func start() { cache?.start() }
  /// On the scheduler's thread: runs `body` when that has been read, or could not be.
  func whenRead(_ body: @escaping @Sendable () -> Void) { if let cache { cache.whenRead(body) } else { body() } }
  /// On the scheduler's thread: writes what is not written yet.
  func stop() { cache?.write() }
  /// The same, for a close: the store is not closed before it has been handed everything.
  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    guard let cache else { return completion(.accepted) }
    cache.whenRead { cache.write { completion(.accepted) } }
  }
  /// In a forked child: the parent's timers are gone.
  func abandonAfterFork() { cache?.abandonAfterFork() }

  var statistics: [(group: String, name: String, value: Int64)] {
    guard let cache else { return [] }
    let (held, forgotten) = cache.counters
    return [("profiles", "held", Int64(held)), ("profiles", "forgotten", forgotten)]
  }
}
