/// Journals beside the store. What is done with their files is done on the store's lane; only a record itself is written
/// on the thread that makes it.
extension Store {
  /// - Parameter completion: nil when the manager keeps none, or none now.
  func openJournal(
    pipeline: String, identifiers: EventIdentifiers, completion: @escaping @Sendable ((any EventJournal)?) -> Void
  ) {
    call(.read) { manager, _ throws(CacheFailure) in
      manager.openJournal(pipeline: pipeline, identifiers: identifiers)
    } answer: { result in
      completion((try? result.get()) ?? nil)
    }
  }

  /// When it cannot be done now, it is made up for at the next time.
  func settle(_ journal: any EventJournal, _ progress: JournalProgress) {
    call(.read) { _, _ throws(CacheFailure) in
      journal.settle(progress)
    } answer: { _ in
    }
  }

  /// Carries out the purges that were asked for so far, in the store and in the journal.
  /// - Parameter completion: whether that succeeded.
  func carryOutPurges(_ journal: (any EventJournal)?, completion: @escaping @Sendable (Bool) -> Void) {
    // A write: what is to be forgotten goes first.
    call(.write) { _, _ throws(CacheFailure) in
      journal?.settle(nil)
    } answer: { result in
      completion(result.isSuccess)
    }
  }

  /// After what was asked for before.
  func close(_ journal: any EventJournal) {
    call(.read) { _, _ throws(CacheFailure) in
      journal.close()
    } answer: { _ in
    }
  }
}
