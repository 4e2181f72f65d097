/// Leaving rows to another process, which claims and sends them (property `events.delivery`). A row goes when the store surely has it,
/// so that it goes once: first it is put as this process's own, then given back, and both may be repeated.
extension EventPipeline {
  static var handoverLimits: BatchLimits { BatchLimits(rows: 1_000, bytes: 4 << 20) }

  var isForwarding: Bool { store.options.forwards && isStoring }

  /// Whether a row may be given back, as far as the store is concerned.
  func isStored(_ row: PipelineRow) -> Bool { !isForwarding || row.epoch != nil && !row.isRedated }

  /// In a flush: the rest follows when the store has it.
  func awaitsStore() -> Bool { isForwarding && !state.isStoreResting && (putNow() || state.puts > 0) }

  func handOver(_ batch: PipelineBatch) {
    state.nextAttempt += 1
    let (attempt, generation) = (state.nextAttempt, state.generation)
    batch.stage = .sending(attempt)
    store.giveBackEvents(ids: batch.batch.rows.map(\.id)) { [weak self, weak batch] isDone in
      guard let self, let batch, scheduler.generation == generation, isCurrent(batch, attempt) else { return }
      state.isHandingOver = true
      if isDone {
        handedOver(batch)
      } else {
        let reason = "the store does not take them"
        follow(.rest(FetchFailure(.network, reason)), of: batch, on: .failed(reason))
      }
      turn()
    }
  }

  private func handedOver(_ batch: PipelineBatch) {
    endBatch(batch)
    settle(batch.numbers, isStoreOthers: true)
    releaseJournal()
    tally.count { $0.forwarded += batch.numbers.count }
    log.debug("events: \(batch.numbers.count) events of \"\(options.name)\" are left to another process")
    policy.delivered(batch.batch)
    state.doubtedUpTo = nil
    _ = state.pace.succeeded()
    tellRecovery()
  }
}
