internal import HoistBase

/// One turn of the pipeline, on the scheduler's thread: take in what has come, keep to the limits,
/// store, send.
extension EventPipeline {
  func turn() {
    abandonInheritance()
    takeIn()
    followOwner()
    expire()
    trim()
    storeWhenDue()
    send()
    answerFlushes()
    askForTurns()
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
    intake.abandon(generation: scheduler.generation)
    state.takenBelow = intake.with { $0.firstSequence }
    _ = tally.counters(state.generation)
    withExtendedLifetime(inherited) {}
  }

  /// Whether rows are given to the store at all.
  var isStoring: Bool { options.durability != .memory && store.keepsEvents }

  func takeIn() {
    var purges: [EventIntake.Purge] = []
    var growth = 0
    let isPressed = intake.take(&purges) { record in
      let payload = policy.kept(record.payload)
      growth += payload.count - record.payload.count
      let row = EventRow(
        id: state.identifiers.text(record.number), pipeline: options.name,
        subject: String(decoding: record.subject, as: UTF8.self), createdUnixMilliseconds: record.created,
        payload: payload)
      state.rows.append(PipelineRow(row: row), number: record.number)
      if isStoring { state.unstored.append(record.number) }
      state.takenBelow = record.number &+ 1
    }
    if isPressed { state.isPressing = true }
    if growth != 0 { intake.account(rows: 0, bytes: growth) }
    for purge in purges { carryOut(purge) }
    eraseFromJournal(purges)
    intake.purgesCarriedOut(purges.count)
  }

  // MARK: Limits

  private func expire() {
    guard let age = options.maximumAgeMilliseconds else { return }
    let oldest = clock.unixMilliseconds.subtractingReportingOverflow(age)
    guard !oldest.overflow else { return }
    var expired: [UInt64] = []
    state.rows.forEachWaiting { number, row in
      guard row.row.createdUnixMilliseconds < oldest.partialValue else { return false }
      expired.append(number)
      return true
    }
    settle(expired)
    if !expired.isEmpty { tally.count { $0.expired += expired.count } }
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
  func settle(_ numbers: [UInt64]) {
    var count = 0
    var bytes = 0
    var stored: [String] = []
    for number in numbers {
      guard let row = state.rows.remove(number) else { continue }
      count += 1
      bytes += row.bytes
      if row.isInStore { stored.append(row.row.id) }
    }
    guard count > 0 else { return }
    state.blockedRows = min(state.blockedRows, state.rows.waitingCount)
    intake.account(rows: -count, bytes: -bytes)
    store.removeEvents(ids: stored)
    noteAttempted()
  }

  /// What the next records should be told of.
  private func askForTurns() {
    let isOpen = state.holds.isEmpty && state.batches.count < max(1, options.maximumInFlight)
    let urgent =
      !isOpen
      ? Int.max
      : rowsThatFlush.map { $0.addingReportingOverflow(state.blockedRows) }.map { $0.overflow ? .max : $0.partialValue }
        ?? .max
    let waitsForTimer = isStoring || state.flushTimer != nil || !state.holds.isEmpty
    let least: EventIntake.Need =
      switch options.durability {
      case .immediate where isStoring: isJournaling ? .soon : .now
      case .periodic where isStoring: .soon
      default: waitsForTimer ? .nothing : .soon
      }
    intake.with {
      $0.urgentRows = urgent
      $0.leastNeed = least
    }
    armFlushTimer()
  }
}
