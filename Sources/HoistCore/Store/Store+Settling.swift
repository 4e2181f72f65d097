internal import HoistBase

extension CacheManager {
  /// - Parameter lifetime: nil for ever.
  fileprivate func replace(
    _ key: String, _ expected: [UInt8]?, with value: [UInt8]?, lifetime: Int64?
  ) throws(CacheFailure) -> CacheReplacement {
    guard let lifetime, lifetime > 0 else { return try replace(key: key, expected: expected, with: value) }
    return try replace(key: key, expected: expected, with: value, forMilliseconds: lifetime)
  }
}

/// Writing behind: what the store owes its manager.
extension Store {
  /// A round of values stops at this many failures: the disk is at fault, not one value.
  private static var failuresOfARound: Int { 2 }
  /// At the end.
  private static var lastRounds: Int { 4 }
  /// So often others may be faster.
  private static var maximumReplacements: Int { 64 }

  /// Waits until what was given to the store, and asked to be forgotten, is written; while the manager fails that is nothing.
  /// Not on a thread of the library's own.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: false when the deadline passed first.
  func settle(untilNanoseconds deadline: Int64) -> Bool {
    guard manager != nil else { return true }
    let ended = Completion<Bool>()
    // Calls of the manager are made in their order.
    call(.owed) { _, _ in
    } answer: { _ in
      ended.give(true)
    }
    return ended.wait(untilNanoseconds: deadline) != nil
  }

  /// Begins the pending writes, unless that has begun; when writes pause, after the pause. A closed store keeps them
  /// until it is opened again.
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
    writeValues { [weak self] _ in
      self?.withState { $0.isSettling = false }
      self?.settleSoon()
    }
  }

  /// - Returns: whether anything was written.
  @discardableResult
  func settleValues(_ manager: any CacheManager) throws(CacheFailure) -> Bool {
    var last: CacheFailure?
    var failures = 0
    let items = withState { $0.pending.inOrder() }
    for item in items where failures < Self.failuresOfARound {
      do {
        let kept = try settle(item, manager)
        settled(item, .success(kept))
      } catch {
        last = error
        failures += 1
        settled(item, .failure(error))
      }
    }
    if let last { throw last }
    return !items.isEmpty
  }

  private func settled(_ item: PendingValues.Item, _ result: Result<[UInt8]?, CacheFailure>) {
    let isWritten = if case .success = result { true } else { false }
    let settlement = withState { state in
      let settlement = state.pending.settled(item, written: isWritten)
      if isWritten { state.counters.written += 1 }
      if settlement.isGivenUp { state.counters.givenUp += 1 }
      return settlement
    }
    for completion in settlement.completions { completion(result) }
  }

  /// - Returns: the value stored now.
  private func settle(_ item: PendingValues.Item, _ manager: any CacheManager) throws(CacheFailure) -> [UInt8]? {
    if case .value = item.base {
      let value = try fitting(item.value(from: nil))
      if let value { try manager.save(key: item.key.text, value: value) } else { try manager.remove(key: item.key.text) }
      if item.isLasting { announce(item.key.text, manager) }
      return value
    }
    if let addition = item.addition, try manager.append(key: item.key.text, to: addition.head, addition.bytes) { return nil }
    noteReplacing(manager)
    var known = try checked(try manager.load(key: item.key.text))
    for _ in 0..<Self.maximumReplacements {
      let value = try fitting(item.value(from: known))
      if value == known { return known }
      switch try manager.replace(item.key.text, known, with: value, lifetime: item.lifetime) {
      case .done:
        if item.isLasting { announce(item.key.text, manager) }
        return value
      case .differs(let other): known = try checked(other)
      }
    }
    throw CacheFailure("others change a value all the time")
  }

  private func fitting(_ value: [UInt8]?) throws(CacheFailure) -> [UInt8]? {
    guard let value, value.count > options.maximumValueBytes else { return value }
    throw CacheFailure("a value of \(value.count) bytes is over the limit")
  }

  private func noteReplacing(_ manager: any CacheManager) {
    let isNews = withState { state in
      defer { state.hasNotedReplacing = true }
      return !state.hasNotedReplacing
    }
    guard isNews, !manager.replacesInOneStep else { return }
    log.warning(
      "store: the cache plug-in cannot compare and set: what another process changes at the same time may be lost; "
        + "give it a \"replace\"")
  }

  /// On the lane: makes the removals and purges requested before the call of this number. After a failure, that one and
  /// all later ones stay pending.
  /// - Parameter mayFail: a failure is no error unless a purge is pending.
  /// - Returns: whether there were any.
  @discardableResult
  func settleEvents(_ manager: any CacheManager, upTo call: UInt64, mayFail: Bool = false) throws(CacheFailure) -> Bool {
    var (due, owners) = withState { state in
      let due = state.forgettings.prefix { $0.call <= call }
      state.forgettings.removeFirst(due.count)
      return (due, [state.owner.eventOwner(options)] + state.formerOwners)
    }
    let isAsked = !due.isEmpty
    while let next = due.first {
      do {
        switch next.what {
        case .rows(let ids):
          for owner in owners { try manager.removeEvents(ids: ids, owner: owner) }
          if owners.count > 1 { withState { $0.forgottenSince.insert(ids) } }
        case .subject(let subject, let pipeline): try manager.purgeEvents(subject: subject, pipeline: pipeline)
        }
      } catch {
        let mustPurge = withState { state in
          state.forgettings.insert(contentsOf: due, at: 0)
          return state.forgettings.contains { if case .subject = $0.what { true } else { false } }
        }
        if mayFail, !mustPurge { return false }
        throw error
      }
      due.removeFirst()
    }
    return isAsked
  }

  /// On the lane, as the last call. Returns whether everything was written.
  func leave(_ manager: any CacheManager) -> Bool {
    guard withState({ $0.stuck == nil && $0.end == nil }) else { return false }
    defer {
      endListening(manager)
      manager.close()
    }
    do {
      try settleEvents(manager, upTo: .max)
      // What changes while it is written is written again.
      for _ in 0..<Self.lastRounds where !withState({ $0.pending.isEmpty }) { try settleValues(manager) }
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
