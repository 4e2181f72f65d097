internal import HoistBase
internal import HoistCore

/// Requests, timers and look-ups that a provider has begun: each ends with one call on the lane, unless it is cancelled
/// before that begins. Thread-safe.
final class HostedOperations: @unchecked Sendable {
  /// Under way at a time.
  static let maximum = 1024
  /// How long what has ended waits for room on the lane.
  private static let retryMilliseconds: Int64 = 50

  private enum Operation {
    /// On its way to the scheduler's thread, or without anything to call off.
    case begun
    case timer(any Cancellable)
    /// By its number among `requests`.
    case request(UInt64)
  }

  private struct State {
    var last: UInt64 = 0
    var open: [UInt64: Operation] = [:]
  }

  private let lane: HostedLane
  private let scheduler: any Scheduler
  /// The scheduler thread's.
  private let requests: OutgoingRequests
  private let state = LockedValue(State())

  init(_ host: any ProviderHost, _ lane: HostedLane) {
    self.lane = lane
    scheduler = host.scheduler
    requests = OutgoingRequests(host: host)
  }

  /// - Returns: nil when too many are under way.
  func send(_ request: HTTPRequest, _ answered: @escaping @Sendable (OutgoingRequests.Answer) -> Void) -> UInt64? {
    begin { [self] token in
      scheduler.post { [self] in
        // Cancelled meanwhile.
        guard isOpen(token) else { return }
        let number = requests.send(request) { [self] answer in end(token, "answered") { answered(answer) } }
        note(token, .request(number))
      }
    }
  }

  func schedule(afterMilliseconds delay: Int64, _ due: @escaping @Sendable () -> Void) -> UInt64? {
    begin { [self] token in
      let timer = scheduler.schedule(afterMilliseconds: delay) { [weak self] in self?.end(token, "due", due) }
      note(token, .timer(timer))
    }
  }

  func load(_ key: String, from store: Store, _ loaded: @escaping @Sendable ([UInt8]?) -> Void) -> UInt64? {
    begin { [self] token in
      store.load(key) { [weak self] value in self?.end(token, "loaded") { loaded(value) } }
    }
  }

  /// - Returns: whether its call will not begin any more.
  func cancel(_ token: UInt64) -> Bool {
    guard let operation = state.withLock({ $0.open.removeValue(forKey: token) }) else { return false }
    callOff(operation)
    return true
  }

  func cancelAll() {
    let open = state.withLock { state in
      defer { state.open = [:] }
      return state.open
    }
    for operation in open.values { callOff(operation) }
  }

  /// In a forked child: what is under way belongs to the parent. On the scheduler's thread.
  func abandonAfterFork() {
    scheduler.assertCurrent()
    let inherited = state.withLock { state in
      defer { state.open = [:] }
      return state.open
    }
    withExtendedLifetime(inherited) {}
    requests.abandonAfterFork()
  }

  private func begin(_ operate: (UInt64) -> Void) -> UInt64? {
    let token = state.withLock { state -> UInt64? in
      guard state.open.count < Self.maximum else { return nil }
      state.last &+= 1
      state.open[state.last] = .begun
      return state.last
    }
    if let token { operate(token) }
    return token
  }

  private func isOpen(_ token: UInt64) -> Bool { state.withLock { $0.open[token] != nil } }

  /// Sets the operation that cancels it; cancels at once when that was requested meanwhile.
  private func note(_ token: UInt64, _ operation: Operation) {
    let isOpen = state.withLock { state in
      if state.open[token] == nil { return false }
      state.open[token] = operation
      return true
    }
    if !isOpen { callOff(operation) }
  }

  private func callOff(_ operation: Operation) {
    switch operation {
    case .begun: break
    case .timer(let timer): timer.cancel()
    case .request(let number): scheduler.post { [requests] in requests.cancel(number) }
    }
  }

  private func end(_ token: UInt64, _ name: StaticString, _ call: @escaping @Sendable () -> Void) {
    let isTaken = lane.perform(name) { [self] in
      guard state.withLock({ $0.open.removeValue(forKey: token) }) != nil else { return }
      call()
    }
    if isTaken { return }
    // The lane is full, or has closed: then the client's end cancels what is open.
    _ = scheduler.schedule(afterMilliseconds: Self.retryMilliseconds) { [weak self] in
      if let self, isOpen(token) { end(token, name, call) }
    }
  }
}
