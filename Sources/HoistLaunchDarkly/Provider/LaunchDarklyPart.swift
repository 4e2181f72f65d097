internal import HoistCore

/// One concern of a client that takes part in its life. Everything here runs on the scheduler's thread.
protocol LaunchDarklyPart: AnyObject, Sendable {
  /// The client has begun, for the first time, again, or in a forked child. May come twice in a row.
  func start()
  /// Ends timers and requests; what is recorded stays. `start` may follow.
  func stop()
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
  func flush(_ completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
  func abandonAfterFork() {}
  var statistics: [(group: String, name: String, value: Int64)] { [] }
}
