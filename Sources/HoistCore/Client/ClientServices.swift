public import HoistBase

/// The built-in parts a client runs on, put together by the top module or by a test.
public struct ClientServices: Sendable {
  public var scheduler: any Scheduler
  public var clock: any Clock
  public var entropy: any Entropy
  public var regex: (any RegexEngine)?
  public var makeTransport: @Sendable (NetworkOptions) -> any Transport
  /// The cache manager for a store's folder ("" for the default) and file identity.
  public var makeCacheManager: @Sendable (_ kind: String, _ folder: String, _ identity: String, _ log: Log) -> (any CacheManager)?
  public var defaultLogSink: any LogSink

  public init(
    scheduler: any Scheduler, clock: any Clock, entropy: any Entropy, regex: (any RegexEngine)?,
    makeTransport: @escaping @Sendable (NetworkOptions) -> any Transport,
    makeCacheManager: @escaping @Sendable (_ kind: String, _ folder: String, _ identity: String, _ log: Log) -> (any CacheManager)?,
    defaultLogSink: any LogSink
  ) {
    self.scheduler = scheduler
    self.clock = clock
    self.entropy = entropy
    self.regex = regex
    self.makeTransport = makeTransport
    self.makeCacheManager = makeCacheManager
    self.defaultLogSink = defaultLogSink
  }
}
