internal import HoistBase
internal import HoistCore
internal import HoistCurl
internal import HoistRegex
internal import HoistSQLite
internal import HoistStandardLog

/// The parts every client of this process runs on: one network thread, curl, SQLite, PCRE2, stderr.
enum BuiltInServices {
  static let shared = ClientServices(
    scheduler: NetworkLoop.shared, clock: SystemClock(), entropy: PooledEntropy(), regex: PCRE2RegexEngine(),
    makeTransport: { CurlTransport(options: $0, loop: NetworkLoop.shared) }, prepareNetwork: NetworkLoop.prepare,
    makeCacheManager: cacheManager, defaultLogSink: StandardErrorLog())

  private static func cacheManager(_ wanted: StoreRequest) -> (any CacheManager)? {
    switch wanted.kind {
    case "sqlite":
      SQLiteCacheManager(
        options: .init(folder: wanted.folder.isEmpty ? nil : wanted.folder, vendor: wanted.vendor, key: wanted.identity),
        clock: SystemClock(), warn: { wanted.log.warning($0) })
    case "memory": MemoryCacheManager(clock: SystemClock())
    default: nil
    }
  }
}
