internal import HoistBase
internal import Synchronization

/// A client's state, and those who wait for it to change. Thread-safe.
final class ClientStatus: @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private let clock: any Clock
  private var current = ClientState.notReady
  private let closed = Atomic<Bool>(false)
  private var online: Bool
  private var hasBeenReady = false
  private var hasBeenInitialized = false
  /// The result of `close`, while or after it closes.
  private var ending = Answer<Status>()

  init(clock: any Clock, isOnline: Bool) {
    self.clock = clock
    online = isOnline
  }

  var state: ClientState { lock.withLock { current } }
  /// What `state` says, without the lock.
  var isClosed: Bool { closed.load(ordering: .acquiring) }
  var isOnline: Bool { lock.withLock { online } }
  /// Whether flags of the service have ever been served.
  var wasReady: Bool { lock.withLock { hasBeenReady } }

  /// Whether store and bootstrap have been read.
  var wasInitialized: Bool { lock.withLock { hasBeenInitialized } }
  func setInitialized() { lock.withLock { hasBeenInitialized = true } }

  func setOnline(_ value: Bool) { lock.withLock { online = value } }

  /// What a provider says of itself; a closed client stays closed.
  /// - Returns: whether the state is another one than before, and whether it is ready for the first time.
  func set(_ state: ClientState) -> (changed: Bool, firstReady: Bool) {
    let result = lock.withLock {
      guard current != state, current != .closed else { return (false, false) }
      current = state
      let first = state == .ready && !hasBeenReady
      if state == .ready { hasBeenReady = true }
      return (true, first)
    }
    changed.broadcast()
    return result
  }

  /// - Returns: where the result of closing will be, and whether it is the caller's to bring about.
  func close() -> (ending: Answer<Status>, isFirst: Bool) {
    let result = lock.withLock {
      let isFirst = current != .closed
      if isFirst { ending = Answer() }
      current = .closed
      closed.store(true, ordering: .releasing)
      return (ending, isFirst)
    }
    changed.broadcast()
    return result
  }

  /// - Returns: false unless the client has closed and is done with it.
  func reopen() -> Bool {
    lock.withLock {
      guard current == .closed, ending.isGiven else { return false }
      current = .notReady
      closed.store(false, ordering: .releasing)
      return true
    }
  }

  func waitReady(timeoutMilliseconds: Int64) -> Status {
    let deadline = Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)
    return lock.withLock {
      while true {
        if current.servesFlags { return .ok }
        if current == .closed { return .cancelled }
        if current == .fatal { return .network }
        if !changed.wait(lock, untilNanoseconds: deadline) {
          return current.servesFlags ? .ok : .timeout
        }
      }
    }
  }
}

/// Points in time at which a caller's patience ends, on the machine's monotonic clock.
public enum Deadline {
  private static let clock = SystemClock()

  /// `Int64.max` for a negative number: no limit.
  public static func nanoseconds(afterMilliseconds milliseconds: Int64) -> Int64 {
    if milliseconds < 0 { return .max }
    let (span, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return .max }
    let (end, beyond) = clock.monotonicNanoseconds.addingReportingOverflow(span)
    return beyond ? .max : end
  }
}
