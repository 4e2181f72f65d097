internal import HoistCore

/// Where hits and activates are stored until they have arrived: in the client's store (FS-21), or in the host's cache
/// (FS-22).
struct HitStorage: Sendable {
  let store: Store
  /// nil for the client's own store.
  private let cache: HostHitCache?

  init(host: any ProviderHost, settings: FlagshipSettings) {
    guard let delegate = host.plugins.vendor[FlagshipPlugins.hitCache] as? any HitCacheDelegate else {
      (store, cache) = (host.store, nil)
      return
    }
    let cache = HostHitCache(
      delegate, environmentID: settings.environmentID, lookupMilliseconds: settings.hits.lookupTimeoutMilliseconds,
      clearsAndCopies: settings.hits.strategy == .periodic, host: host)
    self.cache = cache
    store = host.store(over: cache)
  }

  /// A visitor that had refused consents again: the host's cache is read once more. Any thread.
  func consentReturned() { cache?.wantLookup() }

  var statistics: [(group: String, name: String, value: Int64)] {
    guard let cache else { return [] }
    return store.statistics.map { ("hit_cache", $0.name, $0.value) } + [("hit_cache", "unread", cache.unreadCount)]
  }
}
