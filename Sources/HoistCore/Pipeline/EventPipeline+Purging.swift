internal import HoistBase

/// Forgetting.
extension EventPipeline {
  func carryOut(_ purge: EventIntake.Purge) {
    forget { number, row in
      ByteKey(row.subject) == purge.subject && (number < purge.end || number >= RowTable.adoptedBase)
    }
    for (name, record) in state.live where ByteKey(record.row.subject) == purge.subject { discardLive(name) }
    // What a claim brings that is under way was in the store before.
    for claim in state.claims.keys { state.claims[claim]?.append(purge.subject) }
    if isStoring { store.purgeEvents(subject: purge.subject.text, pipeline: options.name) }
  }

  /// Forgets records of this process that a condition holds for, wherever they are. On the
  /// scheduler's thread.
  public func discard(where condition: (EventRow) -> Bool) {
    abandonInheritance()
    takeIn()
    forget { condition($1) }
    turn()
  }

  private func forget(where condition: (UInt64, EventRow) -> Bool) {
    let numbers = state.rows.rows.filter { condition($0.key, $0.value.row) }.map(\.key)
    guard !numbers.isEmpty else { return }
    let forgotten = Set(numbers)
    for batch in state.batches {
      let ids = Set(zip(batch.numbers, batch.batch.rows).filter { forgotten.contains($0.0) }.map { ByteKey($0.1.id) })
      guard !ids.isEmpty else { continue }
      _ = take(from: batch) { ids.contains(ByteKey($0.id)) }
      if batch.batch.rows.isEmpty { abandon(batch) }
    }
    settle(numbers)
    tally.count { $0.purged += numbers.count }
  }

  /// Nothing is left in a batch: it is stopped on its way, if it still can be.
  private func abandon(_ batch: PipelineBatch) {
    let exchange = batch.exchange
    endBatch(batch)
    exchange?.cancel()
  }
}
