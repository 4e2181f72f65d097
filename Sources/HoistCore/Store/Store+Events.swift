/// What pipelines ask of the store. Rows stay with the pipeline until they are delivered; the store
/// keeps copies that outlive the process.
extension Store {
  /// Ids of the system's own are shorter; a longer one did not come from a pipeline.
  private static var maximumIdentifierBytes: Int { 256 }
  /// Requests that may be pending while the manager fails; rows whose removal is given up may be sent twice.
  private static var maximumOwed: Int { 10_000 }
  private static var rowsAtOnce: Int { 1_000 }

  /// False when nothing outlives the process.
  var keepsEvents: Bool { keepsValues }

  /// - Parameters:
  ///   - journal: is told of a success.
  ///   - again: which of them were committed before, and under which identity. Under another one they are left out: they
  ///     may be with another process, or delivered by it.
  ///   - completion: whether the rows are committed.
  func putEvents(
    _ rows: [EventRow], _ journal: (journal: any EventJournal, progress: JournalProgress)? = nil,
    again: (ids: Set<String>, epoch: UInt64) = ([], 0), completion: @escaping @Sendable (Bool) -> Void
  ) {
    call(.owner) { [self] manager, owner throws(CacheFailure) in
      // Purges are complete before later records are stored.
      journal?.journal.carryOutErasures()
      let isSame = again.ids.isEmpty || withState { $0.owner.id == owner.id && $0.ownerEpoch == again.epoch }
      let rows = isSame ? rows : rows.filter { !again.ids.contains($0.id) }
      if !rows.isEmpty { try manager.putEvents(rows, owner: owner) }
      if let journal { journal.journal.release(journal.progress) }
    } answer: { result in
      completion(result.isSuccess)
    }
  }

  /// Rows of this pipeline without an owner, oldest first.
  /// - Parameter completion: nil when the manager failed.
  func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, completion: @escaping @Sendable ([EventRow]?) -> Void
  ) {
    let claim = StoreClaim(pipeline: ByteKey(pipeline))
    withState { $0.claims.append(claim) }
    call(.claim) { [self] manager, owner throws(CacheFailure) in
      let held = withState { $0.begin(claim, owner: owner.id) }
      defer { withState { _ in claim.isUnderWay = false } }
      let (maximumRows, maximumBytes) = (max(0, maximumRows - held.rows), max(0, maximumBytes - held.bytes))
      let rows = try manager.claimEvents(
        pipeline: pipeline, maximumRows: maximumRows, maximumBytes: maximumBytes, owner: owner)
      let believed = believable(rows, pipeline, maximumRows, maximumBytes)
      withState {
        claim.rows = believed
        // Where removals fail, the manager hands out what was delivered under a former identity.
        if !believed.isEmpty { claim.gone.formUnion($0.owedRows) }
      }
      forgetAgain(believed, claim)
    } answer: { [weak self] result in
      completion(self?.withState { $0.conclude(claim, isSuccess: result.isSuccess) })
    }
  }

  /// What was delivered here while another process had the row, comes back when that one ends: it is removed now that it is
  /// this store's.
  private func forgetAgain(_ rows: [EventRow], _ claim: StoreClaim) {
    let ids = withState { state in rows.map(\.id).filter { state.forgottenSince.contains($0) } }
    guard !ids.isEmpty else { return }
    withState { _ in claim.gone.formUnion(ids) }
    forget(.rows(ids))
  }

  /// A manager may be a plug-in: its data is checked like a message from the network.
  private func believable(_ rows: [EventRow], _ pipeline: String, _ maximumRows: Int, _ maximumBytes: Int) -> [EventRow] {
    var seen: Set<ByteKey> = []
    var room = maximumBytes
    var believed: [EventRow] = []
    for row in rows {
      guard believed.count < maximumRows, row.payload.count <= room, !row.id.isEmpty,
        row.id.utf8.count <= Self.maximumIdentifierBytes, ByteKey(row.pipeline) == ByteKey(pipeline),
        seen.insert(ByteKey(row.id)).inserted
      else { continue }
      room -= row.payload.count
      believed.append(row)
    }
    let ignored = rows.count - believed.count
    if ignored > 0 { withState { $0.counters.ignored += ignored } }
    return believed
  }

  /// Forgets delivered or dropped rows. While the manager fails the removal stays pending.
  func removeEvents(ids: [String]) {
    guard !ids.isEmpty else { return }
    withState { for claim in $0.claims { claim.gone.formUnion(ids) } }
    forget(.rows(ids))
  }

  /// Forgets what is stored of a subject in one pipeline, whatever its owner. While the manager fails the purge stays
  /// pending, and nothing is put or claimed before it is done.
  func purgeEvents(subject: String, pipeline: String) {
    guard !subject.isEmpty else { return }
    let key = ByteKey(pipeline)
    withState { for claim in $0.claims where claim.pipeline == key { claim.purged.insert(ByteKey(subject)) } }
    forget(.subject(subject, pipeline: pipeline))
  }

  private func forget(_ what: EventForgetting.What) {
    guard manager != nil else { return }
    withState { state in
      if case .rows(let more) = what, case .rows(let ids)? = state.forgettings.last?.what,
        let last = state.forgettings.indices.last, state.forgettings[last].call == state.nextCall,
        ids.count < Self.rowsAtOnce
      {
        state.forgettings[last].what = .rows(ids + more)
      } else {
        state.forgettings.append(EventForgetting(what: what, call: state.nextCall))
      }
      let surplus = state.forgettings.count - Self.maximumOwed
      guard surplus > 0 else { return }
      state.forgettings.removeFirst(surplus)
      state.counters.givenUp += surplus
    }
    settleSoon()
  }
}

extension Result {
  var isSuccess: Bool {
    if case .success = self { true } else { false }
  }
}
