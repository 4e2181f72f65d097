internal import HoistBase
public import HoistCore

/// What a fetch has brought.
enum VisitorFetch: Sendable {
  case decided(DecidedFlags)
  case panic
  case failed(FetchFailure)
  /// The SDK was never started, or is closed.
  case notStarted
}

/// Fetching flags (FS-56; protocols/flagship.md 5.3).
extension FlagshipVisitor {
  /// In bucketing mode the flags are there when this returns.
  /// - Parameter completion: once if the result is `.ok`, after all other callbacks of the fetch, on the delivery lane
  ///   or in the call that closes the client; never otherwise.
  public func fetch(completion: (@Sendable (Status) -> Void)?) -> Status {
    withClient { client, registry in
      if client.isClosed { return .state }
      return client.promise(completion) { tell in
        begin(client, registry, tell)
        return .ok
      }
    } ?? .state
  }

  /// The same, waiting for its end.
  public func fetchAndWait(timeoutMilliseconds: Int64) -> Status {
    withClient { client, registry in
      if client.isClosed { return .state }
      if let status = fetchHere(registry) { return status }
      if registry.decidesHere {
        let answer = Completion<Status>()
        begin(client, registry) { answer.give($0) }
        if let status = answer.wait(untilNanoseconds: 0) { return status }
      }
      return client.wait(timeoutMilliseconds: timeoutMilliseconds) { [self] _, tell in
        withClient { begin($0, $1, tell) } ?? tell(.state)
      }
    } ?? .state
  }

  /// A fetch that this thread decides by itself, where the status "fetching" is not observed.
  /// - Returns: how it ended; nil where it has to send a request, to wait, or to announce its beginning.
  private func fetchHere(_ registry: FlagshipVisitorRegistry) -> Status? {
    guard registry.decidesHere, !hasListener, !registry.isEnriched else { return nil }
    if isBuffered(registry) { return .ok }
    guard let turn = lock.withLock({ turns.beginAlone() }) else { return nil }
    return end(turn, registry.decideHere(snapshotOfState), registry)
  }

  /// - Parameter completion: runs once, on any thread, unless the client goes first.
  func begin(_ client: Client, _ registry: FlagshipVisitorRegistry, _ completion: @escaping FetchTurns.Completion) {
    if isBuffered(registry) { return completion(.ok) }
    let again: @Sendable () -> Void = { [self] in withClient { begin($0, $1, completion) } ?? completion(.state) }
    let beginning = change { content, turns in
      let beginning = turns.begin(again: again, completion)
      if case .turn = beginning { content.progress = .fetching }
      return beginning
    }
    guard case .turn(let turn, let former) = beginning else { return }
    former?.cancel()
    registry.enrich(self, turn.call) { [self] in
      registry.decide(snapshotOfState, turn.call) { [self] outcome in
        if withClient({ end(turn, outcome, $1) }) == nil { end(turn, outcome, nil) }
      }
    }
  }

  /// Another visitor has become the client's: this one's flags are not awaited any more.
  func giveUpFetch() {
    let former = change { content, turns in
      let former = turns.abandonAll()
      if former != nil { content.progress = .failed }
      return former
    }
    former?.end()
  }

  /// FS-204
  private func isBuffered(_ registry: FlagshipVisitorRegistry) -> Bool {
    let window = registry.settings.visitors.bufferingMilliseconds
    guard window > 0 else { return false }
    guard let fetchedAt = lock.withLock({ turns.fetchedAt }), fetchStatus == .fetched else { return false }
    return registry.now &- fetchedAt < window &* 1_000_000
  }

  /// Any thread.
  /// - Parameter registry: nil when the client has gone meanwhile.
  /// - Returns: how it ended for the caller that began it.
  @discardableResult
  private func end(_ turn: FetchTurns.Turn, _ outcome: VisitorFetch, _ registry: FlagshipVisitorRegistry?) -> Status {
    let now = registry?.now
    let ((verdict, waiting), state) = changed { content, turns in
      let ended = turns.end(turn)
      if ended.0 != .stale { Self.apply(outcome, ended.0, now, to: &content, &turns) }
      return ended
    }
    let isApplied = verdict != .stale
    if isApplied { registry?.fetchEnded(self, state, outcome) }
    let status = isApplied ? outcome.status : .superseded
    for completion in waiting { completion(status) }
    return status
  }

  private static func apply(
    _ outcome: VisitorFetch, _ verdict: FetchTurns.Verdict, _ now: Int64?, to content: inout VisitorState.Content,
    _ turns: inout FetchTurns
  ) {
    switch outcome {
    case .decided(let decided):
      content.flags = decided.flags
      content.history = decided.history
      // A context that has changed since keeps its own status.
      if verdict == .current {
        content.progress = .fetched
        if let now { turns.fetched(at: now) }
      }
    case .panic:
      content.flags = .none
      content.progress = .panic
    case .failed: if verdict == .current { content.progress = .failed }
    case .notStarted: content.progress = .notStarted
    }
  }
}

extension VisitorFetch {
  var status: Status {
    switch self {
    case .decided: .ok
    case .panic: .flagshipPanic
    case .failed(let failure): failure.status
    case .notStarted: .flagshipNotInitialized
    }
  }
}
