internal import HoistBase
internal import HoistCore

/// The times within which an exchange must get on, on timers of the loop: one clock and one wording
/// for all, over all redirects. (Connecting is libcurl's to time.) Used on the network thread.
final class ExchangeDeadlines: @unchecked Sendable {
  private let scheduler: any Scheduler
  private let clock: any Clock
  private let idleMilliseconds: Int64
  private let expired: @Sendable (_ reason: String) -> Void
  private var total: (any Cancellable)?
  private var header: (any Cancellable)?
  private var idle: (any Cancellable)?
  private var lastActivity: Int64 = 0

  /// - Parameter expired: called on the scheduler's thread, outside libcurl.
  init(
    of request: HTTPRequest, isStream: Bool, scheduler: any Scheduler, clock: any Clock,
    expired: @escaping @Sendable (String) -> Void
  ) {
    self.scheduler = scheduler
    self.clock = clock
    self.expired = expired
    idleMilliseconds = request.idleTimeoutMilliseconds
    if !isStream { total = timer(request.timeoutMilliseconds, "no complete answer within") }
    header = timer(request.headerTimeoutMilliseconds, "no answer within")
  }

  func headerCompleted() {
    header?.cancel()
    header = nil
    if idleMilliseconds > 0 { watchIdleness(forMilliseconds: idleMilliseconds) }
  }

  func noteActivity() { lastActivity = clock.monotonicNanoseconds }

  func cancel() {
    for timer in [total, header, idle] { timer?.cancel() }
    (total, header, idle) = (nil, nil, nil)
  }

  private func timer(_ milliseconds: Int64, _ reason: String) -> (any Cancellable)? {
    guard milliseconds > 0 else { return nil }
    return scheduler.schedule(afterMilliseconds: milliseconds) { [expired] in expired("\(reason) \(milliseconds) ms") }
  }

  /// One timer for many chunks: when it is due, it looks how long the silence really was.
  private func watchIdleness(forMilliseconds wait: Int64) {
    idle = scheduler.schedule(afterMilliseconds: wait) { [weak self] in self?.idleTimerDue() }
  }

  private func idleTimerDue() {
    let silent = (clock.monotonicNanoseconds &- lastActivity) / 1_000_000
    if silent >= idleMilliseconds {
      expired("silent for \(idleMilliseconds) ms")
    } else {
      watchIdleness(forMilliseconds: idleMilliseconds - max(0, silent))
    }
  }
}
