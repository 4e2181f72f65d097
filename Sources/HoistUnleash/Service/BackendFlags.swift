internal import HoistBase
internal import HoistCore

/// Definitions from the client API, evaluated here (protocol B.6, B.8, B.9): by polling, by polling deltas, or by a
/// stream beside which definitions are polled when it fails. Where one process fetches for all, all are clients that poll, and the
/// one begins to stream once it has fetched. On the scheduler's thread.
final class BackendFlags: FlagService, @unchecked Sendable {
  private let host: any ProviderHost
  private let options: UnleashSettings
  private let requests: BackendRequest
  private let headers: RequestHeaders
  private let registrations: OutgoingRequests
  private var definitions: FeatureDefinitions
  private let stream: DefinitionStream
  /// What the stream has brought is compiled and served in a part of the time only.
  private lazy var compiling = PacedWork(host: host, run: { [unowned self] in serveAll($0) })
  private weak var source: FlagSource?
  private var mode: UnleashSettings.FetchMode
  /// Id of the last delta event; "" asks for everything.
  private var lastEventID = ""
  /// Moves on with changes that came by stream: an answer that was asked for before one may be older than it.
  private var streamed = Generation()
  private var asked: Generation.Token?
  /// The service wants a client that polls to stream.
  private var isAskedToStream = false
  /// The stream is for the process that fetches for all.
  private var awaitsFetch = false
  private var hasRegistered = false
  /// So many times as long as compiling takes, others have the network's thread.
  private static let pausesPerCompilation: Int64 = 4

  init(host: any ProviderHost, options: UnleashSettings, failures: UnleashFailure) {
    self.host = host
    self.options = options
    requests = BackendRequest(options: options)
    headers = RequestHeaders(options: options)
    registrations = OutgoingRequests(host: host)
    definitions = FeatureDefinitions(settings: options, host: host)
    stream = DefinitionStream(host: host, options: options, failures: failures)
    mode = options.fetchMode
    stream.owner = self
  }

  func connect(_ source: FlagSource) { self.source = source }

  /// What was given up before is tried again.
  func begin(after wait: Int64?, completion: @escaping FetchLoop.Completion) {
    end()
    mode = options.fetchMode
    awaitsFetch = mode == .streaming && host.fetchSharing != nil
    if awaitsFetch { mode = .polling }
    register()
    if compiling.isDue { compiling.ask() }
    source?.loop.hold(false)
    if mode == .streaming {
      stream.start(firstOutcome: completion)
    } else {
      source?.loop.start(after: wait, completion: completion)
    }
  }

  func end() {
    compiling.rest()
    streamed.advance()
    stream.stop()
    registrations.cancelAll()
  }

  func abandonAfterFork() {
    compiling.abandonAfterFork()
    stream.abandonAfterFork()
    registrations.abandonAfterFork()
    hasRegistered = false
  }

  /// Announces this client once; failure is logged, never fatal (UNL-91). One that was called off did not happen.
  private func register() {
    guard options.registers, !hasRegistered, let url = requests.url(.register) else { return }
    let body = requests.registration(
      strategies: definitions.customStrategyNames, startedUnixMilliseconds: host.clock.unixMilliseconds)
    let log = host.log
    let request = requests.post(url, headers.make(.registration, dynamic: []), body)
    registrations.send(request, merging: { RequestHeaders.add($0, to: &$1) }) { [weak self] answer in
      switch answer {
      case .failure(let failure) where failure.kind == .cancelled: return
      case .success(let response) where (200...299).contains(response.status): break
      case .success(let response): log.warning("registering this client failed: the service answered \(response.status)")
      case .failure(let failure): log.warning("registering this client failed: \(failure.message)")
      }
      self?.hasRegistered = true
    }
  }

  // MARK: Fetches

  func request(entityTag: String) -> HTTPRequest? {
    let isDelta = mode == .delta
    guard let url = requests.url(isDelta ? .delta : .features) else { return nil }
    asked = streamed.current
    let tag = isDelta ? (lastEventID.isEmpty ? nil : "\"\(lastEventID)\"") : entityTag
    return requests.fetch(url, headers.make(.backendFetch(entityTag: tag), dynamic: []))
  }

  func verdict(on response: HTTPResponse) -> FetchVerdict? {
    if mode == .delta, response.status == 404 {
      // Edge in polling or offline mode has none.
      host.log.info("the service offers no deltas; whole definitions are fetched instead")
      mode = .polling
      lastEventID = ""
      return .again(afterMilliseconds: 0)
    }
    if response.status == 200, let asked, !streamed.isCurrent(asked) { return .ended(.unchanged) }
    return nil
  }

