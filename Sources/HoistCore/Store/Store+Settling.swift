internal import HoistBase

/// Writing behind: what the store owes its manager.
extension Store {
  /// A round of values stops at this many failures: the disk is at fault, not one value.
  private static var failuresOfARound: Int { 2 }

  /// Waits until what was given to the store, and asked to be forgotten, is written; while the manager fails that is nothing.
  /// Not on a thread of the library's own.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: false when the deadline passed first.
  func settle(untilNanoseconds deadline: Int64) -> Bool {
    guard manager != nil else { return true }
    let ended = Answer<Bool>()
    // Calls of the manager are made in their order.
    call(.write) { _, _ in } answer: { _ in ended.give(true) }
    return ended.wait(untilNanoseconds: deadline) != nil
  }

  /// Begins to write what is owed, unless that has begun; when writes pause, after the pause. A closed store owes until
  /// it is opened again.
  func settleSoon() {
    let now = clock.monotonicNanoseconds
    let delay: Int64? = withState {
      guard !$0.isSettling, !$0.isClosed, $0.owesSomething, $0.stuck == nil, $0.end == nil else { return nil }
      $0.isSettling = true
      return $0.pausedUntil > now ? ($0.pausedUntil - now) / 1_000_000 + 1 : 0
    }
    guard let delay else { return }
    if delay == 0 { return settleNow() }
    _ = scheduler.schedule(afterMilliseconds: delay) { [weak self] in self?.settleNow() }
  }

  private func settleNow() {
    writeValues { [weak self] in
      self?.withState { $0.isSettling = false }
      self?.settleSoon()
    }
  }

  func settleValues(_ manager: any CacheManager) throws(CacheFailure) {
    var last: CacheFailure?
    var failures = 0
    for item in withState({ $0.pending.inOrder() }) where failures < Self.failuresOfARound {
      do {
        if let value = item.value {
          try manager.save(key: item.key.text, value: value)
        } else {
          try manager.remove(key: item.key.text)
        }
        withState { if $0.pending.settled(item, written: true) { $0.counters.written += 1 } }
      } catch {
        last = error
        failures += 1
        withState { if !$0.pending.settled(item, written: false) { $0.counters.givenUp += 1 } }
      }
    }
    if let last { throw last }
  }

  /// On the lane: forgets what was asked for before the call of this number. What fails stays owed,
  /// with all that comes after it.
  func settleEvents(_ manager: any CacheManager, upTo call: UInt64) throws(CacheFailure) {
    var (due, owners) = withState { state in
      let due = state.forgettings.prefix { $0.call <= call }
      state.forgettings.removeFirst(due.count)
      return (due, [state.owner.eventOwner(options)] + (state.formerOwner.map { [$0] } ?? []))
    }
    while let next = due.first {
      do {
        switch next.what {
        case .rows(let ids): for owner in owners { try manager.removeEvents(ids: ids, owner: owner) }
        case .subject(let subject, let pipeline): try manager.purgeEvents(subject: subject, pipeline: pipeline)
        }
      } catch {
        withState { $0.forgettings.insert(contentsOf: due, at: 0) }
        throw error
      }
      due.removeFirst()
    }
  }

  /// On the lane, as the last call. Returns whether everything was written.
  func leave(_ manager: any CacheManager) -> Bool {
    guard withState({ $0.stuck == nil && $0.end == nil }) else { return false }
    defer { manager.close() }
    do {
      try settleEvents(manager, upTo: .max)
      try settleValues(manager)
      if let owner = withState({ $0.owner.holdsRows ? $0.owner.eventOwner(options) : nil }) {
        try manager.releaseEvents(owner: owner)
      }
      return true
    } catch {
      log.warning("store: closed with something unwritten: \(error.message)")
      return false
    }
  }
}
