internal import HoistBase
internal import HoistCore

/// Definitions from the client API, evaluated here (protocol B.6, B.8, B.9): by polling, by polling deltas, or by a
/// stream that falls back to polling.
final class BackendSource: FlagSource, @unchecked Sendable {
  private let host: any ProviderHost
  private let options: UnleashSettings
  private let requests: BackendRequest
  private let sender: RequestSender
  private weak var delegate: (any FlagSourceDelegate)?
  private let definitions: FeatureDefinitions
  private let stream: DefinitionStream
  private var mode: UnleashSettings.FetchMode
  private var entityTag = ""
  /// Id of the last delta event; "" asks for everything.
  private var lastEventID = ""
  /// Counts changes that came by stream: an answer that was asked for before one may be older than it.
  private var streamChanges: UInt64 = 0
  private var hasRegistered = false
  private(set) lazy var poller = Poller(
    scheduler: host.scheduler, entropy: host.entropy, intervalMilliseconds: options.refreshSeconds * 1000,
    jitterPercent: options.jitterPercent, mayRefreshKey: host.plugins.headerProvider != nil
  ) { [weak self] completion in self?.fetch(completion) ?? completion(.superseded) }

  init(host: any ProviderHost, options: UnleashSettings, transport: any Transport, delegate: any FlagSourceDelegate) {
    self.host = host
    self.options = options
    self.delegate = delegate
    requests = BackendRequest(options: options)
    sender = RequestSender(
      host: host, transport: transport, options: options, headerProvider: host.plugins.headerProvider)
    definitions = FeatureDefinitions(settings: options, host: host)
    stream = DefinitionStream(host: host, options: options, transport: transport)
    mode = options.fetchMode
    stream.source = self
  }

  /// What was given up before is tried again.
  func start(fetchingNow: Bool, completion: @escaping Poller.Completion) {
    stop()
    mode = options.fetchMode
    register()
    if mode == .streaming {
      stream.start(firstOutcome: completion)
    } else {
      poller.start(fetchingNow: fetchingNow, completion: completion)
      if !fetchingNow { completion(.unchanged) }
    }
  }

  func stop() {
    stream.stop()
    poller.stop()
    sender.cancelAll()
  }

  func abandonAfterFork() {
    stream.abandonAfterFork()
    sender.abandonAll()
    poller.stop()
    hasRegistered = false
  }

  func fetchNow(completion: @escaping Poller.Completion) { poller.fetchNow(completion: completion) }

  func join(_ completion: @escaping Poller.Completion) -> Bool { poller.join(completion) }

  /// Definitions do not depend on the context, but a change is reason enough to try a refused key again (D.2).
  func contextChanged(completion: @escaping Poller.Completion) {
    if poller.isHalted { poller.fetchNow(completion: completion) } else { completion(.unchanged) }
  }

  func adopt(_ document: [UInt8], entityTag tag: String) -> String? {
    if let problem = take(definitions.replace(document)) { return problem }
    entityTag = tag
    lastEventID = ""
    stream.forgetLastEvent()
    return nil
  }

  /// Announces this client once; failure is logged, never fatal (UNL-91). One that was called off did not happen.
  private func register() {
    guard options.registers, !hasRegistered, let url = requests.url(.register) else { return }
    let body = requests.registration(
      strategies: definitions.customStrategyNames, startedUnixMilliseconds: host.clock.unixMilliseconds)
    let (requests, log) = (requests, host.log)
    sender.send(.registration, to: url) { requests.post(url, $0, body) } completion: { [weak self] answer in
      self?.hasRegistered = true
      switch answer {
      case .success(let response) where (200...299).contains(response.status): break
      case .success(let response): log.warning("registering this client failed: the service answered \(response.status)")
      case .failure(let failure): log.warning("registering this client failed: \(failure.message)")
      }
    }
  }

