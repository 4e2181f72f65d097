internal import HoistBase

/// How a store speaks to its manager: one call at a time, each with a limit, and an episode of
/// failures that the host hears of once.
extension Store {
  enum Access {
    case read
    /// Not made while writes pause; pending removals and purges come first.
    case write
    /// A write for the owner of the rows, which prolongs its lease.
    case owner
    /// The same, but delivery is what makes room on a full disk: it is made while writes pause, and although removals fail.
    case claim
    /// A write of what waits: only removals and purges, or the values, too.
    case owed, values
    /// A leader's write: made at once, also while writes pause.
    case led
    /// Neither reads nor writes: what comes of it says nothing of what is kept.
    case listen

    /// Not made while writes pause.
    var rests: Bool { ![.read, .claim, .led, .listen].contains(self) }
  }

  /// Calls the manager on the lane.
  /// - Parameters:
  ///   - body: gets the manager and the owner to act for.
  ///   - answer: on the scheduler's thread, exactly once.
  func call<Value: Sendable>(
    _ access: Access,
    _ body: @escaping @Sendable (any CacheManager, EventOwner) throws(CacheFailure) -> Value,
    answer: @escaping @Sendable (Result<Value, CacheFailure>) -> Void
  ) {
    let now = clock.monotonicNanoseconds
    let (refusal, ticket) = withState { ($0.refusal(at: now, writes: access.rests), $0.newCall()) }
    guard let manager, refusal == nil else {
      withState { $0.counters.refused += manager == nil ? 0 : 1 }
      scheduler.post { answer(.failure(refusal ?? CacheFailure("there is no store"))) }
      return
    }
    lane.ask(withinNanoseconds: options.callLimitNanoseconds) { [self] () -> Result<Answer<Value>, CacheFailure> in
      guard begin(ticket) else { return .failure(CacheFailure("the store is stuck")) }
      defer { end(ticket) }
      return Result { () throws(CacheFailure) in
        let isFromManager = try settle(manager, access, ticket)
        let value =
          try access == .owner || access == .claim
          ? actAsOwner(manager, body) : body(manager, withState { $0.owner.eventOwner(options) })
        return Answer(value: value, isFromManager: isFromManager)
      }
    } answer: { [self] result in
      answer(conclude(result, access, ticket))
    }
  }

  /// What comes before the call itself.
  /// - Returns: whether it, or the call, asks something of the manager.
  @inline(never)
  private func settle(_ manager: any CacheManager, _ access: Access, _ ticket: StoreCall) throws(CacheFailure) -> Bool {
    switch access {
    case .read, .led: return true
    case .listen: return false
    case .write, .owner, .claim:
      try settleEvents(manager, upTo: ticket.number, mayFail: access == .claim)
      return true
    case .owed: return try settleEvents(manager, upTo: ticket.number)
    case .values:
      let hasForgotten = try settleEvents(manager, upTo: ticket.number)
      return try settleValues(manager) || hasForgotten
    }
  }

  private struct Answer<Value: Sendable>: Sendable {
    var value: Value
    /// False where nothing was asked of the manager: that says nothing of it.
    var isFromManager: Bool
  }

  private func begin(_ ticket: StoreCall) -> Bool {
    withState {
      guard $0.stuck == nil else { return false }
      ticket.hasBegun = true
      return true
    }
  }

  private func end(_ ticket: StoreCall) {
    let isBack = withState {
      ticket.hasEnded = true
      guard $0.stuck === ticket else { return false }
      $0.stuck = nil
      return true
    }
    if isBack {
      log.info("store: the call that was stuck has returned; the store is in use again")
      scheduler.post { [self] in settleSoon() }
    }
  }

  /// On the scheduler's thread: keeps account of what came of a call.
  private func conclude<Value: Sendable>(
    _ result: Result<Answer<Value>, CacheFailure>?, _ access: Access, _ ticket: StoreCall
  ) -> Result<Value, CacheFailure> {
    switch result {
    case nil: return .failure(noteSilence(ticket))
    case .success(let answer)?:
      if answer.isFromManager { noteSuccess(access) }
      return .success(answer.value)
    case .failure(let failure)?:
      if access != .listen { noteFailure(failure, access) }
      return .failure(failure)
    }
  }

  @inline(never)
  private func noteSilence(_ ticket: StoreCall) -> CacheFailure {
    let (isStuck, isClosed) = withState { state in
      guard ticket.hasBegun, !ticket.hasEnded else {
        state.counters.refused += 1
        return (false, state.isClosed)
      }
      state.stuck = ticket
      state.counters.failures += 1
      return (true, state.isClosed)
    }
    if isStuck {
      log.warning("store: a call has not returned within its limit; going on without the store until it does")
    } else if lane.lacksThread, !isClosed {
      pause("the system gives no thread for its calls; going on without the store until it does")
    }
    return CacheFailure("the store did not answer in time")
  }

  @inline(never)
  private func noteSuccess(_ access: Access) {
    let wasFailing = withState { state in
      state.hasWorked = true
      // A full disk can be read.
      if access == .read || access == .claim, state.failsToWrite { return false }
      defer { (state.isFailing, state.failsToWrite) = (false, false) }
      state.pausedUntil = .min
      state.pause.reset()
      return state.isFailing
    }
    if wasFailing { log.info("store: works again") }
  }

  @inline(never)
  private func noteFailure(_ failure: CacheFailure, _ access: Access) {
    withState { state in
      state.counters.failures += 1
      if access != .read { state.failsToWrite = true }
      if failure.isPermanent { state.end = failure }
    }
    pause(failure.message)
  }

  /// Writes rest for a while, the longer the more often that has been; told once an episode.
  private func pause(_ cause: String) {
    let now = clock.monotonicNanoseconds
    let isNews = withState { state in
      defer { state.isFailing = true }
      if now >= state.pausedUntil {
        state.pausedUntil = now &+ state.pause.nextMilliseconds(entropy) &* 1_000_000
      }
      return !state.isFailing
    }
    if isNews { log.warning("store: \(cause)") }
  }
}
