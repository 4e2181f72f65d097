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
    let verdict = verdict(of: answer)
    if case .ended(.failed) = verdict { makeDo() }
    conclude(verdict)
  }

  private func verdict(of answer: FetchAnswer) -> FetchVerdict {
    switch (format.meaning(of: answer), answer.result) {
    case (.again(let pause), _): return .again(afterMilliseconds: pause)
    case (_, .failure(let failure)): return failed(answer, "no answer: \(format.shown(failure.message))")
    case (.taken, .success(let response)): return .ended(take(response, answer))
    case (.nothing, .success): return .ended(.empty)
    case (.kept, .success) where aside != nil && lastModified != nil: return takeStored()
    case (.kept, .success) where isServed: return .ended(.unchanged)
    case (let meaning, .success(let response)):
      let next: FetchFailure.Next = meaning == .stop ? .stop : meaning == .refused ? .slow : .regular
      return failed(
        answer, "the service answered \(response.status)\(next == .regular ? "" : ": the key or the address is refused")", next,
        response.retryAfterMilliseconds(host.clock))
    }
  }

  /// Whether what a fetch brings is served now.
  private var servesNow: Bool { isRunning && (!isServed || format.servesArrivals || isWanted || starting != nil) }

  private func take(_ response: HTTPResponse, _ answer: FetchAnswer) -> FetchOutcome {
    let configuration: Format.Configuration
    do throws(FetchFailure) {
      configuration = try format.compile(response.body)
    } catch {
      return .failed(FetchFailure(format.failureStatus(of: answer), "\(format.name): \(error.message)"))
    }
    keep(StoredDocument(bytes: response.body, lastModified: response.lastModified))
    let date = lastModified
    hasArrived = hasArrived || servesNow
    if servesNow {
      settle(configuration, from: .service)
      lastModified = date
    } else {
      if isServed, format.isServed(configuration) { aside = nil }
      format.discard(configuration)
    }
    return .updated
  }

  /// The service says that the stored document holds.
  private func takeStored() -> FetchVerdict {
    guard servesNow else { return .ended(.unchanged) }
    let date = lastModified
    guard let configuration = compiledStored() else { return .again(afterMilliseconds: 0) }
    settle(configuration, from: .stored)
    lastModified = date
    return .ended(.unchanged)
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
