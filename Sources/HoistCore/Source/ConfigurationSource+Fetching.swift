internal import HoistBase

/// The source's side of its fetches.
extension ConfigurationSource: FetchDelegate {
  public var hasFlags: Bool { isServed && !format.isUrgent }

  public func fetchRequest(of loop: FetchLoop) -> HTTPRequest? {
    var request = format.request()
    if let lastModified { request.headers.append(HTTPHeader("If-Modified-Since", lastModified)) }
    return request
  }

  public func fetchAnswered(
    _ answer: FetchAnswer, of loop: FetchLoop, conclude: @escaping @Sendable (FetchVerdict) -> Void
  ) {
    lastAnswer = answer
    format.answered(answer)
    judge(answer) { [self] verdict in
      guard case .ended(.failed) = verdict else { return conclude(verdict) }
      makeDo { conclude(verdict) }
    }
  }

  private func judge(_ answer: FetchAnswer, _ completion: @escaping @Sendable (FetchVerdict) -> Void) {
    switch (format.meaning(of: answer), answer.result) {
    case (.again(let pause), _): completion(.again(afterMilliseconds: pause))
    case (_, .failure(let failure)): completion(failed(answer, "no answer: \(format.shown(failure.message))"))
    case (.taken, .success(let response)): take(response, answer, completion)
    case (.nothing, .success): completion(.ended(.empty))
    case (.kept, .success) where aside != nil && lastModified != nil: takeStored(completion)
    case (.kept, .success) where isServed: completion(.ended(.unchanged))
    case (let meaning, .success(let response)):
      let next: FetchFailure.Next = meaning == .stop ? .stop : meaning == .refused ? .slow : .regular
      let refusal = next == .regular ? "" : ": the key or the address is refused"
      completion(
        failed(answer, "the service answered \(response.status)\(refusal)", next, response.retryAfterMilliseconds(host.clock)))
    }
  }

  /// Whether what a fetch brings is served now.
  private var servesNow: Bool { isRunning && (!isServed || format.servesArrivals || isWanted || starting != nil) }

  /// - Parameter completion: not called when the fetch has been called off.
  private func compile(_ document: [UInt8], completion: @escaping @Sendable (Result<Format.Configuration, FetchFailure>) -> Void)
  {
    let mine = loop.token
    host.compiler.compile(bytes: document.count) { [format] in
      Result { () throws(FetchFailure) in try format.compile(document) }
    } completion: { [weak self, format] compiled in
      if let self, loop.isUnderWay(mine) { return completion(compiled) }
      if case .success(let configuration) = compiled { format.discard(configuration) }
    }
  }

  private func take(_ response: HTTPResponse, _ answer: FetchAnswer, _ completion: @escaping @Sendable (FetchVerdict) -> Void) {
    compile(response.body) { [self] compiled in
      switch compiled {
      case .success(let configuration):
        take(configuration, StoredDocument(bytes: response.body, lastModified: response.lastModified))
        completion(.ended(.updated))
      case .failure(let failure):
        completion(
          .ended(.failed(FetchFailure(format.failureStatus(of: answer), "\(format.name): \(failure.message)"))))
      }
    }
  }

  private func take(_ configuration: Format.Configuration, _ document: StoredDocument) {
    keep(document)
    hasArrived = hasArrived || servesNow
    if servesNow {
      settle(configuration, from: .service)
      lastModified = document.lastModified
    } else {
      if isServed, format.isServed(configuration) { aside = nil }
      format.discard(configuration)
    }
  }

  /// The service says that the stored document holds.
  private func takeStored(_ completion: @escaping @Sendable (FetchVerdict) -> Void) {
    guard servesNow, let stored = aside else { return completion(.ended(.unchanged)) }
    compile(stored.bytes) { [self] compiled in
      switch compiled {
      case .success(let configuration):
        settle(configuration, from: .stored)
        lastModified = stored.lastModified
        completion(.ended(.unchanged))
      case .failure(let failure):
        dropStored(failure)
        completion(.again(afterMilliseconds: 0))
      }
    }
  }

  /// Serves what has come, unless it is the one that is served.
  private func settle(_ configuration: Format.Configuration, from origin: ConfigurationOrigin) {
    guard isServed, format.isServed(configuration) else { return serve(configuration, from: origin) }
    aside = nil
    format.discard(configuration)
  }

  private func failed(
    _ answer: FetchAnswer, _ what: String, _ next: FetchFailure.Next = .regular, _ retryAfter: Int64? = nil
  ) -> FetchVerdict {
    .ended(
      .failed(
        FetchFailure(
          format.failureStatus(of: answer), "\(format.name): \(what)", next: next, retryAfterMilliseconds: retryAfter)))
  }

  public func fetchEnded(_ outcome: FetchOutcome, of loop: FetchLoop) {
    format.ended(outcome, lastAnswer)
    lastAnswer = nil
    isWanted = false
    // Who asks no more leads no more.
    if loop.hasStopped { shared?.stop() }
    if let report = report(of: outcome) { host.report(report) }
    var failure: FetchFailure?
    if case .failed(let reason) = outcome { failure = reason }
    tellOfStart(failure)
  }

  private func report(of outcome: FetchOutcome) -> LifeReport? {
    if let report = format.report(of: outcome) { return report }
    switch outcome {
    case .updated where !isServed, .unchanged where !isServed, .empty: return .heard
    case .updated where aside != nil: return .answered("\(format.name) has come, and is kept for the next start")
    case .updated: return .answered("\(format.name) has come from \(shared?.isFollowing == true ? "the store" : "the service")")
    case .unchanged: return .answered("\(format.name) is up to date")
    case .failed(let failure):
      if isRunning { return failure.report }
      host.tellOfFailedFetch(failure.status, failure.message)
      return nil
    case .superseded: return nil
    }
  }
}
