internal import HoistBase

/// Waiting for the store: how far it has come with what was recorded.
extension EventIntake {
  /// Guarded by a lock of its own: those who record do not meet those who wait.
  struct Commits {
    /// Records below this have been given to the store, those below `committed` with success.
    var attempted: UInt64 = 0
    var committed: UInt64 = 0
    /// Of the purges that were asked for, so many, from the first, the store knows of.
    var purgesTold: UInt64 = 0
  }

  /// Records below `sequence` have been given to the store or have left the pipeline.
  func attempted(below sequence: UInt64, committed: Bool) {
    change {
      $0.attempted = max($0.attempted, sequence)
      if committed { $0.committed = max($0.committed, sequence) }
    }
  }

  /// What was recorded so far is to be stored without waiting for more.
  /// - Returns: whether a turn has to be asked for.
  func press() -> Bool { !isPressed.exchange(true, ordering: .acquiringAndReleasing) }

  /// So many purges, which were taken, have been carried out.
  func purgesCarriedOut(_ count: Int) {
    guard count > 0 else { return }
    change { $0.purgesTold &+= UInt64(truncatingIfNeeded: count) }
  }

  @inline(never)
  func change(_ body: (inout Commits) -> Void) {
    commitLock.withLock {
      body(&commits)
      commitNews.broadcast()
    }
  }

  /// Waits until the store has been told of a purge.
  /// - Parameter deadline: of the machine's monotonic clock.
  func waitForPurge(_ number: UInt64, untilNanoseconds deadline: Int64) {
    _ = wait(untilNanoseconds: deadline) { $0.purgesTold >= number }
  }

  /// Waits until the store has been given a record.
  /// - Parameter deadline: of the machine's monotonic clock.
  /// - Returns: whether it is committed.
  func waitForCommit(of sequence: UInt64, untilNanoseconds deadline: Int64) -> Bool {
    wait(untilNanoseconds: deadline) { $0.attempted > sequence }.committed > sequence
  }

  @inline(never)
  private func wait(untilNanoseconds deadline: Int64, for condition: (Commits) -> Bool) -> Commits {
    commitLock.withLock {
      while !condition(commits), commitNews.wait(commitLock, untilNanoseconds: deadline) {}
      return commits
    }
  }
}
