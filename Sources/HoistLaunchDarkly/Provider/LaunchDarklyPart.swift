internal import HoistCore

/// One concern of a client that takes part in its life. Everything here runs on the scheduler's thread.
protocol LaunchDarklyPart: AnyObject, Sendable {
  /// The client has begun, for the first time, again, or in a forked child. May come twice in a row.
  func start()
  /// Ends timers and requests; what is recorded stays. `start` may follow.
  func stop()
  /// This is the current context from now on, at the start or by an identify, which may repeat the one before.
  func identified(_ context: LDContext)
  /// The client has gone online, or offline.
  func onlineChanged(_ isOnline: Bool)
  /// Sends what is recorded; `completion` runs once, true when nothing is left.
  func flush(_ completion: @escaping @Sendable (Bool) -> Void)
  /// Timers and requests of before belong to the process this one was forked from; `start` follows.
  func abandonAfterFork()
  /// Counters by group and name; any thread.
  var statistics: [(group: String, name: String, value: Int64)] { get }
}

extension LaunchDarklyPart {
  func start() {}
  func stop() {}
  func identified(_ context: LDContext) {}
  func onlineChanged(_ isOnline: Bool) {}
  func flush(_ completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
  func abandonAfterFork() {}
  var statistics: [(group: String, name: String, value: Int64)] { [] }
}
