internal import HoistBase
internal import HoistCore

/// Flags evaluated by the server for the current context (protocol B.2, B.4, B.5, D.1, D.5).
final class FrontendSource: FlagSource, @unchecked Sendable {
  private let host: any ProviderHost
  private let options: UnleashSettings
  private let sender: RequestSender
  private weak var delegate: (any FlagSourceDelegate)?
  private let entropy: any Entropy
  private let compileOptions: UnleashOptions
  /// What the next fetch carries; changed by the caller of an update, on any thread.
  private let carried: Shared<FrontendContext>
  var context: FrontendContext { carried.withLock { $0 } }
  /// As the service sent it; it covers the answer's body, so it outlives a change of context.
  var entityTag = ""
  private(set) lazy var poller = Poller(
    scheduler: host.scheduler, entropy: entropy, intervalMilliseconds: options.refreshSeconds * 1000,
    jitterPercent: options.jitterPercent, mayRefreshKey: host.plugins.headerProvider != nil
  ) { [weak self] completion in self?.fetch(completion) ?? completion(.superseded) }

  init(
    host: any ProviderHost, options: UnleashSettings, transport: any Transport, entropy: any Entropy,
    delegate: any FlagSourceDelegate
  ) {
    self.host = host
    self.options = options
    self.entropy = entropy
    self.delegate = delegate
    compileOptions = UnleashOptions(options, host)
    sender = RequestSender(host: host, transport: transport, options: options)
    carried = Shared(
      FrontendContext(
        appName: options.appName, environment: options.environment, context: options.initialContext,
        properties: options.initialProperties, drawnSessionID: FrontendContext.drawSessionID(entropy)))
  }

  func start(fetchingNow: Bool, completion: @escaping Poller.Completion) {
    sender.cancelAll()
    poller.start(fetchingNow: fetchingNow, completion: completion)
    if !fetchingNow { completion(.unchanged) }
  }

  func stop() {
    poller.stop()
    sender.cancelAll()
  }

  func abandonAfterFork() {
    sender.abandonAll()
    poller.stop()
  }

  func fetchNow(completion: @escaping Poller.Completion) { poller.fetchNow(completion: completion) }

  /// The answer to an older context must not come after this.
  func contextChanged(completion: @escaping Poller.Completion) {
    sender.cancelAll()
    poller.start(fetchingNow: true, completion: completion)
  }

  /// Any thread; the fetch is the scheduler's matter.
  func update(context members: [String: String], properties: [String: String]) {
    carried.withLock { $0.update(context: members, properties: properties) }
  }

  func adopt(_ document: [UInt8], entityTag tag: String) -> String? {
    if let problem = take(document, for: 0) { return problem }
    entityTag = tag
    return nil
  }

  /// Serves no flags at all.
  func clear() { _ = take(Array("{\"toggles\":[]}".utf8), for: 0) }

  private func fetch(_ completion: @escaping Poller.Completion) {
    guard let url = options.url else { return completion(.failed(.url)) }
    let (options, context) = (options, context)
    sender.send(.frontendFetch(entityTag: entityTag), to: url) { headers in
      FrontendRequest.make(options, url: url, context, headers: headers)
    } completion: { [weak self] answer in
      guard let self else { return }
      let outcome = self.read(answer)
      let document: [UInt8]? = if case .updated = outcome, case .success(let response) = answer { response.body } else { nil }
      self.delegate?.fetchEnded(outcome, document: document, entityTag: self.entityTag)
      completion(outcome)
    }
  }

  /// The table of protocol B.5, in its order.
  private func read(_ answer: RequestSender.Answer) -> FetchOutcome {
    let response: HTTPResponse
    switch answer {
    case .failure(let failure): return .failed(failure.kind == .invalidURL ? .url : .noResponse(failure))
    case .success(let success): response = success
    }
    if response.status == 304 { return .unchanged }
    if !(400...598).contains(response.status), response.hasNoBody { return .unchanged }
    if response.status != 200 {
      return .failed(FetchFailure.status(response, now: host.clock.unixMilliseconds))
    }
    if let problem = take(response.body, for: host.currentContext?.frozen.fingerprint ?? 0) { return .failed(.decoding(problem)) }
    if let tag = response.headers.value(of: "ETag"), !tag.isEmpty { entityTag = tag }
    return .updated
  }

  /// - Parameter fingerprint: of the context the flags were fetched for; 0 serves them to whoever asks.
  /// - Returns: why the flags cannot be served; nil when they are.
  private func take(_ document: [UInt8], for fingerprint: UInt64) -> String? {
    let compiled = document.withUnsafeBytes { bytes -> Result<Snapshot, UnleashDocumentFailure> in
      do throws(UnleashDocumentFailure) {
        return .success(try UnleashToggles.compile(bytes, context: fingerprint, compileOptions).snapshot)
      } catch {
        return .failure(error)
      }
    }
    switch compiled {
    case .failure(let failure): return failure.message
    case .success(let snapshot):
      delegate?.flagsArrived(snapshot, changed: host.withSnapshot { UnleashFlags.changedKeys(old: $0, new: snapshot) })
      return nil
    }
  }
}
