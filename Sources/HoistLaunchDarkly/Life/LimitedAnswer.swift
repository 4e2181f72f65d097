internal import HoistBase
internal import HoistCore

/// A status that each completion gets once, at the latest when a limit passes. Thread-safe.
final class LimitedAnswer: Sendable {
  private struct State {
    var waiting: [@Sendable (Status) -> Void] = []
    var given: Status?
    var timer: (any Cancellable)?
  }

  private let state = LockedValue(State())

  /// Adds a completion; called at once when the status is known.
  func tell(_ tell: @escaping @Sendable (Status) -> Void) {
    let given = state.withLock { state in
      if state.given == nil { state.waiting.append(tell) }
      return state.given
    }
    if let given { tell(given) }
  }

  /// - Parameter expired: called after `.timeout` was given.
  func limit(_ scheduler: any Scheduler, milliseconds: Int64, expired: @escaping @Sendable () -> Void = {}) {
    let timer = scheduler.schedule(afterMilliseconds: milliseconds) {
      if self.give(.timeout) { expired() }
    }
    let isLate = state.withLock { state in
      if state.given == nil { state.timer = timer }
      return state.given != nil
    }
    if isLate { timer.cancel() }
  }

  /// - Returns: false when a status was given already.
  @discardableResult
  func give(_ status: Status) -> Bool {
    let former = state.withLock { state in
      defer { if state.given == nil { state = State(given: status) } }
      return state
    }
    guard former.given == nil else { return false }
    former.timer?.cancel()
    for tell in former.waiting { tell(status) }
    return true
  }
}
