internal import HoistBase

/// Giving rows to the store, behind the backs of those who record them.
extension EventPipeline {
  /// What one call of the store takes at most.
  private static var rowsOfAPut: Int { 1_000 }
  private static var bytesOfAPut: Int { 4 << 20 }
  /// After a failure; the store has a pause of its own on top.
  static var retryMilliseconds: Int64 { 1_000 }

  func armStoreTimer(afterMilliseconds delay: Int64? = nil) {
    guard isStoring, state.storeTimer == nil, state.puts == 0 else { return }
    state.storeTimer = scheduler.schedule(afterMilliseconds: delay ?? options.storeDelayMilliseconds) { [weak self] in
      guard let self else { return }
      state.storeTimer = nil
      state.isStoreResting = false
      takeIn()
      _ = putNow()
      turn()
    }
  }

  func cancelStoreTimer() {
    state.storeTimer?.cancel()
    state.storeTimer = nil
    state.isStoreResting = false
  }

  /// Immediate durability stores at every turn what is in no journal, periodic when its timer says so.
  func storeWhenDue() {
    guard isStoring else { return noteAttempted() }
    if options.durability == .immediate, state.isPressing || !isJournaling {
      // Nobody waits for the next try.
      if state.isStoreResting { return intake.attempted(below: state.takenBelow, committed: false) }
      cancelStoreTimer()
      _ = putNow()
    } else if !state.unstored.isEmpty || state.live.values.contains(where: \.isDirty) {
      armStoreTimer()
    }
  }

  /// Gives the store what it does not have, as much as one call takes.
  /// - Parameter besideOthers: although an earlier call has not been answered.
  /// - Returns: false when there was nothing to give.
  func putNow(besideOthers: Bool = false) -> Bool {
    guard isStoring, state.puts == 0 || besideOthers else { return false }
    let (rows, numbers, names) = nextPut()
    if state.unstored.isEmpty { state.isPressing = false }
    guard !rows.isEmpty else {
      releaseJournal()
      noteAttempted()
      return false
    }
    let journal = journalProgress()
    state.puts += 1
    let generation = state.generation
    store.putEvents(rows, journal) { [weak self] isCommitted in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      finishPut(numbers, names, isCommitted)
    }
    return true
  }

  private func nextPut() -> (rows: [EventRow], numbers: [UInt64], names: [String]) {
    var rows: [EventRow] = []
    var numbers: [UInt64] = []
    var bytes = 0
    var used = 0
    for number in state.unstored {
      guard rows.count < Self.rowsOfAPut, bytes < Self.bytesOfAPut else { break }
      used += 1
      guard let row = state.rows[number] else { continue }
      state.rows.update(number) { $0.isInStore = true }
      rows.append(row.row)
      numbers.append(number)
      bytes += row.bytes
    }
    state.unstored.removeFirst(used)
    var names: [String] = []
    for (name, record) in state.live where record.isDirty {
      state.live[name]?.isDirty = false
      state.live[name]?.isInStore = true
      rows.append(record.row)
      names.append(name)
    }
    return (rows, numbers, names)
  }

  private func finishPut(_ numbers: [UInt64], _ names: [String], _ isCommitted: Bool) {
    state.puts -= 1
    if isCommitted {
      let epoch = store.ownerEpoch
      for number in numbers { state.rows.update(number) { $0.epoch = epoch } }
      followOwner()
    } else {
      // Others may have failed before.
      state.unstored = (numbers + state.unstored).sorted()
      for name in names { state.live[name]?.isDirty = true }
    }
    noteAttempted(upTo: numbers, committed: isCommitted)
    if isCommitted { replaceBrokenJournal() }
    if !isCommitted {
      // What has been delivered meanwhile leaves it all the same.
      if state.puts == 0 { releaseJournal() }
      cancelStoreTimer()
      armStoreTimer(afterMilliseconds: Self.retryMilliseconds)
      state.isStoreResting = state.storeTimer != nil
    }
    turn()
    if isCommitted, state.unstored.count >= Self.rowsOfAPut { _ = putNow() }
  }

