internal import HoistBase

/// Something that can be called off. Harmless when it has already happened.
public protocol Cancellable: AnyObject, Sendable {
  func cancel()
}

/// The thread that all of a client's life cycle runs on: one per process, shared by all clients.
///
/// A provider's state is touched by work of its scheduler only, and so needs no lock. Work must be
/// short and must not call host code: that belongs on a `Lane`.
public protocol Scheduler: AnyObject, Sendable {
  /// Runs `work` on the scheduler's thread, after what was posted before. Callable from any thread,
  /// also from work itself. After a fork, a child's first post starts a thread of its own.
  func post(_ work: @escaping @Sendable () -> Void)

  /// Runs `work` once, no sooner than `delayMilliseconds` (negative counts as 0) by the monotonic clock.
  func schedule(afterMilliseconds delayMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> any Cancellable

  /// True when the caller is on the scheduler's thread.
  var isCurrent: Bool { get }

  /// The condition of `assertCurrent`: `isCurrent`; for a test's scheduler also the test's own thread.
  var standsInForItsThread: Bool { get }

  /// Changes in a forked child, where everything posted, scheduled and sent so far stays with the parent. Compare it to
  /// notice that such work has to begin anew.
  var generation: UInt32 { get }

  /// Starts a lane's thread.
  /// - Parameter body: with whether the thread stays for more work when nothing waits. A test's scheduler may run it on its
  ///   own thread instead, in turn with other work, where it must not wait.
  /// - Returns: false when the system refuses another thread.
  func startThread(name: String, _ body: @escaping @Sendable (_ stays: Bool) -> Void) -> Bool
}

extension Scheduler {
  public func startThread(name: String, _ body: @escaping @Sendable (_ stays: Bool) -> Void) -> Bool {
    Thread.start(name: name) { body(true) }
  }
  public var generation: UInt32 { ForkGeneration.current }
}
