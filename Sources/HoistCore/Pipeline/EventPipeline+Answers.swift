internal import HoistBase

/// What comes of a batch.
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
    follow(verdict(on: answer, of: batch), of: batch, because: Self.cause(of: answer))
    // Given up for lack of an answer: whoever carries it may stop.
    if case .failed = answer { exchange?.cancel() }
    turn()
  }

  private func verdict(on answer: EventAnswer, of batch: PipelineBatch) -> EventVerdict {
    switch answer {
    case .service(let result): policy.classify(result, of: batch.batch)
    case .taken: .done
    case .refused(let reason): .drop(reason: reason)
    case .failed(let reason): policy.classify(.failure(TransportFailure(.other, reason)), of: batch.batch)
    }
  }

  /// What went wrong, for people; nil for an exchange that was called off.
  private static func cause(of answer: EventAnswer) -> String? {
    switch answer {
    case .service(.success(let response)): "the service answered \(response.status)"
    case .service(.failure(let failure)): failure.kind == .cancelled ? nil : failure.message
    case .failed(let reason): reason
    case .taken, .refused: nil
    }
  }

  private func follow(_ verdict: EventVerdict, of batch: PipelineBatch, because cause: String?) {
    switch verdict {
    case .done: finish(batch)
    case .drop(let reason): drop(batch, reason)
    case .split: split(batch)
    case .retry(let wait): retry(batch, wait, isAskedFor: wait != nil, because: cause)
    case .pause(let wait): retry(batch, wait, isAskedFor: false, because: cause)
    case .rest(let wait): rest(batch, wait, because: cause)
    }
  }

  private func finish(_ batch: PipelineBatch) {
    endBatch(batch)
    settle(batch.numbers)
    // A death from here on is not to send it again.
    releaseJournal()
    tally.count { $0.delivered += batch.numbers.count }
    if state.isUnreachable { log.info("events: records of \"\(options.name)\" are delivered again") }
    state.isUnreachable = false
    state.isRejecting = false
    state.backoff.reset()
    if !batch.batch.rows.isEmpty { policy.delivered(batch.batch) }
    if state.mayAdoptMore { adopt() }
  }

  private func split(_ batch: PipelineBatch) {
    guard batch.numbers.count > 1 else { return drop(batch, "a single record is too large for the service") }
    state.splitRows = batch.numbers.count / 2
    dissolve(batch)
    state.isFlushing = true
  }

  private func retry(_ batch: PipelineBatch, _ wait: Int64?, isAskedFor: Bool, because cause: String?) {
    if let most = options.maximumAttempts, batch.batch.attempt >= most {
      switch options.whenExhausted {
      case .rest: return rest(batch, wait, because: cause)
      case .drop: return drop(batch, "given up after \(batch.batch.attempt) attempts" + (cause.map { ": \($0)" } ?? ""))
      }
    }
    tellUnreachable(cause)
    guard !batch.batch.rows.isEmpty else { return endBatch(batch) }
    let delay = wait ?? state.backoff.nextMilliseconds(entropy)
    batch.stage = .sleeping(isAskedFor: isAskedFor)
    batch.timer = scheduler.schedule(afterMilliseconds: max(0, delay)) { [weak self, weak batch] in
      guard let self, let batch else { return }
      wake(batch)
      turn()
    }
  }

  private func rest(_ batch: PipelineBatch, _ wait: Int64?, because cause: String?) {
    tellUnreachable(cause)
    dissolve(batch)
    // However many wait now, it takes a new row, the interval or a call to try again.
    state.blockedRows = state.rows.waitingCount
    endFlush(restMilliseconds: max(0, wait ?? 0))
  }

  /// The pause of a batch is over.
  func wake(_ batch: PipelineBatch) {
    abandonInheritance()
    batch.cancelTimers()
    guard state.batches.contains(where: { $0 === batch }), !batch.isSending, state.holds.isEmpty else { return }
    attempt(batch)
  }

  /// Once until the next success.
  private func tellUnreachable(_ cause: String?) {
    guard let cause, !state.isUnreachable else { return }
    state.isUnreachable = true
    log.warning("events: records of \"\(options.name)\" cannot be delivered now (\(cause)); they are kept and tried again")
  }
}
