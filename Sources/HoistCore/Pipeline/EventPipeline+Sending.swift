internal import HoistBase

/// Forming batches and handing them over.
extension EventPipeline {
  func send() {
    let (former, last) = batchesInTurn()
    attempt(former)
    sendRows()
    attempt(last)
  }

  private func attempt(_ batches: [PipelineBatch]) {
    for batch in batches where !batch.isSending && mayAttempt && state.batches.contains(where: { $0 === batch }) {
      attempt(batch)
    }
  }

  private func sendRows() {
    if !state.isFlushing, mayAttempt, isFlushDue { beginFlush() }
    while state.isFlushing || state.isHandingOver, mayAttempt {
      guard ownsWhatItSends() else { return }
      guard let batch = nextBatch() else {
        state.isHandingOver = false
        guard state.isFlushing, !awaitsStore() else { return }
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
    if let batch = nextGroup() { return batch }
    let limits = isForwarding ? Self.handoverLimits : policy.batchLimits
    let most = max(1, min(limits.rows, state.splitRows ?? .max))
    var numbers: [UInt64] = []
    var rows: [EventRow] = []
    var bytes = 0
    var isRetry = false
    let tooOften = fewestFailures + Self.patience
    state.rows.forEachWaiting { number, row in
      guard !row.isGrouped, row.failures < tooOften, isStored(row), policy.admits(row.row) else { return true }
      guard rows.isEmpty || bytes + row.row.payload.count <= limits.bytes else { return false }
      numbers.append(number)
      rows.append(row.row)
      bytes += row.row.payload.count
      isRetry = isRetry || row.failures > 0
      return rows.count < most
    }
    guard !rows.isEmpty else { return nil }
    let length = isForwarding ? rows.count : min(rows.count, max(1, policy.batchLength(rows)))
    numbers.removeLast(numbers.count - length)
    rows.removeLast(rows.count - length)
    state.rows.takeOut(numbers)
    tally.count {
      $0.inFlight += length
      if isRetry { $0.retried += 1 }
    }
    let batch = EventBatch(id: UUIDv4(from: entropy).text, rows: rows, attempt: 0)
    return PipelineBatch(numbers: numbers, batch: batch)
  }

  /// The first of the groups, as far as its rows are there. One that a claim may still bring a part of waits.
  private func nextGroup() -> PipelineBatch? {
    while let group = state.groups.first {
      if !group.missing.isEmpty, !state.claims.isEmpty { return nil }
      state.groups.removeFirst()
      let found = group.numbers.compactMap { number in state.rows[number].map { (number, $0) } }.filter(\.1.isWaiting)
      let batch = EventBatch(id: group.id, rows: found.map(\.1.row), attempt: 0)
      guard !found.isEmpty else {
        if group.isSealed { unseal(group.id) }
        continue
      }
      for (number, _) in found { state.rows.update(number) { $0.isGrouped = false } }
      state.rows.takeOut(found.map(\.0))
      tally.count { $0.inFlight += found.count }
      return PipelineBatch(numbers: found.map(\.0), batch: batch, isSealed: group.isSealed)
    }
    return nil
  }

  /// The rows of a batch go again as groups, before all others.
  func regroup(_ batch: PipelineBatch, _ parts: [[UInt64]], id: String? = nil) {
    dissolve(batch)
    let groups = parts.map { RowGroup(id: id ?? UUIDv4(from: entropy).text, numbers: $0, isSealed: id != nil && batch.isSealed) }
    for number in parts.joined() { state.rows.update(number) { $0.isGrouped = true } }
    state.groups.insert(contentsOf: groups, at: 0)
  }

  /// Sends a batch, for the first time or again.
  func attempt(_ batch: PipelineBatch) {
    batch.cancelTimers()
    if isForwarding { return handOver(batch) }
    if options.keepsBatches, isStoring, !batch.isSealed { return seal(batch) }
    batch.batch.attempt += 1
    if batch.batch.attempt > 1 { tally.count { $0.retried += 1 } }
    guard let request = request(for: batch) else { return }
    state.nextAttempt += 1
    let attempt = state.nextAttempt
    batch.stage = .sending(attempt)
    batch.turn = attempt
    if batch.batch.attempt == 1 { state.newestTurn = attempt }
    giveUpLater(batch, attempt, request)
    let generation = state.generation
    policy.prepare(request, of: batch.batch) { [weak self, weak batch] prepared in
      guard let self, let batch, scheduler.generation == generation, isCurrent(batch, attempt) else { return }
      // Rows were removed meanwhile, which the prepared request still contains.
      guard batch.request != nil else {
        batch.batch.attempt -= 1
        return self.attempt(batch)
      }
      guard let prepared else { return answered(batch, attempt, .failed("the request could not be prepared")) }
      handOver(batch, attempt, prepared)
    }
  }

  private func handOver(_ batch: PipelineBatch, _ attempt: UInt64, _ request: HTTPRequest) {
    batch.body = request.body
    var delivery = EventDelivery(
      pipeline: options.name, request: request, eventIDs: batch.batch.rows.map(\.id), attempt: batch.batch.attempt)
    let subject = batch.batch.rows.first?.subject ?? ""
    if batch.batch.rows.allSatisfy({ $0.subject == subject }) { delivery.subject = subject }
    delivery.limitMilliseconds = answerLimit(request)
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

  /// The request of a batch; nil when there is none, and the batch is settled.
  private func request(for batch: PipelineBatch) -> HTTPRequest? {
    if let request = batch.request, !options.encodesEveryAttempt { return request }
    while !batch.batch.rows.isEmpty {
      let encoding: EventEncoding
      do { encoding = try policy.encode(batch.batch) } catch {
        putOff(batch)
        rest(after: FetchFailure(.network, error.description))
        return nil
      }
      switch encoding {
      case .request(let request):
        batch.request = request
        return request
      case .later:
        putOff(batch)
        return nil
      case .reject(let ids, let reason):
        let rejected = Set(ids.map { ByteKey($0) })
        let numbers = take(from: batch) { rejected.contains(ByteKey($0.id)) }
        // A policy that rejects nothing of the batch would be asked forever.
        reject(numbers.isEmpty ? take(from: batch) { _ in true } : numbers, reason)
      }
    }
    endBatch(batch)
    scheduler.post { [weak self] in self?.turn() }
    return nil
  }

  private func putOff(_ batch: PipelineBatch) {
    endBatch(batch)
    if batch.isSealed { unseal(batch.batch.id) }
    state.rows.putBack(batch.numbers)
    state.isFlushing = false
  }

  /// A sink that never answers costs an attempt, not the pipeline.
  private func giveUpLater(_ batch: PipelineBatch, _ attempt: UInt64, _ request: HTTPRequest) {
    batch.timer = scheduler.schedule(afterMilliseconds: answerLimit(request)) { [weak self, weak batch] in
      guard let self, let batch, isCurrent(batch, attempt) else { return }
      answered(batch, attempt, .failed("no answer in time"))
    }
  }

  private func answerLimit(_ request: HTTPRequest) -> Int64 {
    let timeout = request.timeoutMilliseconds > 0 ? request.timeoutMilliseconds : 60_000
    let limit = timeout.addingReportingOverflow(max(0, options.answerGraceMilliseconds))
    return limit.overflow ? .max : limit.partialValue
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

  /// The batch ends; the caller sees to its rows.
  func endBatch(_ batch: PipelineBatch) {
    batch.cancelTimers()
    batch.exchange = nil
    batch.stage = .sleeping
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
}

/// The outcome of a batch.
extension EventPipeline {
  /// An answer that came twice, or too late.
  func ignore(_ answer: EventAnswer) {
    // The end of an exchange that was called off from here.
    if case .service(.failure(let failure)) = answer, failure.kind == .cancelled { return }
    tally.count { $0.ignoredAnswers += 1 }
  }

  /// The first answer to the present attempt.
  func answered(_ batch: PipelineBatch, _ attempt: UInt64, _ answer: EventAnswer) {
    batch.cancelTimers()
    let exchange = batch.exchange
    batch.exchange = nil
    let verdict = verdict(on: answer, of: batch)
    if let doubted = state.doubtedUpTo, attempt > doubted, verdict.showsThatItWorks { state.doubtedUpTo = nil }
    follow(verdict, of: batch, on: answer)
    // Given up for lack of an answer: the sink may stop.
    if case .failed = answer { exchange?.cancel() }
    turn()
  }

  private func verdict(on answer: EventAnswer, of batch: PipelineBatch) -> EventVerdict {
    switch answer {
    case .service(let result): policy.classify(result, of: batch.batch)
    case .taken: .done
    case .refused(let reason): .drop(reason: reason)
    case .failed(let reason): policy.classify(.failure(TransportFailure(.other, reason)), of: batch.batch)
    case .forbidden(let reason): .failed(FetchFailure(.network, reason, next: .slow))
    case .tooLarge: .split
    }
  }

  func follow(_ verdict: EventVerdict, of batch: PipelineBatch, on answer: EventAnswer) {
    switch verdict {
    case .done: finish(batch)
    case .drop(let reason): drop(batch, reason)
    case .again: self.attempt(batch)
    // Rows were purged from it on its way: what is left has not been refused yet.
    case .split where batch.request == nil, .refused where batch.request == nil: self.attempt(batch)
    case .split:
      state.splitRows = max(1, batch.numbers.count / 2)
      if case .tooLarge(let reason) = answer { return divide(batch, reason) }
      divide(batch, "a single record is too large for the service")
    case .refused(let reason): divide(batch, reason)
    case .failed(let failure): retry(batch, completed(failure, answer))
    case .rest(let failure):
      let failure = completed(failure, answer)
      tellUnreachable(failure)
      let (isFirst, count) = (!isResting, batch.numbers.count)
      for number in batch.numbers { state.rows.update(number) { $0.failures += 1 } }
      dissolve(batch)
      // However many wait now, it takes a new row, the interval or a call to try again. What came during the pause is new.
      state.blockedRows = isFirst ? state.rows.waitingCount : state.blockedRows + count
      state.isFlushing = false
      rest(after: failure)
    }
  }

  /// With the cause, and what the service asks for. An exchange that was called off has no cause.
  private func completed(_ failure: FetchFailure, _ answer: EventAnswer) -> FetchFailure {
    var failure = failure
    switch answer {
    case .service(.success(let response)):
      failure.retryAfterMilliseconds = failure.retryAfterMilliseconds ?? response.retryAfterMilliseconds(clock)
      if failure.message.isEmpty { failure.message = "the service answered \(response.status)" }
    case .service(.failure(let cause)):
      if cause.kind == .cancelled { failure.message = "" } else if failure.message.isEmpty { failure.message = cause.message }
    case .failed(let reason): if failure.message.isEmpty { failure.message = reason }
    case .taken, .refused, .forbidden, .tooLarge: break
    }
    return failure
  }

  private func finish(_ batch: PipelineBatch) {
    endBatch(batch)
    if batch.isSealed { unseal(batch.batch.id) }
    settle(batch.numbers)
    // A death from here on is not to send it again.
    releaseJournal()
    tally.count { $0.delivered += batch.numbers.count }
    log.debug("events: \(batch.numbers.count) events of \"\(options.name)\" are accepted")
    state.dropLines = 0
    _ = state.pace.succeeded()
    if !batch.batch.rows.isEmpty {
      policy.delivered(batch.batch)
      notify(Notification(.eventsSent, message: options.name))
    }
    tellRecovery()
    claimMore()
  }

  func tellRecovery() {
    guard let since = state.failingSince else { return }
    state.failingSince = nil
    let seconds = max(0, clock.monotonicNanoseconds &- since) / 1_000_000_000
    let message = "recovered: records of \"\(options.name)\" are delivered again after \(seconds) s"
    log.info("events: \(message)")
    notify(Notification(.recovered, message: message))
  }

  /// The halves, each on its own; a record that stands alone is the bad one.
  private func divide(_ batch: PipelineBatch, _ reason: String) {
    let numbers = batch.numbers
    guard numbers.count > 1 else { return drop(batch, reason) }
    if batch.isSealed { unseal(batch.batch.id) }
    batch.isSealed = false
    let half = numbers.count / 2
    regroup(batch, [Array(numbers[..<half]), Array(numbers[half...])])
    let rows = batch.batch.rows
    let ids = state.groups.prefix(2).map(\.id)
    policy.divided(
      batch.batch,
      into: zip(ids, [rows[..<half], rows[half...]]).map { EventBatch(id: $0, rows: Array($1), attempt: 0) })
    state.isFlushing = true
  }

  private func retry(_ batch: PipelineBatch, _ failure: FetchFailure) {
    tellUnreachable(failure)
    if let most = options.maximumAttempts, batch.batch.attempt >= most {
      drop(batch, "given up after \(batch.batch.attempt) attempts" + (failure.message.isEmpty ? "" : ": \(failure.message)"))
    } else if batch.batch.rows.isEmpty {
      endBatch(batch)
    } else {
      batch.stage = .sleeping
      if batch.pace != nil || state.doubtedUpTo == nil && batch.batch.attempt > 1 { return rest(batch, after: failure) }
    }
    rest(after: failure)
  }

  /// A line for each episode; observers hear of each failure.
  private func tellUnreachable(_ failure: FetchFailure) {
    guard !failure.message.isEmpty else { return }
    tellFailure(failure.status, failure.message)
    let isFirst = state.failingSince == nil
    if isFirst { state.failingSince = clock.monotonicNanoseconds }
    let what = "events: records of \"\(options.name)\" cannot be delivered now (\(failure.message))"
    let place = isStoring ? "kept" : "kept in memory"
    log.write(isFirst ? (failure.next == .slow ? .error : .warning) : .debug, what + "; they are \(place) and tried again")
  }
}
