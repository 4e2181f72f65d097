public import HoistBase

/// The built-in parts a client runs on, put together by the top module or by a test.
public struct ClientServices: Sendable {
  public var scheduler: any Scheduler
  public var clock: any Clock
  public var entropy: any Entropy
  public var regex: (any RegexEngine)?
  public var makeTransport: @Sendable (NetworkOptions) -> any Transport
  /// Called on the host's thread before a client may use a transport; does once in a process what takes its time.
  public var prepareNetwork: @Sendable () -> Void
  public var makeCacheManager: @Sendable (StoreRequest) -> (any CacheManager)?
  public var defaultLogSink: any LogSink

  public init(
    scheduler: any Scheduler, clock: any Clock, entropy: any Entropy, regex: (any RegexEngine)?,
    makeTransport: @escaping @Sendable (NetworkOptions) -> any Transport,
    prepareNetwork: @escaping @Sendable () -> Void = {},
    makeCacheManager: @escaping @Sendable (StoreRequest) -> (any CacheManager)?,
    defaultLogSink: any LogSink
  ) {
    self.scheduler = scheduler
    self.clock = clock
    self.entropy = entropy
    self.regex = regex
    self.makeTransport = makeTransport
    self.prepareNetwork = prepareNetwork
    self.makeCacheManager = makeCacheManager
    self.defaultLogSink = defaultLogSink
  }
}

/// Which store a client wants.
public struct StoreRequest: Sendable {
  /// "sqlite", "memory" or "none".
  public var kind: String
  /// "" for the default folder.
  public var folder: String
  public var vendor: String
  /// Clients of one identity share one file. Holds secrets: to be digested, never shown.
  public var identity: String
  public var log: Log

  init(factory: any ProviderFactory, values: PropertyValues, plugins: Plugins, log: Log) {
    kind = values.text("store")
    folder = values.text("store.path")
    vendor = factory.name
    identity = factory.storeIdentity(values, plugins)
    self.log = log
  }
}

extension ClientServices {
  /// Whether the store of a client that would be opened from this works, tried with a value of its own. On the caller's
  /// thread; nothing is tried where the host's own cache manager keeps it, or none does.
  public func checkStore(factory: any ProviderFactory, values: PropertyValues, plugins: Plugins) throws(CacheFailure) {
    let log = Log(threshold: LogThreshold([]), clock: clock) { _, _ in }
    let request = StoreRequest(factory: factory, values: values, plugins: plugins, log: log)
    guard plugins.cacheManager == nil, let manager = makeCacheManager(request) else { return }
    defer { manager.close() }
    try manager.save(key: "check", value: [])
    try manager.remove(key: "check")
  }
}
