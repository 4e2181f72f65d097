internal import HoistBase

/// Forming batches and handing them over.
extension EventPipeline {
  func send() {
    guard state.holds.isEmpty, clock.monotonicNanoseconds >= state.restUntil else { return }
    if !state.isFlushing, state.batches.count < options.maximumInFlight, isFlushDue { beginFlush() }
    while state.isFlushing, state.batches.count < max(1, options.maximumInFlight) {
      guard ownsWhatItSends() else { return }
      guard let batch = nextBatch() else {
        state.blockedRows = state.rows.waitingCount
        state.splitRows = nil
        state.isFlushing = false
        return
      }
      state.batches.append(batch)
      attempt(batch)
    }
  }

  /// False while the store makes sure of its lease: until then the rows may be another process's.
  private func ownsWhatItSends() -> Bool {
    if state.isRenewing { return false }
    guard isStoring, !store.holdsItsRows else { return true }
    state.isRenewing = true
    let generation = state.generation
    store.renewLease { [weak self] in
      guard let self, state.generation == generation, scheduler.generation == generation else { return }
      state.isRenewing = false
      turn()
    }
    return false
  }

  private func nextBatch() -> PipelineBatch? {
    let limits = policy.batchLimits
    let most = max(1, min(limits.rows, state.splitRows ?? .max))
    var numbers: [UInt64] = []
    var rows: [EventRow] = []
    var bytes = 0
    state.rows.forEachWaiting { number, row in
      guard policy.admits(row.row) else { return true }
      guard rows.isEmpty || bytes + row.row.payload.count <= limits.bytes else { return false }
      numbers.append(number)
      rows.append(row.row)
      bytes += row.row.payload.count
      return rows.count < most
    }
    guard !rows.isEmpty else { return nil }
    let length = min(rows.count, max(1, policy.batchLength(rows)))
    numbers.removeLast(numbers.count - length)
    rows.removeLast(rows.count - length)
    state.rows.takeOut(numbers)
    tally.count { $0.inFlight += length }
    let batch = EventBatch(id: UUIDv4(from: entropy).text, rows: rows, attempt: 0)
    return PipelineBatch(numbers: numbers, batch: batch)
  }

  /// Sends a batch, for the first time or again.
  func attempt(_ batch: PipelineBatch) {
    batch.cancelTimers()
    batch.batch.attempt += 1
    if batch.batch.attempt > 1 { tally.count { $0.retried += 1 } }
    guard let request = request(for: batch) else { return }
    state.nextAttempt += 1
    let attempt = state.nextAttempt
    batch.stage = .sending(attempt)
    giveUpLater(batch, attempt, request)
    let generation = state.generation
    policy.prepare(request, of: batch.batch) { [weak self, weak batch] prepared in
      guard let self, let batch, scheduler.generation == generation, isCurrent(batch, attempt) else { return }
      guard let prepared else { return answered(batch, attempt, .failed("the request could not be prepared")) }
      handOver(batch, attempt, prepared)
    }
  }

  private func handOver(_ batch: PipelineBatch, _ attempt: UInt64, _ request: HTTPRequest) {
    let delivery = EventDelivery(
      pipeline: options.name, request: request, eventIDs: batch.batch.rows.map(\.id), attempt: batch.batch.attempt)
    let generation = state.generation
    let scheduler = scheduler
    let exchange = sink.deliver(delivery) { [weak self, weak batch] answer in
      // Always a turn of its own: a sink may answer from any thread, also before it has returned.
      scheduler.post { [weak self, weak batch] in
        guard let self, scheduler.generation == generation else { return }
        guard let batch, isCurrent(batch, attempt) else { return ignore(answer) }
        answered(batch, attempt, answer)
      }
    }
    if isCurrent(batch, attempt) { batch.exchange = exchange } else { exchange?.cancel() }
  }

  /// The bytes of a batch; nil when it has come to nothing, and has been dealt with.
  private func request(for batch: PipelineBatch) -> HTTPRequest? {
    if let request = batch.request, !options.encodesEveryAttempt { return request }
    while !batch.batch.rows.isEmpty {
      switch policy.encode(batch.batch) {
      case .request(let request):
        batch.request = request
        return request
      case .later:
        endBatch(batch)
        state.rows.putBack(batch.numbers)
        endFlush()
        return nil
      case .reject(let ids, let reason):
        let rejected = Set(ids.map { ByteKey($0) })
        let numbers = take(from: batch) { rejected.contains(ByteKey($0.id)) }
        // A policy that rejects nothing of the batch would be asked for ever.
        reject(numbers.isEmpty ? take(from: batch) { _ in true } : numbers, reason)
      }
    }
    endBatch(batch)
    scheduler.post { [weak self] in self?.turn() }
    return nil
  }

  /// A sink that never answers costs an attempt, not the pipeline.
  private func giveUpLater(_ batch: PipelineBatch, _ attempt: UInt64, _ request: HTTPRequest) {
    let timeout = request.timeoutMilliseconds > 0 ? request.timeoutMilliseconds : 60_000
    let delay = timeout.addingReportingOverflow(max(0, options.answerGraceMilliseconds))
    batch.timer = scheduler.schedule(afterMilliseconds: delay.overflow ? .max : delay.partialValue) {
      [weak self, weak batch] in
      guard let self, let batch, isCurrent(batch, attempt) else { return }
      answered(batch, attempt, .failed("no answer in time"))
    }
  }

  func isCurrent(_ batch: PipelineBatch, _ attempt: UInt64) -> Bool {
    if case .sending(attempt) = batch.stage { state.batches.contains { $0 === batch } } else { false }
  }

  /// Takes rows out of a batch; the request has to be made anew.
  func take(from batch: PipelineBatch, where condition: (EventRow) -> Bool) -> [UInt64] {
    let taken = zip(batch.numbers, batch.batch.rows).filter { condition($0.1) }.map(\.0)
    guard !taken.isEmpty else { return [] }
    let kept = zip(batch.numbers, batch.batch.rows).filter { !condition($0.1) }
    batch.numbers = kept.map(\.0)
    batch.batch.rows = kept.map(\.1)
    batch.request = nil
    tally.count { $0.inFlight -= taken.count }
    return taken
  }

  /// The batch is no more; its rows are the caller's business.
  func endBatch(_ batch: PipelineBatch) {
    batch.cancelTimers()
    batch.exchange = nil
    batch.stage = .sleeping(isAskedFor: false)
    state.batches.removeAll { $0 === batch }
    tally.count { $0.inFlight -= batch.numbers.count }
  }

  /// Back into the queue, as if it had never been formed.
  func dissolve(_ batch: PipelineBatch) {
    let exchange = batch.exchange
    endBatch(batch)
    state.rows.putBack(batch.numbers)
    exchange?.cancel()
  }

  /// The batch will never be sent.
  func drop(_ batch: PipelineBatch, _ reason: String) {
    endBatch(batch)
    reject(batch.numbers, reason)
    policy.dropped(batch.batch)
  }

  func reject(_ numbers: [UInt64], _ reason: String) {
    settle(numbers)
    tally.count { $0.rejected += numbers.count }
    guard !state.isRejecting else { return }
    state.isRejecting = true
    log.warning("events: \(numbers.count) records of \"\(options.name)\" are dropped: \(reason)")
  }
}
