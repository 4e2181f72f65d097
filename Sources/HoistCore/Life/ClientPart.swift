/// One concern of a provider that takes part in its client's life; configuration sources are such parts. Everything here
/// runs on the scheduler's thread.
public protocol ClientPart: AnyObject, Sendable {
  /// The client is open, whether it starts by itself or waits for a call: the store may be read.
  func open()
  /// The client has begun, for the first time, again, or in a forked child.
  func start()
  /// Ends timers and requests; what is recorded stays. `start` may follow.
  func stop()
  func setOnline(_ isOnline: Bool)
  /// The host's program has come to the foreground, or left it; clients begin in the foreground.
  func setForeground(_ isForeground: Bool)
  /// Fetches now, whatever the pace.
  func refresh()
  /// Another configuration is served from now on, also the first one; `snapshot` is borrowed for the call.
  func configurationChanged(_ snapshot: Snapshot)
  /// Sends what is recorded; `completion` runs once.
  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void)
  /// Earlier timers and requests belong to the parent process; `start` follows.
  func abandonAfterFork()
  /// Counters by group and name; any thread.
  var statistics: [(group: String, name: String, value: Int64)] { get }
}

extension ClientPart {
  public func open() {}
  public func start() {}
  public func stop() {}
  public func setOnline(_ isOnline: Bool) {}
  public func setForeground(_ isForeground: Bool) {}
  public func refresh() {}
  public func configurationChanged(_ snapshot: Snapshot) {}
  public func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) { completion(.accepted) }
  public func abandonAfterFork() {}
  public var statistics: [(group: String, name: String, value: Int64)] { [] }
}
