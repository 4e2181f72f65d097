/// One concern of a provider that takes part in its client's life. Everything here runs on the scheduler's thread.
public protocol ClientPart: AnyObject, Sendable {
  /// The client has begun, for the first time, again, or in a forked child. May come twice in a row.
  func start()
  /// Ends timers and requests; what is recorded stays. `start` may follow.
  func stop()
  func setOnline(_ isOnline: Bool)
  /// Sends what is recorded; `completion` runs once, true when nothing is left.
  func flush(_ completion: @escaping @Sendable (Bool) -> Void)
  /// Timers and requests of before belong to the process this one was forked from; `start` follows.
  func abandonAfterFork()
  /// Counters by group and name; any thread.
  var statistics: [(group: String, name: String, value: Int64)] { get }
}

extension ClientPart {
  public func start() {}
  public func stop() {}
  public func setOnline(_ isOnline: Bool) {}
  public func flush(_ completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
  public func abandonAfterFork() {}
  public var statistics: [(group: String, name: String, value: Int64)] { [] }
}

extension Array where Element == any ClientPart {
  /// In the order of their beginning.
  public func startAll() { for part in self { part.start() } }
  /// In the reverse order.
  public func stopAll() { for part in reversed() { part.stop() } }

  /// One after the other; `completion` runs once, `.network` when something is left.
  public func flushAll(_ completion: @escaping @Sendable (Status) -> Void) { flush(self[...], allSent: true, completion) }

  private func flush(_ rest: ArraySlice<any ClientPart>, allSent: Bool, _ completion: @escaping @Sendable (Status) -> Void) {
    guard let part = rest.first else { return completion(allSent ? .ok : .network) }
    part.flush { isSent in flush(rest.dropFirst(), allSent: allSent && isSent, completion) }
  }
}
