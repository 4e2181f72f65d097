internal import HoistBase

/// When something is sent.
extension EventPipeline {
  func flushNow(cutsPausesShort: Bool = true, _ completion: @escaping @Sendable (Bool) -> Void) {
    abandonInheritance()
    state.flushRequests.append(completion)
    takeIn()
    // Somebody asks: a pause of our own is cut short, one that the service asked for is not.
    for batch in state.batches where cutsPausesShort {
      if case .sleeping(isAskedFor: false) = batch.stage { wake(batch) }
    }
    beginFlush()
    turn()
  }

  /// What waits now, and what is counted now, is to be sent.
  func beginFlush() {
    guard state.holds.isEmpty, clock.monotonicNanoseconds >= state.restUntil else { return }
    state.flushTimer?.cancel()
    state.flushTimer = nil
    state.isFlushing = true
    policy.willFlush(self)
    takeIn()
  }

  /// Sending ends until the next flush.
  func endFlush(restMilliseconds: Int64 = 0) {
    state.isFlushing = false
    let rest = restMilliseconds.multipliedReportingOverflow(by: 1_000_000)
    let until = clock.monotonicNanoseconds.addingReportingOverflow(rest.overflow ? .max : rest.partialValue)
    state.restUntil = until.overflow ? .max : until.partialValue
  }

  /// How many rows are sent without waiting for the interval.
  var rowsThatFlush: Int? {
    options.flushIntervalMilliseconds <= 0 ? 1 : options.flushAtRows.map { max(1, $0) }
  }

  /// Whether the next flush is due without a timer.
  var isFlushDue: Bool {
    let sendable = state.rows.waitingCount - state.blockedRows
    guard sendable > 0 else { return false }
    return rowsThatFlush.map { sendable >= $0 } ?? false
  }

  func armFlushTimer() {
    guard state.flushTimer == nil, !state.isFlushing, state.holds.isEmpty else { return }
    let hasSomething = intake.with { $0.totalRows > 0 } || options.flushesWhenEmpty
    guard hasSomething else { return }
    let now = clock.monotonicNanoseconds
    let rest = state.restUntil > now ? (state.restUntil - now) / 1_000_000 + 1 : 0
    let delay = max(rest, millisecondsToNextFlush(now))
    state.flushTimer = scheduler.schedule(afterMilliseconds: delay) { [weak self] in
      guard let self else { return }
      state.flushTimer = nil
      beginFlush()
      turn()
    }
  }

  private func millisecondsToNextFlush(_ now: Int64) -> Int64 {
    let interval = max(0, options.flushIntervalMilliseconds)
    guard options.flushTiming == .sinceStart, interval > 0, state.startedAt <= now else { return interval }
    let passed = (now - state.startedAt) / 1_000_000
    return interval - passed % interval
  }

  /// Answers those who asked for a flush, as soon as it is known what came of it.
  func answerFlushes() {
    guard !state.flushRequests.isEmpty else { return }
    // What others have left is on its way here.
    if !state.claims.isEmpty, state.holds.isEmpty { return }
    let isDone = state.rows.isEmpty && state.live.isEmpty
    let isUnderWay = state.batches.contains { $0.isSending } || state.isRenewing
    guard isDone || !isUnderWay else { return }
    // Whoever waits for the store as well finds nothing of it in the journal.
    if isDone { releaseJournal() }
    let requests = state.flushRequests
    state.flushRequests = []
    for request in requests { request(isDone) }
  }

  // MARK: Holds

  func setHold(_ hold: Hold, _ isSet: Bool) {
    abandonInheritance()
    let before = state.holds
    if isSet { state.holds.insert(hold) } else { state.holds.remove(hold) }
    guard state.holds != before else { return }
    if state.holds.isEmpty {
      state.startedAt = clock.monotonicNanoseconds
      for batch in state.batches where batch.timer == nil && !batch.isSending { wake(batch) }
    } else {
      state.flushTimer?.cancel()
      state.flushTimer = nil
      state.isFlushing = false
    }
    turn()
  }

  /// Begins to send, and to take over what other processes have left. On the scheduler's thread.
  public func start() {
    abandonInheritance()
    state.blockedRows = 0
    replaceBrokenJournal()
    journals.askAgain(state.generation, isStart: true)
    setHold(.stopped, false)
    awaitPurges()
    adopt()
    armAdoptionTimer()
  }

  /// Hands over what is there before it returns, as far as it may be sent now. On the scheduler's thread.
  /// - Parameter cutsPausesShort: whether batches that wait for another attempt go, too; not where nobody has asked for it.
  public func sendAtOnce(cutsPausesShort: Bool = true) { flushNow(cutsPausesShort: cutsPausesShort) { _ in } }

  /// Ends requests and timers; what is recorded stays, and is given to the store now. `start` may
  /// follow. On the scheduler's thread.
  public func stop() {
    abandonInheritance()
    setHold(.stopped, true)
    for batch in state.batches.reversed() { dissolve(batch) }
    state.adoptionTimer?.cancel()
    state.adoptionTimer = nil
    takeIn()
    cancelStoreTimer()
    // One after the other into the store's lane, before it is closed.
    while putNow(besideOthers: true) {}
    closeJournal()
    answerFlushes()
  }

  /// A policy admits other records than before. Callable from any thread.
  public func reconsider() {
    scheduler.post { [self] in
      abandonInheritance()
      state.blockedRows = 0
      if isFlushDue { beginFlush() }
      turn()
    }
  }
}