  func read(
    _ response: HTTPResponse, isWanted: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<ReadFlags?, UnreadableFlags>) -> Void
  ) {
    if mode == .delta, source?.isFollowing != true { return readDelta(response, isWanted, completion) }
    // What another process has stored is whole.
    lastEventID = ""
    isAskedToStream = response.headers.value(of: "fetch-mode") == "streaming"
    compile(bytes: response.body.count, isWanted) { [reader = definitions.compiler] in
      reader.compile(response.body).map { (made: (), snapshot: $0) }
    } completion: { [self] read in
      if case .success(_?) = read { replace(with: response.body) }
      // A 304 has no tag; an answer without one leaves the former.
      let tag = response.headers.value(of: "ETag")
      completion(
        read.map { $0.map { ReadFlags(snapshot: $0.snapshot, document: response.body, entityTag: tag == "" ? nil : tag) } })
    }
  }

  /// The tag named the definitions as they were.
  private func readDelta(
    _ response: HTTPResponse, _ isWanted: @escaping @Sendable () -> Bool,
    _ completion: @escaping @Sendable (Result<ReadFlags?, UnreadableFlags>) -> Void
  ) {
    compile(bytes: definitions.size &+ response.body.count, isWanted) { [definitions] in
      definitions.applying(response.body)
    } completion: { [self] read in
      switch read {
      case .success(let made?):
        definitions = made.made
        compiling.drop()
        let tag = response.headers.value(of: "ETag")?.filter { $0 != "\"" && $0 != "W" && $0 != "/" } ?? ""
        lastEventID = tag.isEmpty ? definitions.lastEventID.map { String($0) } ?? lastEventID : tag
      case .success: break
      case .failure: lastEventID = ""
      }
      completion(read.map { $0.map { ReadFlags(snapshot: $0.snapshot, document: nil, entityTag: "") } })
    }
  }

  /// - Parameter completion: gets nil where the stream has brought changes meanwhile.
  private func compile<Made: Sendable>(
    bytes: Int, _ isWanted: @escaping @Sendable () -> Bool,
    _ body: @escaping @Sendable () -> Result<(made: Made, snapshot: Snapshot), UnreadableFlags>,
    completion: @escaping @Sendable (Result<(made: Made, snapshot: Snapshot)?, UnreadableFlags>) -> Void
  ) {
    let mine = streamed.current
    host.compiler.compile(bytes: bytes, body) { [weak self] read in
      guard let self, isWanted() else { return read.map(\.snapshot).discard() }
      if streamed.isCurrent(mine) { return completion(read.map { $0 }) }
      read.map(\.snapshot).discard()
      completion(.success(nil))
    }
  }

  private func replace(with document: [UInt8]) {
    definitions.replace(with: document)
    compiling.drop()
  }

  var document: [UInt8]? { definitions.document }

  func reader(isFetched: Bool) -> @Sendable ([UInt8]) -> Result<Snapshot, UnreadableFlags> {
    { [compiler = definitions.compiler] in compiler.compile($0) }
  }

  func adopts(_ document: [UInt8]) {
    replace(with: document)
    streamed.advance()
    lastEventID = ""
    stream.forgetLastEvent()
  }

  /// The service may ask clients that poll for streaming, unless their host chose otherwise (B.6).
  func fetchSucceeded() {
    guard awaitsFetch || isAskedToStream, mode == .polling, options.mayStream, let source, source.mayStream, source.loop.isRunning
    else { return }
    (awaitsFetch, isAskedToStream) = (false, false)
    streamTakesOver()
    stream.start { _ in }
  }

  var isStreaming: Bool { mode == .streaming }

  func endStream() {
    stream.stop()
    stream.forgetLastEvent()
    awaitsFetch = isStreaming || options.fetchMode == .streaming
    guard isStreaming else { return }
    mode = .polling
    source?.loop.hold(false)
  }
}

/// The events of the stream.
extension BackendFlags {
  /// A few flags are served at once, at their own cost; what is large is read elsewhere, and what follows it waits.
  func streamDelivered(_ batch: [UInt8]) {
    if definitions.cost(of: batch) >= DocumentCompiler.largeBytes { return takeLarge(batch) }
    switch definitions.take(batch) {
    case .failure(let failure): stream.refused(failure.message)
    case .success(let names):
      streamed.advance()
      let patch = names.flatMap { names in
        compiling.isDue ? nil : host.withSnapshot { $0.flatMap { definitions.patch(names, of: $0) } }
      }
      if let patch, source?.serve(patch) == true { stream.served() } else { compiling.ask() }
    }
  }

  private func takeLarge(_ batch: [UInt8]) {
    stream.hold()
    let mine = streamed.advance()
    host.compiler.compile(bytes: definitions.cost(of: batch)) { [definitions] in
      definitions.applying(batch)
    } completion: { [weak self] read in
      guard let self, streamed.isCurrent(mine) else { return read.map(\.snapshot).discard() }
      stream.release()
      switch read {
      case .failure(let failure): stream.refused(failure.message)
      case .success(let made):
        definitions = made.made
        compiling.drop()
        serve(made.snapshot)
      }
    }
  }

  private func serveAll(_ run: PacedWork.Run) {
    let begun = host.clock.monotonicNanoseconds
    host.compiler.compile(bytes: definitions.size) { [definitions] in
      definitions.compiled()
    } completion: { [weak self] read in
      guard let self, run.isWanted else { return read.discard() }
      switch read {
      case .failure(let failure): stream.refused(failure.message)
      case .success(let snapshot): serve(snapshot)
      }
      let taken = host.clock.monotonicNanoseconds &- begun
      run.end(pause: (taken &* Self.pausesPerCompilation &+ 999_999) / 1_000_000)
    }
  }

  private func serve(_ snapshot: Snapshot) {
    source?.serve(ReadFlags(snapshot: snapshot, document: nil, entityTag: ""))
    stream.served()
  }

  func streamFailed(_ failure: FetchFailure) { source?.failed(failure) }

  /// Definitions are polled until the stream takes over.
  func fallBackToPolling(completion: @escaping FetchLoop.Completion) {
    (mode, isAskedToStream) = (.polling, false)
    source?.loop.hold(false)
    source?.loop.start(completion: completion)
  }

  /// Ends polling.
  func streamTakesOver() {
    mode = .streaming
    source?.loop.hold(true)
  }
}
