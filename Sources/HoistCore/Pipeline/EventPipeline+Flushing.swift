internal import HoistBase

/// When something is sent.
extension EventPipeline {
  func flushNow(cutsPausesShort: Bool = true, _ completion: @escaping @Sendable (FlushResult) -> Void) {
    abandonInheritance()
    state.flushRequests.append(completion)
    if state.isClaimOwed { claimOrphans() }
    sendAtOnce(cutsPausesShort: cutsPausesShort)
  }

  /// Hands over what is there before it returns, as far as it may be sent now; what was refused is left to the next flush
  /// to tell. On the scheduler's thread.
  /// - Parameter cutsPausesShort: whether batches that wait for another attempt go, too; only in a requested flush.
  public func sendAtOnce(cutsPausesShort: Bool = true) {
    abandonInheritance()
    drainIntake()
    // A requested flush cuts our own pauses short, not those that the service asked for.
    if cutsPausesShort {
      state.restUntil = min(state.restUntil, state.askedUntil)
      for batch in state.batches { batch.restUntil = .min }
    }
    beginFlush()
    turn()
  }

  /// What waits now, and what is counted now, is to be sent.
  func beginFlush() {
    guard mayBegin else { return }
    state.flushTimer?.cancel()
    state.flushTimer = nil
    state.isFlushing = true
    policy.willFlush(self)
    drainIntake()
  }

  /// After a failure, until the pause is over. On the scheduler's thread.
  public var isResting: Bool { clock.monotonicNanoseconds < state.restUntil }

  /// Nothing holds, and no pause goes on.
  var mayBegin: Bool { state.holds.isEmpty && clock.monotonicNanoseconds >= state.restUntil }

  /// After a failure nothing is sent for a while, whatever is recorded: one pace for all batches. What was on its way
  /// beside the first that failed makes the pause no longer, unless the service asks for more.
  func rest(after failure: FetchFailure) {
    let now = clock.monotonicNanoseconds
    state.doubtedUpTo = state.nextAttempt
    let asked = failure.retryAfterMilliseconds ?? 0
    let isResting = now < state.restUntil
    let pause = isResting ? asked : state.pace.failed(failure, hasFlags: false, entropy) ?? Self.longestRestMilliseconds
    if asked > 0 { state.askedUntil = max(state.askedUntil, Self.nanoseconds(now, afterMilliseconds: asked)) }
    state.restUntil = max(state.restUntil, Self.nanoseconds(now, afterMilliseconds: pause))
    state.restTimer?.cancel()
    // Not a moment too soon, or nothing would come of it.
    let left = state.restUntil == .max ? Self.longestRestMilliseconds : (max(0, state.restUntil &- now) &+ 999_999) / 1_000_000
    state.restTimer = scheduler.schedule(afterMilliseconds: left) { [weak self] in self?.turn() }
  }

  static var longestRestMilliseconds: Int64 { 86_400_000 }

  static func nanoseconds(_ now: Int64, afterMilliseconds milliseconds: Int64) -> Int64 {
    let span = max(0, milliseconds).multipliedReportingOverflow(by: 1_000_000)
    let end = now.addingReportingOverflow(span.overflow ? .max : span.partialValue)
    return end.overflow ? .max : end.partialValue
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
    guard state.flushTimer == nil, !state.isFlushing, state.holds.isEmpty, intervalHasWork else { return }
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

  /// Without an interval, neither what is on its way nor what has just been looked at is anything to wake up for.
  private var intervalHasWork: Bool {
    let (total, hasNew) = intake.with { ($0.totalRows, $0.firstSequence != $0.nextSequence) }
    guard options.flushIntervalMilliseconds <= 0 else { return total > 0 || options.flushesWhenEmpty }
    return hasNew || !state.live.isEmpty || state.rows.waitingCount > (isResting ? 0 : state.blockedRows)
  }

  private func millisecondsToNextFlush(_ now: Int64) -> Int64 {
    let interval = max(0, options.flushIntervalMilliseconds)
    guard options.flushTiming == .sinceStart, interval > 0, state.startedAt <= now else { return interval }
    let passed = (now - state.startedAt) / 1_000_000
    return interval - passed % interval
  }

  /// Completes flush requests as soon as their result is known.
  func answerFlushes() {
    guard !state.flushRequests.isEmpty else { return }
    // What others have left is on its way here.
    if !state.claims.isEmpty, state.holds.isEmpty { return }
    let isDone = state.rows.isEmpty && state.live.isEmpty && !state.isClaimOwed
    let left: FlushResult = state.holds.isEmpty ? .left : .held
    let isUnderWay = state.batches.contains { $0.isSending } || state.isRenewing || isForwarding && state.isFlushing
    guard isDone || !isUnderWay else { return }
    // A caller that waits for the store, too, then finds an empty journal.
    if isDone { releaseJournal() }
    let result: FlushResult = state.hasRefused ? .refused : isDone ? .accepted : left
    let requests = state.flushRequests
    (state.flushRequests, state.hasRefused) = ([], false)
    for request in requests { request(result) }
  }

  // MARK: Holds

  func setHold(_ hold: Hold, _ isSet: Bool) {
    abandonInheritance()
    if hold == .silenced { forwarded?.setHold(hold, isSet) }
    let before = state.holds
    if isSet { state.holds.insert(hold) } else { state.holds.remove(hold) }
    guard state.holds != before else { return }
    if state.holds.isEmpty {
      state.blockedRows = 0
      state.isHandingOver = isForwarding
      state.startedAt = clock.monotonicNanoseconds
    } else {
      state.flushTimer?.cancel()
      state.flushTimer = nil
      state.isFlushing = false
    }
    turn()
  }

  /// Begins to send, and to take over what other processes have left. On the scheduler's thread.
  public func start() {
    scheduler.assertCurrent()
    abandonInheritance()
    state.blockedRows = 0
    replaceBrokenJournal()
    journals.askAgain(state.generation, isStart: true)
    setHold(.stopped, false)
    awaitPurges()
    claimOrphans()
    armAdoptionTimer()
  }

  /// Ends requests and timers; what is recorded stays, and is given to the store now. `start` may
  /// follow. On the scheduler's thread.
  public func stop() {
    scheduler.assertCurrent()
    abandonInheritance()
    setHold(.stopped, true)
    state.restTimer?.cancel()
    (state.restUntil, state.askedUntil) = (.min, .min)
    for batch in state.batches.reversed() {
      if batch.isSealed { regroup(batch, [batch.numbers], id: batch.batch.id) } else { dissolve(batch) }
    }
    state.adoptionTimer?.cancel()
    state.adoptionTimer = nil
    drainIntake()
    cancelStoreTimer()
    // One after the other into the store's lane, before it is closed.
    while putNow(besideOthers: true) {}
    closeJournal()
    answerFlushes()
  }

  /// To be called when a policy admits other records than before. Callable from any thread.
  public func reconsider() {
    scheduler.post { [self] in
      abandonInheritance()
      state.blockedRows = 0
      state.isHandingOver = isForwarding
      if isFlushDue { beginFlush() }
      turn()
    }
  }
}
