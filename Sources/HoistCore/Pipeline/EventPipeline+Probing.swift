internal import HoistBase

/// Who goes next after failures, so that what always fails holds up nothing else.
extension EventPipeline {
  /// Whether another batch may go now. After a failure one goes alone, to find out: the others follow when it is accepted.
  var mayAttempt: Bool {
    mayBegin && state.batches.count(where: \.isSending) < (state.doubtedUpTo == nil ? max(1, options.maximumInFlight) : 1)
  }

  /// So often something may fail before others go ahead of it: a service that is away for a while gets all in its order.
  static var patience: Int { 4 }

  /// Batches that wait for another attempt: those that go before rows that are in none, and those that go after them. What
  /// has failed too often goes last; in doubt about the service, the batch that was tried longest ago goes first.
  func batchesInTurn() -> (former: [PipelineBatch], last: [PipelineBatch]) {
    guard !state.batches.isEmpty else { return ([], []) }
    let now = clock.monotonicNanoseconds
    let waiting = state.batches.filter { !$0.isSending && $0.restUntil <= now }.sorted { $0.turn < $1.turn }
    let (isInDoubt, newest) = (state.doubtedUpTo != nil, state.newestTurn)
    func isLast(_ batch: PipelineBatch) -> Bool {
      batch.batch.attempt >= Self.patience && (!isInDoubt || batch.turn > newest)
    }
    return (waiting.filter { !isLast($0) }, waiting.filter(isLast))
  }

  /// Of the rows that may go.
  var fewestFailures: Int {
    var fewest = Int.max - Self.patience
    state.rows.forEachWaiting { _, row in
      if row.failures < fewest, !row.isGrouped, policy.admits(row.row) { fewest = row.failures }
      return fewest > 0
    }
    return fewest
  }

  /// A batch that fails again while others are accepted has pauses of its own, and says nothing of the service.
  func rest(_ batch: PipelineBatch, after failure: FetchFailure) {
    var pace = batch.pace ?? options.pace
    let pause = pace.failed(failure, hasFlags: false, entropy) ?? Self.longestRestMilliseconds
    batch.pace = pace
    batch.restUntil = Self.nanoseconds(clock.monotonicNanoseconds, afterMilliseconds: pause)
    batch.timer = scheduler.schedule(afterMilliseconds: pause) { [weak self] in self?.turn() }
    if failure.retryAfterMilliseconds != nil || failure.next == .slow { rest(after: failure) }
  }
}
