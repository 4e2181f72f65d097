internal import HoistBase
internal import HoistCore

/// Flags evaluated by the server for the current context (protocol B.2, B.4, B.5, D.1, D.5).
final class FrontendSource: FlagSource, @unchecked Sendable {
  private let host: any ProviderHost
  private let options: UnleashSettings
  private let sender: RequestSender
  private weak var delegate: (any FlagSourceDelegate)?
  private let mayRefreshKey: Bool
  private let compileOptions: UnleashOptions
  /// What the next fetch carries, and the fingerprint of the client's context that stands for it; changed by the
  /// caller of an update, on any thread.
  private let carried: Shared<(context: FrontendContext, fingerprint: UInt64)>
  var context: FrontendContext { carried.withLock { $0.context } }
  /// As the service sent it; it covers the answer's body, so it outlives a change of context.
  var entityTag = ""
  private(set) lazy var poller = Poller(
    scheduler: host.scheduler, entropy: host.entropy, intervalMilliseconds: options.refreshSeconds * 1000,
    jitterPercent: options.jitterPercent, mayRefreshKey: mayRefreshKey
  ) { [weak self] completion in self?.fetch(completion) ?? completion(.superseded) }

  init(
    host: any ProviderHost, options: UnleashSettings, headerProvider: (any HeaderProvider)?, transport: any Transport,
    delegate: any FlagSourceDelegate
  ) {
    self.host = host
    self.options = options
    mayRefreshKey = headerProvider != nil
    self.delegate = delegate
    compileOptions = UnleashOptions(options, host)
    sender = RequestSender(host: host, transport: transport, options: options, headerProvider: headerProvider)
    let context = FrontendContext(
      appName: options.appName, environment: options.environment, context: options.initialContext,
      properties: options.initialProperties, drawnSessionID: FrontendContext.drawSessionID(host.entropy))
    carried = Shared((context, 0))
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

  func join(_ completion: @escaping Poller.Completion) -> Bool { poller.join(completion) }

  /// The answer to an older context must not come after this.
  func contextChanged(completion: @escaping Poller.Completion) {
    sender.cancelAll()
    poller.start(fetchingNow: true, completion: completion)
  }

  /// Any thread; the fetch is the scheduler's matter.
  func carry(_ context: FrontendContext, fingerprint: UInt64) { carried.withLock { $0 = (context, fingerprint) } }

  func adopt(_ document: [UInt8], entityTag tag: String) -> String? {
    if let problem = take(document, for: 0) { return problem }
    entityTag = tag
    return nil
  }

  /// Flags that an earlier run got for the current context.
  func adoptStored(_ flags: StoredFlags) -> String? {
    if let problem = take(flags.document, for: carried.withLock { $0.fingerprint }) { return problem }
    entityTag = flags.entityTag
    return nil
  }

  /// Serves no flags at all.
  func clear() { _ = adopt(Array("{\"toggles\":[]}".utf8), entityTag: "") }

  private func fetch(_ completion: @escaping Poller.Completion) {
    guard let url = options.url else { return completion(.failed(.url)) }
    let options = options
    let (context, fingerprint) = carried.withLock { $0 }
    sender.send(.frontendFetch(entityTag: entityTag), to: url) { headers in
      FrontendRequest.make(options, url: url, context, headers: headers)
    } completion: { [weak self] answer in
      guard let self else { return }
      let outcome = self.read(answer, fingerprint)
      let document: [UInt8]? = if case .updated = outcome, case .success(let response) = answer { response.body } else { nil }
      self.delegate?.fetchEnded(outcome, document: document, entityTag: self.entityTag)
      completion(outcome)
    }
  }

  /// The table of protocol B.5, in its order.
  /// - Parameter fingerprint: of the context the request carried.
  private func read(_ answer: RequestSender.Answer, _ fingerprint: UInt64) -> FetchOutcome {
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
    if let problem = take(response.body, for: fingerprint) { return .failed(.decoding(problem)) }
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
