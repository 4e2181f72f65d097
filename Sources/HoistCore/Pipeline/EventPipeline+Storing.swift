internal import HoistBase

/// Giving rows to the store, in the background.
extension EventPipeline {
  /// What one call of the store takes at most.
  private static var rowsOfAPut: Int { 1_000 }
  private static var bytesOfAPut: Int { 4 << 20 }
  /// About so long after a failure, so that processes that lost a store together do not come back together; the store has a
  /// pause of its own on top.
  static var retryMilliseconds: Int64 { 1_000 }

  func armStoreTimer(afterMilliseconds delay: Int64? = nil) {
    guard isStoring, state.storeTimer == nil, state.puts == 0 else { return }
    state.storeTimer = scheduler.schedule(afterMilliseconds: delay ?? options.storeDelayMilliseconds) { [weak self] in
      guard let self else { return }
      state.storeTimer = nil
      state.isStoreResting = false
      drainIntake()
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
    if options.durability == .immediate, state.mustStoreNow || !isJournaling {
      // Callers do not wait for the next attempt.
      if state.isStoreResting { return intake.progress.attempted(below: state.takenBelow, committed: false) }
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
    let (rows, numbers, names, again) = nextPut()
    let isAll = state.unstored.isEmpty
    if isAll { state.mustStoreNow = false }
    guard !rows.isEmpty else {
      releaseJournal()
      noteAttempted()
      return false
    }
    let journal = journalProgress()
    state.puts += 1
    if let first = Self.own(numbers).first { state.firstOfPuts.append(first) }
    let generation = state.generation
    store.putEvents(rows, journal, again: (again, state.epoch)) { [weak self] isCommitted in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      finishPut(numbers, names, isCommitted)
      // The rest has waited as long.
      if isCommitted, !isAll { _ = putNow() }
    }
    return true
  }

  private func nextPut() -> (rows: [EventRow], numbers: [UInt64], names: [String], again: Set<String>) {
    var rows: [EventRow] = []
    var again: Set<String> = []
    var numbers: [UInt64] = []
    var bytes = 0
    var used = 0
    let steady = steadyMilliseconds
    for number in state.unstored {
      guard rows.count < Self.rowsOfAPut, bytes < Self.bytesOfAPut else { break }
      used += 1
      // What is being handed over is not this process's any more when the call is made.
      guard let row = state.rows[number], row.isWaiting || !isForwarding else { continue }
      if let epoch = row.epoch {
        // It may be with another process, or delivered by it.
        guard epoch == state.epoch else { continue }
        again.insert(row.row.id)
      }
      state.rows.update(number) { $0.isInStore = true }
      var stored = row.row
      stored.payload = marked(stored.payload, age: steady &- row.since)
      rows.append(stored)
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
    return (rows, numbers, names, again)
  }

  private func finishPut(_ numbers: [UInt64], _ names: [String], _ isCommitted: Bool) {
    state.puts -= 1
    if let first = Self.own(numbers).first, let place = state.firstOfPuts.firstIndex(of: first) {
      state.firstOfPuts.remove(at: place)
    }
    if isCommitted {
      let epoch = store.ownerEpoch
      for number in numbers {
        state.rows.update(number) { row in
          // What was committed under a former identity was left out.
          if row.epoch == nil || row.epoch == epoch { (row.epoch, row.isRedated) = (epoch, false) }
        }
      }
      state.isHandingOver = isForwarding
      followOwner()
    } else {
      // Others may have failed before.
      state.unstored = (numbers + state.unstored).sorted()
      for name in names { state.live[name]?.isDirty = true }
    }
    noteAttempted(upTo: numbers, committed: isCommitted)
    if isCommitted { replaceBrokenJournal() }
    if !isCommitted {
      // Records delivered meanwhile leave the journal all the same.
      if state.puts == 0 { releaseJournal() }
      cancelStoreTimer()
      armStoreTimer(afterMilliseconds: entropy.shifted(Self.retryMilliseconds))
      state.isStoreResting = state.storeTimer != nil
    }
    turn()
  }

  /// Publishes the store's progress to callers that wait for a commit. Records are stored in order, so everything below
  /// the first one not yet attempted is settled.
  func noteAttempted(upTo numbers: [UInt64] = [], committed: Bool = true) {
    guard options.durability == .immediate else { return }
    let unstored = Self.own(state.unstored).first { state.rows[$0] != nil }
    let next = min(unstored ?? .max, state.firstOfPuts.min() ?? .max)
    if let last = Self.own(numbers).last {
      // Of two calls at once the earlier may have failed, and what it had may be under way again.
      intake.progress.attempted(below: last &+ 1, committed: committed && next > last)
    }
    guard state.puts == 0, committed else { return }
    intake.progress.attempted(below: min(next, state.takenBelow), committed: isStoring)
  }

  /// Without those that were adopted, for which no caller waits.
  private static func own(_ numbers: [UInt64]) -> some BidirectionalCollection<UInt64> {
    numbers.lazy.filter { $0 < RowTable.adoptedBase }
  }

  // MARK: Adoption

  /// Claims rows without an owner, as far as there is room.
  func claimOrphans() {
    guard isStoring, !isForwarding, state.claims.isEmpty, !state.holds.contains(.stopped) else { return }
    let (rows, bytes) = intake.with { (options.maximumRows - $0.totalRows, options.maximumBytes - $0.totalBytes) }
    guard rows > 0, bytes > 0 else {
      state.mayAdoptMore = true
      return
    }
    let claim = state.nextClaim
    let generation = state.generation
    state.nextClaim += 1
    state.claims[claim] = []
    store.claimEvents(pipeline: options.name, maximumRows: rows, maximumBytes: bytes) { [weak self] found in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      let purged = state.claims.removeValue(forKey: claim) ?? []
      state.isClaimOwed = found == nil && store.mayHoldSomething
      if let found { receiveOrphans(found, purged) } else { turn() }
    }
  }

  private func receiveOrphans(_ found: [EventRow], _ purged: [ByteKey]) {
    let epoch = store.ownerEpoch
    var known: [ByteKey: UInt64] = [:]
    for (number, row) in state.rows.rows { known[ByteKey(row.row.id)] = number }
    var unknown: [EventRow] = []
    for row in found where !purged.contains(ByteKey(row.subject)) {
      if let group = Self.group(of: row) {
        if !isKnown(group.id) { state.groups.append(group) }
      } else if let number = known[ByteKey(row.id)] {
        state.rows.update(number) { $0.epoch = epoch }
      } else {
        unknown.append(row)
      }
    }
    let new = adopted(unknown, epoch: epoch)
    state.mayAdoptMore = !new.isEmpty
    for (number, row) in zip(state.rows.prepend(new), new) {
      known[ByteKey(row.row.id)] = number
      if row.isRedated { state.unstored.append(number) }
    }
    completeGroups(known)
    let counted = new.filter { !$0.isAside }
    intake.account(rows: counted.count, bytes: counted.reduce(0) { $0 + $1.bytes })
    changeAside(new.count - counted.count)
    tally.count { $0.adopted += new.count }
    if !new.isEmpty {
      policy.adopted(new.map(\.row))
      if options.flushesAdopted || !state.flushRequests.isEmpty { beginFlush() }
    }
    turn()
    claimMore()
  }

  /// There may be more than one claim takes.
  @inline(never)
  func claimMore() { if state.mayAdoptMore, store.takesMore { claimOrphans() } }

  /// Claims rows without an owner now, not at the next regular time. Any thread.
  public func lookForRows() {
    scheduler.post { [self] in
      abandonInheritance()
      claimOrphans()
    }
  }

  func armAdoptionTimer() {
    guard isStoring, state.adoptionTimer == nil else { return }
    // Spread, so that the processes of one machine do not come together.
    let interval = max(1, min(options.adoptionIntervalMilliseconds, store.options.claimMilliseconds))
    let delay = interval / 2 + entropy.number(in: 0...interval)
    state.adoptionTimer = scheduler.schedule(afterMilliseconds: delay) { [weak self] in
      guard let self else { return }
      state.adoptionTimer = nil
      journals.askAgain(state.generation, isStart: false)
      if store.takesMore { claimOrphans() }
      armAdoptionTimer()
    }
  }

  /// After the store has lost its lease unnoticed, its rows may have another owner: waiting rows are dropped here, and
  /// claimed again if they are still free.
  func followOwner() {
    let epoch = store.ownerEpoch
    guard isStoring, epoch != state.epoch else { return }
    state.epoch = epoch
    var doubtful: [UInt64] = []
    for (number, row) in state.rows.rows where row.isWaiting && row.epoch != nil && row.epoch != epoch {
      doubtful.append(number)
    }
    discount(doubtful.compactMap { state.rows.remove($0) })
    if isForwarding { tally.count { $0.forwarded += doubtful.count } }
    // What stays, as it is to be stored anew, goes with the others.
    for group in state.groups where group.isSealed {
      for number in group.numbers { state.rows.update(number) { $0.isGrouped = false } }
    }
    state.groups.removeAll { $0.isSealed }
    renameLive()
    claimOrphans()
  }
}

/// Which rows a batch has, for a service that knows it by its id: a row of its own in the store, beside them, as long as it is
/// not known what became of it.
extension EventPipeline {
  /// No row's id begins like that.
  private static var sealPrefix: String { "batch " }

  /// Goes on with `attempt` when the store has been told.
  func seal(_ batch: PipelineBatch) {
    state.nextAttempt += 1
    let (attempt, generation) = (state.nextAttempt, state.generation)
    batch.stage = .sending(attempt)
    // What is in it comes before it.
    while putNow(besideOthers: true) {}
    let row = EventRow(
      id: Self.sealPrefix + batch.batch.id, pipeline: options.name, subject: "",
      createdUnixMilliseconds: clock.unixMilliseconds, payload: Array(batch.batch.rows.map(\.id).joined(separator: "\n").utf8))
    batch.isSealed = true
    store.putEvents([row]) { [weak self, weak batch] _ in
      guard let self, let batch, scheduler.generation == generation, isCurrent(batch, attempt) else { return }
      self.attempt(batch)
      turn()
    }
  }

  func unseal(_ id: String) { store.removeEvents(ids: [Self.sealPrefix + id]) }

  /// What a row of the store says of a batch; nil for a record.
  private static func group(of row: EventRow) -> RowGroup? {
    guard row.id.utf8.starts(with: sealPrefix.utf8) else { return nil }
    let ids = row.payload.split(separator: UInt8(ascii: "\n")).map { ByteKey(String(decoding: $0, as: UTF8.self)) }
    return RowGroup(id: String(row.id.dropFirst(sealPrefix.count)), numbers: [], missing: ids, isSealed: true)
  }

  private func isKnown(_ id: String) -> Bool {
    state.groups.contains { $0.id == id } || state.batches.contains { $0.batch.id == id }
  }

  /// Rows that a claim has brought go with those that they were on their way with.
  private func completeGroups(_ known: [ByteKey: UInt64]) {
    for place in state.groups.indices where !state.groups[place].missing.isEmpty {
      let found = state.groups[place].missing.compactMap { known[$0] }.filter { state.rows[$0]?.isWaiting == true }
      state.groups[place].missing.removeAll { known[$0] != nil }
      state.groups[place].numbers += found
      for number in found { state.rows.update(number) { $0.isGrouped = true } }
    }
  }
}

/// Live records: open counts, stored under one id and replaced there, so that a crash loses no more than the store's
/// delay. All on the scheduler's thread.
extension EventPipeline {
  /// Keeps `payload` as the present state of the record called `name`; begins it if there is none.
  public func updateLive(_ name: String, _ payload: [UInt8], subject: String = "") {
    scheduler.assertCurrent()
    abandonInheritance()
    if var record = state.live[name] {
      intake.account(rows: 0, bytes: payload.count - record.row.payload.count)
      record.row.payload = payload
      record.isDirty = true
      state.live[name] = record
    } else {
      let row = EventRow(
        id: UUIDv4(from: entropy).text, pipeline: options.name, subject: subject,
        createdUnixMilliseconds: clock.unixMilliseconds, payload: payload)
      let record = LiveRecord(row: row)
      state.live[name] = record
      intake.account(rows: 1, bytes: record.bytes)
      intake.countRecorded()
    }
    storeWhenDue()
    armFlushTimer()
  }

  /// The record is complete: it waits to be sent like any other. The next update begins a new one.
  public func sealLive(_ name: String) {
    scheduler.assertCurrent()
    guard let record = state.live.removeValue(forKey: name) else { return }
    let number = state.rows.newNumber()
    state.rows.append(PipelineRow(row: record.row, since: steadyMilliseconds, isInStore: record.isInStore), number: number)
    if isStoring, record.isDirty || isForwarding { state.unstored.append(number) }
    armFlushTimer()
  }

  /// Drops the record with its counts.
  public func discardLive(_ name: String) {
    scheduler.assertCurrent()
    guard let record = state.live.removeValue(forKey: name) else { return }
    intake.account(rows: -1, bytes: -record.bytes)
    if record.isInStore { store.removeEvents(ids: [record.row.id]) }
  }

  /// What the store has of live records may be another process's by now: they go on under new ids.
  func renameLive() {
    for (name, record) in state.live where record.isInStore && !record.isDirty {
      store.removeEvents(ids: [record.row.id])
      state.live[name]?.row.id = UUIDv4(from: entropy).text
      state.live[name]?.isInStore = false
      state.live[name]?.isDirty = true
    }
  }
}
