internal import HoistBase
internal import HoistCore

/// What became of one poll (2.3).
enum PollOutcome: Sendable, Equatable {
  case updated, confirmed, unauthorized
  /// A status that is none of these.
  case failed(Int)
  case unreachable(String)
  /// An answer that cannot be read; one line says why.
  case malformed(String)
  /// It was called off.
  case cancelled
}

/// Asks for all flags of one context, and knows the entity tag of what came last. On the scheduler's thread.
final class FlagPoll: @unchecked Sendable {
  private let requests: FlagRequest
  private let outgoing: OutgoingRequests
  private let context: LDContext
  private let take: (FlagMessage) -> FlagOutcome
  private let answered: ([HTTPHeader]) -> Void
  /// As the service sent it; "" for none.
  private(set) var entityTag: String
  /// Told how the poll that is under way has ended; nil for none.
  private var waiting: (@Sendable (PollOutcome) -> Void)?
  /// Somebody has asked since it began: its answer may be older than what was asked for.
  private var isWantedAgain = false

  init(
    host: any ProviderHost, requests: FlagRequest, subject: SynchronizedContext,
    take: @escaping (FlagMessage) -> FlagOutcome, answered: @escaping ([HTTPHeader]) -> Void
  ) {
    self.requests = requests
    self.take = take
    self.answered = answered
    outgoing = OutgoingRequests(host: host)
    context = subject.context
    entityTag = subject.entityTag
  }

  var isUnderWay: Bool { waiting != nil }

  /// What is served did not come by a poll: the tag names something else.
  func forgetEntityTag() { entityTag = "" }

  /// Asks; where a poll is under way, once more as soon as that has ended.
  /// - Parameter completion: told once per answer.
  func run(_ completion: @escaping @Sendable (PollOutcome) -> Void) {
    guard waiting == nil else { return isWantedAgain = true }
    waiting = completion
    ask(byReport: requests.settings.usesReport)
  }

  func cancel() {
    isWantedAgain = false
    outgoing.cancelAll()
  }

  func abandonAfterFork() {
    outgoing.abandonAfterFork()
    waiting = nil
    isWantedAgain = false
  }

  private func ask(byReport: Bool) {
    guard let request = requests.poll(context, entityTag: entityTag, byReport: byReport) else {
      return finish(.unreachable("the address cannot be built"))
    }
    outgoing.send(request) { [weak self] answer in
      guard let self else { return }
      if byReport, case .success(let response) = answer, PollVerdict.repeatsWithGET(status: response.status) {
        return self.ask(byReport: false)
      }
      self.finish(self.read(answer))
    }
  }

  private func read(_ answer: OutgoingRequests.Answer) -> PollOutcome {
    let response: HTTPResponse
    switch answer {
    case .failure(let failure) where failure.kind == .cancelled: return .cancelled
    case .failure(let failure):
      entityTag = ""
      return .unreachable(failure.message)
    case .success(let success): response = success
    }
    let verdict = PollVerdict(status: response.status)
    if verdict == .use || verdict == .upToDate { answered(response.headers) }
    if verdict == .upToDate { return .confirmed }
    entityTag = ""
    switch verdict {
    case .use: return use(response)
    case .goOffline: return requests.settings.retriesRefusals ? .failed(response.status) : .unauthorized
    case .failed, .upToDate: return .failed(response.status)
    }
  }

  private func use(_ response: HTTPResponse) -> PollOutcome {
    let tag = response.headers.value(of: "Etag") ?? ""
    switch take(.put(response.body, entityTag: tag)) {
    case .refused(let problem): return .malformed(problem)
    case .applied:
      entityTag = tag
      return .updated
    }
  }

  private func finish(_ outcome: PollOutcome) {
    guard let completion = waiting else { return }
    waiting = nil
    completion(outcome)
    // Whoever is told may have ended it all.
    guard isWantedAgain else { return }
    isWantedAgain = false
    if case .failed(let status) = outcome, Refusal.isMeant(byStatus: status) { return }
    run(completion)
  }
}