  /// Tells those who wait for a commit how far the store has come. Records of the queue are stored in
  /// order, so that everything below the first one that has not been tried is done with.
  func noteAttempted(upTo numbers: [UInt64] = [], committed: Bool = true) {
    guard options.durability == .immediate else { return }
    if let last = numbers.last(where: { $0 < RowTable.adoptedBase }) {
      intake.attempted(below: last &+ 1, committed: committed)
    }
    guard state.puts == 0, committed else { return }
    let next = state.unstored.first { $0 < RowTable.adoptedBase && state.rows[$0] != nil }
    intake.attempted(below: next ?? state.takenBelow, committed: isStoring)
  }

  // MARK: Adoption

  /// Takes over rows that nobody holds any more, as far as there is room.
  func adopt() {
    guard isStoring, state.claims.isEmpty, !state.holds.contains(.stopped) else { return }
    let (rows, bytes) = intake.with { (options.maximumRows - $0.totalRows, options.maximumBytes - $0.totalBytes) }
    guard rows > 0, bytes > 0 else { return }
    let claim = state.nextClaim
    let generation = state.generation
    state.nextClaim += 1
    state.claims[claim] = []
    store.claimEvents(pipeline: options.name, maximumRows: rows, maximumBytes: bytes) { [weak self] found in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      let purged = state.claims.removeValue(forKey: claim) ?? []
      if let found { takeOver(found, purged) } else { turn() }
    }
  }

  private func takeOver(_ found: [EventRow], _ purged: [ByteKey]) {
    let epoch = store.ownerEpoch
    var known: [ByteKey: UInt64] = [:]
    for (number, row) in state.rows.rows { known[ByteKey(row.row.id)] = number }
    var new: [PipelineRow] = []
    for row in found where !purged.contains(ByteKey(row.subject)) {
      if let number = known[ByteKey(row.id)] {
        state.rows.update(number) { $0.epoch = epoch }
      } else {
        new.append(PipelineRow(row: row, isInStore: true, epoch: epoch))
      }
    }
    state.mayAdoptMore = !new.isEmpty
    state.rows.prepend(new)
    intake.account(rows: new.count, bytes: new.reduce(0) { $0 + $1.bytes })
    tally.count { $0.adopted += new.count }
    if !new.isEmpty {
      policy.adopted(new.map(\.row))
      if options.flushesAdopted || !state.flushRequests.isEmpty { beginFlush() }
    }
    turn()
    // There may be more than one claim takes.
    if state.mayAdoptMore { adopt() }
  }

  /// Takes over, now and not at its time, what the store has that nobody holds. Callable from any thread.
  public func lookForRows() {
    scheduler.post { [self] in
      abandonInheritance()
      adopt()
    }
  }

  func armAdoptionTimer() {
    guard isStoring, state.adoptionTimer == nil else { return }
    // Spread, so that the processes of one machine do not come together.
    let interval = max(1, options.adoptionIntervalMilliseconds)
    let delay = interval / 2 + entropy.number(in: 0...interval)
    state.adoptionTimer = scheduler.schedule(afterMilliseconds: delay) { [weak self] in
      guard let self else { return }
      state.adoptionTimer = nil
      journals.askAgain(state.generation, isStart: false)
      adopt()
      armAdoptionTimer()
    }
  }

  /// After the store has lost its lease unnoticed, what it kept may have found another owner: rows
  /// that only wait are forgotten here, and claimed back if they are still to be had.
  func followOwner() {
    let epoch = store.ownerEpoch
    guard isStoring, epoch != state.epoch else { return }
    state.epoch = epoch
    var doubtful: [UInt64] = []
    for (number, row) in state.rows.rows where row.isWaiting && row.epoch != nil && row.epoch != epoch {
      doubtful.append(number)
    }
    var bytes = 0
    for number in doubtful { bytes += state.rows.remove(number)?.bytes ?? 0 }
    intake.account(rows: -doubtful.count, bytes: -bytes)
    renameLive()
    adopt()
  }
}