  private func fetch(_ completion: @escaping Poller.Completion) {
    let isDelta = mode == .delta
    guard let url = requests.url(isDelta ? .delta : .features) else { return completion(.failed(.url)) }
    let (requests, changes) = (requests, streamChanges)
    let tag = isDelta ? (lastEventID.isEmpty ? nil : "\"\(lastEventID)\"") : entityTag
    sender.send(.backendFetch(entityTag: tag), to: url) { requests.fetch(url, $0) } completion: { [weak self] answer in
      guard let self else { return }
      if isDelta, case .success(let response) = answer, response.status == 404 {
        self.leaveDelta()
        return self.fetch(completion)
      }
      if changes != self.streamChanges { return completion(.unchanged) }
      let outcome = isDelta ? self.readDelta(answer) : self.read(answer)
      self.announce(outcome, answer)
      completion(outcome)
      if case .updated = outcome, !isDelta { self.followFetchMode(answer) }
    }
  }

  /// Edge in polling or offline mode has no deltas.
  private func leaveDelta() {
    host.log.info("the service offers no deltas; whole definitions are fetched instead")
    mode = .polling
    lastEventID = ""
  }

  private func announce(_ outcome: FetchOutcome, _ answer: RequestSender.Answer) {
    delegate?.fetchEnded(outcome, document: outcome == .updated ? definitions.document : nil, entityTag: entityTag)
  }

  private func read(_ answer: RequestSender.Answer) -> FetchOutcome {
    switch failure(of: answer) {
    case .some(let outcome): return outcome
    case .none: break
    }
    guard case .success(let response) = answer else { return .superseded }
    if let problem = take(definitions.replace(response.body)) { return .failed(.decoding(problem)) }
    // A 304 has no tag; an answer without one leaves the former.
    if let tag = response.headers.value(of: "ETag"), !tag.isEmpty { entityTag = tag }
    return .updated
  }

  private func readDelta(_ answer: RequestSender.Answer) -> FetchOutcome {
    if let outcome = failure(of: answer) { return outcome }
    guard case .success(let response) = answer else { return .superseded }
    if let problem = applyDelta(response.body) {
      lastEventID = ""
      return .failed(.decoding(problem))
    }
    let tag = response.headers.value(of: "ETag")?.filter { $0 != "\"" && $0 != "W" && $0 != "/" } ?? ""
    lastEventID = tag.isEmpty ? definitions.lastEventID.map { String($0) } ?? lastEventID : tag
    return .updated
  }

  /// nil for a 200.
  private func failure(of answer: RequestSender.Answer) -> FetchOutcome? {
    switch answer {
    case .failure(let failure): .failed(failure.kind == .invalidURL ? .url : .noResponse(failure))
    case .success(let response):
      switch response.status {
      case 200: nil
      case 304: .unchanged
      default: .failed(FetchFailure.status(response, now: host.clock.unixMilliseconds))
      }
    }
  }

  /// - Returns: why the batch was not applied; nil when it was.
  func applyDelta(_ batch: [UInt8]) -> String? {
    if let problem = take(definitions.apply(batch)) { return problem }
    entityTag = ""  // it named the definitions as they were
    return nil
  }

  private func take(_ result: Result<Snapshot, FeatureDefinitions.Failure>) -> String? {
    switch result {
    case .failure(let failure): return failure.message
    case .success(let snapshot):
      let changed = host.withSnapshot { UnleashFlags.changedKeys(old: $0, new: snapshot) }
      delegate?.flagsArrived(snapshot, changed: changed, isAnswer: true)
      return nil
    }
  }
}

/// What the stream tells its source.
extension BackendSource {
  func streamDelivered() {
    streamChanges &+= 1
    delegate?.fetchEnded(.updated, document: definitions.document, entityTag: entityTag)
  }

  func streamFailed(_ failure: FetchFailure) {
    delegate?.fetchEnded(.failed(failure), document: nil, entityTag: entityTag)
  }

  /// The stream is given up: definitions are polled from now on.
  func fallBackToPolling(_ reason: String, completion: @escaping Poller.Completion) {
    host.log.warning("streaming is given up, definitions are polled instead: \(reason)")
    mode = .polling
    poller.start(fetchingNow: true, completion: completion)
  }

  /// The service may ask clients that poll for streaming, unless their host chose otherwise (B.6).
  private func followFetchMode(_ answer: RequestSender.Answer) {
    guard case .success(let response) = answer, response.headers.value(of: "fetch-mode") == "streaming",
      mode == .polling, options.mayStream, poller.isRunning
    else { return }
    mode = .streaming
    poller.stop()
    stream.start { _ in }
  }
}
