internal import CShims

/// Locking one stripe, and locking all.
///
/// A thread that holds a stripe waits for another only in the order of their indexes, from the first on. So the holder
/// of the first may lock all, and only the holder of all changes their number.
extension EventIntake {
  /// Takes a stripe: the one this thread was in last, or else one that is free.
  /// - Returns: its place; to be left by unlocking the lock there.
  @inline(__always)
  func enter() -> Int {
    let count = stripeCount.load(ordering: .acquiring)
    let place = Int(shim_thread_place())
    let own = place < count ? place : place % count
    return shim_lock_try(locks[own]) ? own : enterAnother(than: own, among: count)
  }

  @inline(never)
  private func enterAnother(than own: Int, among count: Int) -> Int {
    if !isTakenWhole.load(ordering: .relaxed) {
      for place in 0..<count where shim_lock_try(locks[place]) {
        shim_thread_set_place(UInt32(truncatingIfNeeded: place))
        return place
      }
      if count < Self.mostStripes { return enterNew() }
    }
    shim_lock_lock(locks[own])
    return own
  }

  private func enterNew() -> Int {
    withAllStripes {
      let place = min(stripeCount.load(ordering: .relaxed), Self.mostStripes - 1)
      shim_thread_set_place(UInt32(truncatingIfNeeded: place))
      if place == stripeCount.load(ordering: .relaxed) {
        makeStripe(place)
        // Locked like the others, for the holder of all.
        shim_lock_lock(locks[place])
        stripeCount.store(place + 1, ordering: .releasing)
      }
    }
    return enter()
  }

  /// Runs `body` while no thread records. `state` is exact, and may be changed.
  @inline(__always)
  func withAllStripes<Value>(_ body: () -> Value) -> Value {
    lockAllStripes()
    defer { unlockAllStripes() }
    return body()
  }

  @inline(never)
  private func lockAllStripes() {
    shim_lock_lock(locks[0])
    isTakenWhole.store(true, ordering: .relaxed)
    for place in 1..<stripeCount.load(ordering: .relaxed) { shim_lock_lock(locks[place]) }
    let next = UInt64(bitPattern: shim_load_i64(self.next))
    let news = Int(truncatingIfNeeded: next &- state.pointee.nextSequence)
    state.pointee.nextSequence = next
    state.pointee.totalRows &+= news
    state.pointee.recorded &+= news
    state.pointee.totalBytes = Int(shim_load_i64(bytes))
  }

  @inline(never)
  private func unlockAllStripes() {
    shim_store_i64(next, Int64(bitPattern: state.pointee.nextSequence))
    shim_store_i64(bytes, Int64(state.pointee.totalBytes))
    state.pointee.plainEnd = plainEnd
    isTakenWhole.store(false, ordering: .relaxed)
    for place in 0..<stripeCount.load(ordering: .relaxed) { shim_lock_unlock(locks[place]) }
  }

  /// Below the limit and the warning level by as many records as may be checked at the same time.
  private var plainEnd: Int64 {
    var rows = limits.rows
    if state.pointee.told < state.pointee.leastPriority { return 0 }
    if state.pointee.told < .now { rows = min(rows, state.pointee.urgentRows &- 1) }
    let room = rows &- state.pointee.totalRows &- (stripeCount.load(ordering: .relaxed) - 1)
    return room > 0 ? Int64(bitPattern: state.pointee.nextSequence) &+ Int64(room) : 0
  }
}
