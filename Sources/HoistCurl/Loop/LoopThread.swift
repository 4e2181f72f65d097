internal import CCurl
internal import Glibc
internal import HoistBase
internal import HoistCore
internal import Synchronization

/// One life of the network loop: a thread of this process with its queues and its transfers.
/// Never freed: the thread does not end, and what a child inherits must not be cleaned up.
///
/// Two locks. `lock` guards the queues and is held for a moment only. The gate is held while work,
/// timers or libcurl run, one at a time, so that a fork, which takes both, finds the state of
/// providers and transfers between two steps; it is never held while the thread waits.
final class LoopThread: @unchecked Sendable {
  static let gate = Lock()

  /// How a change of the queues gets served: decided under the lock, done outside it.
  enum Call { case none, start, wake(Alarm) }

  let generation = ForkGeneration.current
  private let lock: Lock
  private let clock: any Clock

  // Guarded by `lock`.
  private var posted: [LoopWork] = []
  private var timers = TimerHeap()
  private var isStarted = false
  private var isServiceDue = false
  /// Ends the thread's wait; nil until it is there. Set by the thread.
  private var alarm: Alarm?

  // Guarded by the gate.
  private(set) var multi: UnsafeMutableRawPointer?
  private(set) var exchanges: [UnsafeMutableRawPointer: Exchange] = [:]

  init(lock: Lock, clock: any Clock) {
    self.lock = lock
    self.clock = clock
  }

  // MARK: Under the lock

  var waiting: Int { posted.count }
  func append(_ work: @escaping LoopWork) { posted.append(work) }
  func append(_ timer: LoopTimer) { timers.insert(timer) }

  func callForService() -> Call {
    if !isStarted {
      isStarted = true
      return .start
    }
    // Before its first wait, and between two waits, the thread checks the queues itself.
    guard !isServiceDue, let alarm, !LoopMark.isSet(lock) else { return .none }
    isServiceDue = true
    return .wake(alarm)
  }

  // MARK: Any thread

  func answer(_ call: Call, threadName: String) {
    switch call {
    case .none: break
    case .wake(let alarm): alarm.ring()
    case .start:
      // Refused for want of memory or threads: the next change of the queues tries again.
      let isRunning = Thread.start(name: threadName) { self.serve() }
      if !isRunning { lock.withLock { isStarted = false } }
    }
  }

  func cancel(_ timer: LoopTimer) {
    // What the work holds is let go outside the lock.
    let work = lock.withLock { () -> LoopWork? in
      defer { timer.work = nil }
      timers.remove(timer)
      return timer.work
    }
    _ = work
  }

  /// In a forked child, of the parent's life: lets go of what waited in it, and closes nothing.
  func abandon() {
    let left = lock.withLock { () -> ([LoopWork], [LoopTimer], [Exchange]) in
      defer { (posted, exchanges) = ([], [:]) }
      return (posted, timers.removeAll(), Array(exchanges.values))
    }
    for exchange in left.2 { exchange.abandon() }
  }

  // MARK: The thread

  private func serve() -> Never {
    LoopMark.set(lock)
    while true { turn() }
  }

  /// A function that returns: references held inside an endless loop would never be released.
  @inline(never)
  private func turn() {
    for work in takePosted() { step(work) }
    runDueTimers()
    var ended: [(UnsafeMutableRawPointer, CURLcode)] = []
    step { ended = perform() }
    for (easy, result) in ended {
      step { exchanges[easy]?.transferEnded(result) }
    }
    wait()
  }

  /// One step under the gate. None is begun once the process is exiting: the libraries below are
  /// then being torn down by the thread that exits.
  private func step(_ body: () -> Void) {
    let isAllowed = Self.gate.withLock {
      if !CurlLibrary.isClosing { body() }
      return !CurlLibrary.isClosing
    }
    while !isAllowed { pause() }
  }

  private func openAlarm() {
    let made = Alarm()
    lock.withLock { alarm = made }
  }

  private func takePosted() -> [LoopWork] {
    lock.withLock {
      defer { posted = [] }
      isServiceDue = false
      return posted
    }
  }

  private func runDueTimers() {
    // One reading for the whole turn: a timer that schedules itself anew at once waits its turn.
    let now = clock.monotonicNanoseconds
    while let work = takeDue(at: now) { step(work) }
  }

  private func takeDue(at now: Int64) -> LoopWork? {
    lock.withLock {
      guard let timer = timers.popDue(at: now) else { return nil }
      defer { timer.work = nil }
      return timer.work
    }
  }

  private func perform() -> [(UnsafeMutableRawPointer, CURLcode)] {
    guard let multi, !exchanges.isEmpty else { return [] }
    var running: Int32 = 0
    _ = shim_curl().pointee.multi_perform(multi, &running)
    var ended: [(UnsafeMutableRawPointer, CURLcode)] = []
    var result = CURLE_OK
    while let easy = shim_curl_next_done(multi, &result) { ended.append((easy, result)) }
    return ended
  }

  private func wait() {
    // Before the queues are looked at: what comes after that rings it.
    if alarm?.isOpen != true { openAlarm() }
    let milliseconds = millisecondsToWait()
    guard milliseconds > 0 else { return }
    // Without a descriptor the work goes on at this pace.
    guard let alarm else { return rest(milliseconds: 50) }
    if let multi {
      if shim_curl_multi_wait(multi, alarm.descriptor, milliseconds) != CURLM_OK { rest(milliseconds: 10) }
    } else {
      var waiting = pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, milliseconds)
    }
    alarm.silence()
  }

  private func rest(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

  private func millisecondsToWait() -> Int32 {
    lock.withLock {
      guard posted.isEmpty else { return 0 }
      guard let deadline = timers.nextDeadline else { return .max }
      let left = deadline.subtractingReportingOverflow(clock.monotonicNanoseconds)
      guard !left.overflow, left.partialValue > 0 else { return 0 }
      return Int32(clamping: (left.partialValue - 1) / 1_000_000 + 1)
    }
  }

  // MARK: Transfers, on the thread

  /// - Returns: false when libcurl has no room for it.
  func add(_ easy: UnsafeMutableRawPointer, of exchange: Exchange) -> Bool {
    if multi == nil { openMulti() }
    guard let multi, shim_curl().pointee.multi_add_handle(multi, easy) == CURLM_OK else { return false }
    exchanges[easy] = exchange
    return true
  }

  func remove(_ easy: UnsafeMutableRawPointer) {
    if let multi { _ = shim_curl().pointee.multi_remove_handle(multi, easy) }
    exchanges[easy] = nil
  }

  private func openMulti() {
    multi = WakeupDescriptors.closingOnExec(shim_curl().pointee.multi_init)
    // Kept-alive connections of all clients together.
    if let multi { _ = shim_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64) }
  }
}
