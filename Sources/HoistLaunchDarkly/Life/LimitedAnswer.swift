internal import HoistBase
internal import HoistCore

/// Tells somebody once, at the latest when a limit passes. Thread-safe.
final class LimitedAnswer: Sendable {
  private struct State {
    var tell: (@Sendable (Status) -> Void)?
    var timer: (any Cancellable)?
  }

  private let state: Shared<State>

  init(_ tell: @escaping @Sendable (Status) -> Void) { state = Shared(State(tell: tell)) }

  /// - Parameter expired: called when `.timeout` has been told.
  func limit(_ scheduler: any Scheduler, milliseconds: Int64, expired: @escaping @Sendable () -> Void = {}) {
    let timer = scheduler.schedule(afterMilliseconds: milliseconds) {
      if self.give(.timeout) { expired() }
    }
    let isLate = state.withLock { state in
      if state.tell != nil { state.timer = timer }
      return state.tell == nil
    }
    if isLate { timer.cancel() }
  }

  /// - Returns: false when something has been told already.
  @discardableResult
  func give(_ status: Status) -> Bool {
    let former = state.withLock { state in
      defer { state = State() }
      return state
    }
    former.timer?.cancel()
    guard let tell = former.tell else { return false }
    tell(status)
    return true
  }
}
