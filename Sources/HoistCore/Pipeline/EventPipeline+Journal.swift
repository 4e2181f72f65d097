internal import HoistBase

/// Immediate durability without waiting for the store: a record whose caller would wait is written to the journal, and the
/// store is given groups of records, as with periodic durability. A record of an evaluation, which may not wait for a disk,
/// is not in the journal: it is given to the store at once.
extension EventPipeline {
  /// Whether rows may wait for a group: not when the journal may have lost what was in it.
  var isJournaling: Bool { journals.isOpen && journals.journal(scheduler.generation)?.isSound == true }

  /// Records into the journal.
  /// - Returns: nil, with nothing recorded, when there is none, or not now.
  func recordInJournal(
    _ payload: ByteView, tail: ByteView, subject: ByteView, unixMilliseconds: Int64, waits wait: Wait,
    untilNanoseconds deadline: Int64
  ) -> Outcome? {
    let generation = scheduler.generation
    guard let journal = journals.journal(generation) else {
      openJournal(generation)
      return nil
    }
    // A record made after a purge must not be stored before it.
    guard !store.isPurging, payload.count + tail.count <= options.maximumRowBytes else { return nil }
    let kept = policy.kept(payload, tail)
    guard kept.count <= options.maximumRowBytes else { return nil }
    var answer: EventIntake.Answer?
    let isWritten = marked(kept, age: 0).withBytes { marked in
      journal.write(subject: subject, unixMilliseconds: unixMilliseconds, payload: marked, untilNanoseconds: deadline) {
        let taken = kept.withBytes {
          intake.append(created: unixMilliseconds, subject: subject, payload: $0, generation: generation)
        }
        answer = taken
        return taken.isTaken ? taken.sequence : nil
      }
    }
    guard let answer else { return nil }
    guard isWritten else { return conclude(answer, wait, untilNanoseconds: deadline) }
    return wake(for: answer) ? .stored : .dropped
  }

  private func openJournal(_ generation: UInt32) {
    guard journals.asksFirst(generation) else { return }
    scheduler.post { [self] in
      abandonInheritance()
      guard state.generation == generation else { return }
      store.openJournal(pipeline: options.name, identifiers: state.identifiers) { [weak self] result in
        guard let self, state.generation == generation else { return }
        take(result, generation)
        // Callers that wait already stay with the store.
        state.mustStoreNow = true
        turn()
      }
    }
  }

  private func take(_ result: Result<(any EventJournal)?, CacheFailure>, _ generation: UInt32) {
    switch result {
    case .success(let journal?):
      if !journals.fill(journal, generation) { return store.close(journal) }
      if state.isWithoutJournal { log.info("events: records of \"\(options.name)\" wait for a journal only again") }
      state.isWithoutJournal = false
    case .success(nil): journals.leaveEmpty(generation, forGood: true)
    case .failure(let failure):
      journals.leaveEmpty(generation, forGood: failure.isPermanent)
      if !state.isWithoutJournal {
        log.info("events: records of \"\(options.name)\" wait for the store: \(failure.message)")
      }
      state.isWithoutJournal = true
    }
  }

  /// What was recorded is not in the journal and must not wait for a group.
  func storeNow() {
    if intake.askToStoreNow() { scheduler.post(turnNow.work) }
  }

  // MARK: Letting go of records

  /// How far the store has come when what it has been given, or is given with this, is committed.
  func journalProgress() -> (journal: any EventJournal, progress: JournalProgress)? {
    guard journals.isOpen, let journal = journals.journal(state.generation) else { return nil }
    (state.journalRound, state.journalStep) =
      state.puts == 0 ? (state.journalRound &+ 1, 0) : (state.journalRound, state.journalStep + 1)
    let next = state.unstored.first { $0 < RowTable.adoptedBase && state.rows[$0] != nil }
    return (journal, JournalProgress(below: next ?? state.takenBelow, round: state.journalRound, step: state.journalStep))
  }

  /// Lets the journal forget what is stored or gone by now, and tries again when that cannot be done.
  func releaseJournal() {
    guard let (journal, progress) = journalProgress() else { return }
    let generation = state.generation
    store.release(journal, progress) { [weak self] isDone in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      storeWhatAJournalLost()
      if !isDone, !state.holds.contains(.stopped) { armStoreTimer(afterMilliseconds: Self.retryMilliseconds) }
    }
  }

  /// A journal that takes nothing any more, as when its file was removed, is replaced when nothing needs it; records
  /// that are not drained yet may be in it, too.
  func replaceBrokenJournal() {
    guard state.unstored.isEmpty, state.puts == 0, intake.with({ $0.firstSequence == $0.nextSequence }) else { return }
    if let former = journals.takeOutBroken(state.generation) { store.close(former) }
  }

  /// After erasures: records that were acknowledged may be nowhere but in memory now.
  private func storeWhatAJournalLost() {
    guard journals.isOpen, !isJournaling else { return }
    drainIntake()
    if state.unstored.isEmpty { replaceBrokenJournal() } else { turn() }
  }

  /// After everything that has been given to the store. A journal that still holds something stays open, for a later
  /// start: its records are in memory, too, and must not be claimed as long as they are.
  func closeJournal() {
    if let journal = journals.journal(state.generation) { store.closeIfEmpty(journal) }
  }

  // MARK: Purges

  /// Whether records may have to stay out of journals until a purge is carried out.
  var countsPurges: Bool { options.durability == .immediate && store.keepsEvents }

  /// What purges speak of goes from the journal, too.
  func eraseFromJournal(_ purges: [EventIntake.Purge]) {
    guard !purges.isEmpty, countsPurges else { return }
    if let journal = journals.journal(state.generation) {
      for purge in purges { journal.erase(subject: purge.subject.text, below: purge.end) }
    }
    state.owedPurges += purges.count
    awaitPurges()
  }

  /// Asks the store to carry out what it owes, again and again while that fails; not after `stop`.
  func awaitPurges() {
    guard state.owedPurges > 0, state.askedPurges == 0 else { return }
    let (count, generation) = (state.owedPurges, state.generation)
    state.askedPurges = count
    store.carryOutPurges(journals.journal(generation)) { [weak self] isDone in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      state.askedPurges = 0
      storeWhatAJournalLost()
      if isDone {
        state.owedPurges -= count
        store.endPurges(count)
        return awaitPurges()
      }
      guard !store.isOff else { return }
      _ = scheduler.schedule(afterMilliseconds: Self.retryMilliseconds) { [weak self] in
        if let self, state.generation == generation, !state.holds.contains(.stopped) { awaitPurges() }
      }
    }
  }
}
