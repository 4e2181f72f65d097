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
  /// What the next fetch carries; changed by the caller of an update, on any thread.
  private let carried: Shared<FrontendContext>
  var context: FrontendContext { carried.withLock { $0 } }
  /// Counts starts, stops and changes of the context: what was asked for before one ends with it.
  private var turn: UInt64 = 0
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
    carried = Shared(context)
  }

  func start(fetchingNow: Bool, completion: @escaping Poller.Completion) {
    turn &+= 1
    sender.cancelAll()
    poller.start(fetchingNow: fetchingNow, completion: completion)
    if !fetchingNow { completion(.unchanged) }
  }

  func stop() {
    turn &+= 1
    poller.stop()
    sender.cancelAll()
  }

  func abandonAfterFork() {
    turn &+= 1
    sender.abandonAll()
    poller.stop()
  }

  func fetchNow(completion: @escaping Poller.Completion) { poller.fetchNow(completion: completion) }

  func join(_ completion: @escaping Poller.Completion) -> Bool { poller.join(completion) }

  /// The answer to an older context must not come after this.
  func contextChanged(completion: @escaping Poller.Completion) {
    turn &+= 1
    sender.cancelAll()
    poller.start(fetchingNow: true, completion: completion)
  }

  /// Any thread; the fetch is the scheduler's matter.
  func carry(_ context: FrontendContext) { carried.withLock { $0 = context } }

  func adopt(_ document: [UInt8], entityTag tag: String) -> String? {
    if let problem = take(document, for: nil) { return problem }
    entityTag = tag
    return nil
  }

  /// Flags that an earlier run got for the current context.
  func adoptStored(_ flags: StoredFlags) -> String? {
    if let problem = take(flags.document, for: context.print) { return problem }
    entityTag = flags.entityTag
    return nil
  }

  /// Serves no flags at all.
  func clear() { _ = adopt(Array("{\"toggles\":[]}".utf8), entityTag: "") }

  private func fetch(_ completion: @escaping Poller.Completion) {
    guard let url = options.url else { return completion(.failed(.url)) }
    let (options, context, turn) = (options, context, turn)
    sender.send(.frontendFetch(entityTag: entityTag), to: url) { headers in
      FrontendRequest.make(options, url: url, context, headers: headers)
    } completion: { [weak self] answer in
      guard let self else { return }
      let outcome = self.read(answer, context.print)
      let document: [UInt8]? = if case .updated = outcome, case .success(let response) = answer { response.body } else { nil }
      let tag = self.entityTag
      guard let delegate = self.delegate else { return completion(outcome) }
      delegate.afterHostStorage { [weak self] in
        guard let self, turn == self.turn else { return completion(.superseded) }
        self.delegate?.fetchEnded(outcome, document: document, entityTag: tag)
        completion(outcome)
      }
    }
  }

  /// The table of protocol B.5, in its order.
  /// - Parameter context: what the request carried.
  private func read(_ answer: RequestSender.Answer, _ context: ContextPrint) -> FetchOutcome {
    let response: HTTPResponse
    switch answer {
    case .failure(let failure): return .failed(failure.kind == .invalidURL ? .url : .noResponse(failure))
    case .success(let success): response = success
    }
    if response.status == 304 { return .unchanged }
    if !(400...598).contains(response.status), response.hasNoBody { return .empty }
    if response.status != 200 {
      return .failed(FetchFailure.status(response, now: host.clock.unixMilliseconds))
    }
    if let problem = take(response.body, for: context, isAnswer: true) { return .failed(.decoding(problem)) }
    if let tag = response.headers.value(of: "ETag"), !tag.isEmpty { entityTag = tag }
    return .updated
  }

  /// - Parameters:
  ///   - context: what the flags were fetched for; nil serves them to whoever asks.
  ///   - isAnswer: the service has sent them now.
  /// - Returns: why the flags cannot be served; nil when they are.
  private func take(_ document: [UInt8], for context: ContextPrint?, isAnswer: Bool = false) -> String? {
    let compiled = document.withUnsafeBytes { bytes -> Result<Snapshot, UnleashDocumentFailure> in
      do throws(UnleashDocumentFailure) {
        return .success(try UnleashToggles.compile(bytes, context: context, compileOptions).snapshot)
      } catch {
        return .failure(error)
      }
    }
    switch compiled {
    case .failure(let failure): return failure.message
    case .success(let snapshot):
      let changed = host.withSnapshot { UnleashFlags.changedKeys(old: $0, new: snapshot) }
      delegate?.flagsArrived(snapshot, changed: changed, isAnswer: isAnswer)
      return nil
    }
  }
}
