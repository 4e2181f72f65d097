internal import HoistBase

/// One turn of the pipeline, on the scheduler's thread: drain the intake, enforce the limits, store, send.
extension EventPipeline {
  func turn() {
    scheduler.assertCurrent()
    abandonInheritance()
    drainIntake()
    followOwner()
    followClock()
    expire()
    trim()
    storeWhenDue()
    send()
    answerFlushes()
    askForTurns()
    noteOldest()
  }

  /// A record has come that may wait a little: for the store's delay, or for the flush.
  func turnSoonest() {
    abandonInheritance()
    guard isStoring, options.durability == .periodic || isJournaling else { return turn() }
    armStoreTimer()
    armFlushTimer()
  }

  /// In a forked child: everything here is the parent's.
  func abandonInheritance() {
    guard state.generation != scheduler.generation else { return }
    let inherited = state
    state = PipelineState(options, generation: scheduler.generation, epoch: store.ownerEpoch, entropy: entropy)
    state.clockOffset = inherited.clockOffset
    intake.abandon(generation: scheduler.generation)
    asideRows.store(0, ordering: .relaxed)
    state.takenBelow = intake.with { $0.firstSequence }
    _ = tally.counters(state.generation)
    withExtendedLifetime(inherited) {}
  }

  /// Whether rows are given to the store at all.
  var isStoring: Bool { options.durability != .memory && store.keepsEvents }

  func drainIntake() {
    var purges: [EventIntake.Purge] = []
    var (growth, aside, asideBytes) = (0, 0, 0)
    let (wall, steady) = (clock.unixMilliseconds, steadyMilliseconds)
    let storesNow = intake.drain(&purges) { record in
      let payload = policy.kept(record.payload)
      growth += payload.count - record.payload.count
      let row = EventRow(
        id: state.identifiers.text(record.number), pipeline: options.name,
        subject: String(decoding: record.subject, as: UTF8.self), createdUnixMilliseconds: record.created,
        payload: payload)
      let isAside = policy.awaitsConsent(row)
      state.rows.append(
        PipelineRow(row: row, since: steadyDate(of: record.created, wall, steady), isAside: isAside), number: record.number)
      if isAside {
        aside += 1
        asideBytes += record.payload.count + record.subject.count
        growth -= payload.count - record.payload.count
      }
      if isStoring { state.unstored.append(record.number) }
      state.takenBelow = record.number &+ 1
    }
    if storesNow { state.mustStoreNow = true }
    if growth != 0 || aside > 0 { intake.account(rows: -aside, bytes: growth - asideBytes) }
    changeAside(aside)
    for purge in purges { carryOut(purge) }
    eraseFromJournal(purges)
    intake.progress.purgesCarriedOut(purges.count)
  }

  // MARK: Limits

  func changeAside(_ change: Int) {
    guard change != 0 else { return }
    state.asideCount += change
    asideRows.store(state.asideCount, ordering: .relaxed)
    if change < 0 { intake.with { $0.isAsideFull = false } }
  }

  private func trim() {
    guard options.overflow == .dropOldest else { return }
    var (rows, bytes) = intake.with {
      ($0.totalRows - max(1, options.maximumRows), $0.totalBytes - options.maximumBytes)
    }
    guard rows > 0 || bytes > 0 else { return }
    var surplus: [UInt64] = []
    state.rows.forEachWaiting { number, row in
      guard rows > 0 || bytes > 0 else { return false }
      guard !row.isAside else { return true }
      surplus.append(number)
      rows -= 1
      bytes -= row.bytes
      return true
    }
    settle(surplus)
    intake.countDropped(surplus.count)
    if !surplus.isEmpty, intake.with({ !$0.isFull }) {
      intake.with { $0.isFull = true }
      log.warning("events: the queue \"\(options.name)\" is full; the oldest records make room (see statistics)")
    }
  }

  /// Rows leave the pipeline for good: from memory, from the account, from the store.
  /// - Parameter isStoreOthers: what the store has of them is another process's.
  func settle(_ numbers: [UInt64], isStoreOthers: Bool = false) {
    let gone = numbers.compactMap { state.rows.remove($0) }
    guard !gone.isEmpty else { return }
    state.blockedRows = min(state.blockedRows, state.rows.waitingCount)
    discount(gone)
    if !isStoreOthers { store.removeEvents(ids: gone.filter(\.isInStore).map(\.row.id)) }
    noteAttempted()
  }

  /// They do not count against their limits any more.
  func discount(_ gone: [PipelineRow]) {
    let counted = gone.filter { !$0.isAside }
    intake.account(rows: -counted.count, bytes: -counted.reduce(0) { $0 + $1.bytes })
    changeAside(counted.count - gone.count)
  }

  /// The wake priorities of the next records.
  private func askForTurns() {
    let isOpen = mayAttempt
    let urgent =
      !isOpen
      ? Int.max
      : rowsThatFlush.map { $0.addingReportingOverflow(state.blockedRows) }.map { $0.overflow ? .max : $0.partialValue }
        ?? .max
    let waitsForTimer = isStoring || state.flushTimer != nil || !state.holds.isEmpty
    let least: EventIntake.WakePriority =
      switch options.durability {
      case .immediate where isStoring: isJournaling ? .soon : .now
      case .periodic where isStoring: .soon
      default: waitsForTimer ? .none : .soon
      }
    intake.with {
      $0.urgentRows = urgent
      $0.leastPriority = least
    }
    armFlushTimer()
  }
}

/// Forgetting.
extension EventPipeline {
  func carryOut(_ purge: EventIntake.Purge) {
    scheduler.assertCurrent()
    forget { number, row in
      ByteKey(row.subject) == purge.subject && (number < purge.end || number >= RowTable.adoptedBase)
    }
    for (name, record) in state.live where ByteKey(record.row.subject) == purge.subject { discardLive(name) }
    // Rows of a running claim were in the store before the purge.
    for claim in state.claims.keys { state.claims[claim]?.append(purge.subject) }
    if isStoring { store.purgeEvents(subject: purge.subject.text, pipeline: options.name) }
  }

  /// Forgets records of this process that a condition holds for, wherever they are. On the
  /// scheduler's thread.
  public func discard(where condition: (EventRow) -> Bool) {
    scheduler.assertCurrent()
    abandonInheritance()
    drainIntake()
    forget { condition($1) }
    turn()
  }

  private func forget(where condition: (UInt64, EventRow) -> Bool) {
    let numbers = state.rows.rows.filter { condition($0.key, $0.value.row) }.map(\.key)
    guard !numbers.isEmpty else { return }
    let forgotten = Set(numbers)
    for batch in state.batches {
      let ids = Set(zip(batch.numbers, batch.batch.rows).filter { forgotten.contains($0.0) }.map { ByteKey($0.1.id) })
      guard !ids.isEmpty else { continue }
      _ = take(from: batch) { ids.contains(ByteKey($0.id)) }
      if batch.batch.rows.isEmpty { abandon(batch) }
    }
    settle(numbers)
    tally.count { $0.purged += numbers.count }
  }

  /// Nothing is left in a batch: it is stopped on its way, if it still can be.
  private func abandon(_ batch: PipelineBatch) {
    let exchange = batch.exchange
    endBatch(batch)
    if batch.isSealed { unseal(batch.batch.id) }
    exchange?.cancel()
  }
}
