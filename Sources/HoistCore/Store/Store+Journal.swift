/// Journals beside the store. What is done with their files is done on the store's lane; only a record itself is written
/// on the thread that makes it. They are no part of what the manager stores in: they are used while it fails.
extension Store {
  /// - Parameter completion: nil when the manager keeps none.
  func openJournal(
    pipeline: String, identifiers: EventIdentifiers,
    completion: @escaping @Sendable (Result<(any EventJournal)?, CacheFailure>) -> Void
  ) {
    guard let manager else { return scheduler.post { completion(.success(nil)) } }
    lane.ask(withinNanoseconds: options.callLimitNanoseconds) {
      Result { () throws(CacheFailure) in try manager.openJournal(pipeline: pipeline, identifiers: identifiers) }
    } answer: { result in
      completion(result ?? .failure(CacheFailure("the store did not answer in time")))
    }
  }

  /// - Parameter completion: whether it is done.
  func release(_ journal: any EventJournal, _ progress: JournalProgress, completion: @escaping @Sendable (Bool) -> Void) {
    onLane {
      journal.carryOutErasures()
      journal.release(progress)
    } completion: {
      completion($0)
    }
  }

  /// After all earlier calls.
  func closeIfEmpty(_ journal: any EventJournal) {
    onLane {
      journal.carryOutErasures()
      journal.closeIfEmpty()
    } completion: { _ in
    }
  }

  /// Its records may be claimed by another process.
  func close(_ journal: any EventJournal) {
    onLane {
      journal.close()
    } completion: { _ in
    }
  }

  private func onLane(_ work: @escaping @Sendable () -> Void, completion: @escaping @Sendable (Bool) -> Void) {
    lane.ask(withinNanoseconds: options.callLimitNanoseconds) {
      work()
      return true
    } answer: {
      completion($0 ?? false)
    }
  }

  // MARK: Purges

  /// A purge has been asked for: until `endPurges` nothing is written to a journal, of any pipeline. Any thread.
  func beginPurge() { withState { $0.purges += 1 } }
  func endPurges(_ count: Int) { withState { $0.purges = max(0, $0.purges - count) } }
  var isPurging: Bool { withState { $0.purges > 0 } }

  /// Whether it will not work again.
  var isOff: Bool { withState { $0.end != nil } }

  /// Whether what it holds may be reached, or be reached later.
  var mayHoldSomething: Bool { withState { $0.hasWorked && $0.end == nil } }

  /// Carries out the purges that were asked for so far, in the store and in the journal.
  /// - Parameter completion: whether that succeeded.
  func carryOutPurges(_ journal: (any EventJournal)?, completion: @escaping @Sendable (Bool) -> Void) {
    // Pending removals go first.
    call(.owed) { _, _ throws(CacheFailure) in
      journal?.carryOutErasures()
    } answer: { result in
      completion(result.isSuccess)
    }
  }
}
