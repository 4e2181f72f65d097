internal import HoistCore

/// Holds back changes of the context until the start has set its own, which must not replace them. On the scheduler's
/// thread.
final class ContextGate: ClientPart, @unchecked Sendable {
  private var isOpen = false
  private var waiting: [() -> Void] = []
  /// In a forked child, until its start is over: the context is the parent's, and was announced there.
  private(set) var isInherited = false

  /// - Returns: true when `work` waits until the start is over; it does not outlive a stop.
  func holdsBack(_ work: @escaping () -> Void) -> Bool {
    if !isOpen { waiting.append(work) }
    return !isOpen
  }

  /// The start has served its context, or has found that it has none.
  func startIsOver() {
    isOpen = true
    isInherited = false
    let ready = waiting
    waiting = []
    for work in ready { work() }
  }

  func stop() {
    isOpen = false
    isInherited = false
    waiting = []
  }

  func abandonAfterFork() {
    let wasOpen = isOpen || isInherited
    stop()
    isInherited = wasOpen
  }
}
