internal import HoistBase

/// Immediate durability without waiting for the store: a record whose caller would wait is written to the journal, and the
/// store is given groups of records, as with periodic durability. A record of an evaluation, which may not wait for a disk,
/// is not in the journal: it is given to the store at once.
extension EventPipeline {
  /// Whether rows may wait for a group.
  var isJournaling: Bool { journals.isOpen && journals.journal(scheduler.generation) != nil }

  /// Records into the journal.
  /// - Returns: nil, with nothing recorded, when there is none, or not now.
  func recordInJournal(_ payload: ByteView, tail: ByteView, subject: ByteView, unixMilliseconds: Int64) -> Outcome? {
    let generation = scheduler.generation
    guard let journal = journals.journalForRecord(generation) else {
      openJournal(generation)
      return nil
    }
    let kept = policy.kept(payload, tail)
    guard payload.count + tail.count <= options.maximumRowBytes, kept.count <= options.maximumRowBytes else { return nil }
    var answer: EventIntake.Answer?
    let isWritten = kept.withBytes { kept in
      journal.write(subject: subject, unixMilliseconds: unixMilliseconds, payload: kept) {
        let taken = intake.append(created: unixMilliseconds, subject: subject, payload: kept, generation: generation)
        answer = taken
        return taken.isTaken ? taken.sequence : nil
      }
    }
    guard let answer else { return nil }
    let outcome = heed(answer)
    guard case .queued = outcome else { return outcome }
    return isWritten ? .stored : awaitCommit(of: answer.sequence, untilNanoseconds: commitDeadline)
  }

  private func openJournal(_ generation: UInt32) {
    guard journals.asksFirst(generation) else { return }
    scheduler.post { [self] in
      abandonInheritance()
      guard state.generation == generation else { return }
      store.openJournal(pipeline: options.name, identifiers: state.identifiers) { [weak self] journal in
        guard let self, journals.fill(journal, generation) else { return journal?.close() ?? () }
        turn()
      }
    }
  }

  /// What was recorded is not in the journal and must not wait for a group.
  func storeNow() {
    if intake.press() { scheduler.post(turnNow.work) }
  }

  /// How far the store has come when what it has been given, or is given with this, is committed.
  func journalProgress() -> (journal: any EventJournal, progress: JournalProgress)? {
    guard journals.isOpen, let journal = journals.journal(state.generation) else { return nil }
    if state.puts == 0 { state.putRound &+= 1 }
    let next = state.unstored.first { $0 < RowTable.adoptedBase && state.rows[$0] != nil }
    return (journal, JournalProgress(below: next ?? state.takenBelow, round: state.putRound, step: state.puts))
  }

  /// Everything that is in the journal is stored or gone, as far as it has been taken in.
  func settleJournal() {
    if let (journal, progress) = journalProgress() { store.settle(journal, progress) }
  }

  /// What purges speak of goes from the journal, too, and until the store has carried them out nothing is written there.
  func eraseFromJournal(_ purges: [EventIntake.Purge]) {
    guard !purges.isEmpty, options.durability == .immediate else { return }
    if let journal = journals.journal(state.generation) {
      for purge in purges { journal.erase(subject: purge.subject.text, below: purge.end) }
    }
    awaitPurges(purges.count)
  }

  private func awaitPurges(_ count: Int) {
    let generation = state.generation
    store.carryOutPurges(journals.journal(generation)) { [weak self] isDone in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      if isDone { return journals.endPurges(count, generation) }
      _ = scheduler.schedule(afterMilliseconds: Self.retryMilliseconds) { [weak self] in
        if let self, state.generation == generation { awaitPurges(count) }
      }
    }
  }

  /// After everything that has been given to the store.
  func closeJournal() {
    if let journal = journals.take(state.generation) { store.close(journal) }
  }
}
