internal import HoistBase

/// How a source begins.
public struct ConfigurationStart: Sendable {
  public enum FirstFetch: Sendable {
    case atOnce
    /// At once where nothing is stored or given, else by the pace.
    case ifNothingIsServed
    /// One pause after the start; never, for a pace without an interval.
    case byPace
  }

  public var firstFetch: FirstFetch
  /// The first fetch comes first; the stored or given document is served where it fails or is late.
  public var waitsForFetch: Bool
  /// What is stored or given is served until then; what the first fetch brings takes its place.
  public var servesMeanwhile: Bool

  public init(firstFetch: FirstFetch = .atOnce, waitsForFetch: Bool = false, servesMeanwhile: Bool = false) {
    self.firstFetch = firstFetch
    self.waitsForFetch = waitsForFetch
    self.servesMeanwhile = servesMeanwhile
  }
}

/// Supplies a configuration that is one document: stored, given, or fetched at intervals (with `If-Modified-Since`),
/// and stored for the next run. On the scheduler's thread.
public final class ConfigurationSource<Format: ConfigurationFormat>: ClientPart, @unchecked Sendable {
  /// What becomes of a start: nil when something is served, else why not.
  public typealias StartCompletion = @Sendable (FetchFailure?) -> Void

  let host: any ProviderHost
  public let format: Format
  let storage: DocumentStorage
  let loop: FetchLoop
  /// Where one process fetches for all that share the store.
  let shared: SharedFetch?
  /// The date of the newest document, served or stored; nil asks for any.
  var lastModified: String?
  public internal(set) var isServed = false
  /// How often another configuration was served.
  var servings: UInt64 = 0
  /// The stored document, while it is not served.
  var aside: StoredDocument?
  /// A fetch has brought a document since the start: what the store holds is older.
  var hasArrived = false
  public private(set) var isRunning = false
  var beginning = ConfigurationStart()
  /// Told of the end of a start that waits for its first fetch.
  var starting: StartCompletion?
  /// What the fetch in flight brings is to be served, whatever the format says.
  var isWanted = false
  /// Of the fetch in flight.
  var lastAnswer: FetchAnswer?
  /// Moves on with each start and stop.
  private(set) var generation = Generation()

  /// - Parameter storageKey: nil keeps nothing.
  public init(host: any ProviderHost, format: Format, storageKey: String?, pace: any FetchPace, options: FetchLoop.Options? = nil)
  {
    self.host = host
    self.format = format
    var options = options ?? .init(headerProvider: host.plugins.headerProvider)
    shared = SharedFetch.between(host, &options, key: storageKey)
    storage = DocumentStorage(store: host.store, key: storageKey, shared: shared)
    loop = FetchLoop(host: host, pace: shared?.pace(pace) ?? pace, options: options)
    loop.delegate = self
    shared?.delegate = self
  }

  // MARK: Life

  /// Continues with the served document, if any; else begins as `ConfigurationStart` says.
  public func start() {
    guard !isRunning else { return }
    guard isServed else { return start(ConfigurationStart()) }
    isRunning = true
    generation.advance()
    host.report(.serving("\(format.name) of before"))
    begin()
  }

  /// Begins, also anew: reads the store, whatever is served.
  /// - Parameter ended: called when it is known what is served, unless a stop or another start comes first.
  public func start(_ beginning: ConfigurationStart, ended: @escaping StartCompletion = { _ in }) {
    let wasRunning = isRunning
    stop()
    isRunning = true
    self.beginning = beginning
    if isServed, !wasRunning { host.report(.serving("\(format.name) of before")) }
    let mine = generation.current
    storage.load { [weak self] stored in
      guard let self, isRunning, generation.isCurrent(mine) else { return }
      if hasArrived { return begin(ended) }
      aside = stored
      if self.beginning.waitsForFetch {
        lastModified = stored?.lastModified
        starting = ended
        if self.beginning.servesMeanwhile { serveFirst { [self] _ in begin() } } else { begin() }
      } else {
        serveFirst { [self] failure in
          begin()
          ended(failure)
        }
      }
    }
  }

  /// With what is served already.
  private func begin(_ ended: StartCompletion) {
    begin()
    ended(nil)
  }

  private func begin() {
    format.begins(isServed: isServed)
    host.report(.initialized)
    guard host.isOnline else {
      return endWaiting(FetchFailure(format.failureStatus, "\(format.name): offline")) { [self] in
        format.isOffline()
        if !isServed { host.log.warning("offline, and \(format.name) is neither stored nor given: fallbacks are served") }
      }
    }
    host.report(.resumed)
    if format.isFetchable {
      shared?.start()
      fetchFirst()
    }
    tellIfNothingFetches()
  }

  private func tellIfNothingFetches() {
    guard !loop.goesOn else { return }
    let failure = FetchFailure(format.failureStatus, "\(format.name) is neither stored nor given, and nothing fetches it")
    endWaiting(failure) { [self] in
      if !isServed { host.report(.stopped(failure.status, failure.message)) }
    }
  }

  private func fetchFirst() {
    let isNow =
      switch beginning.firstFetch {
      case .atOnce: true
      case .ifNothingIsServed: !isServed
      case .byPace: false
      }
    loop.start(after: isNow ? 0 : nil)
  }

  public func stop() {
    end()
    endFetches()
  }

  private func endFetches() {
    loop.stop()
    shared?.stop()
  }

  public func abandonAfterFork() {
    end()
    loop.abandonAfterFork()
    shared?.abandonAfterFork()
  }

  public var statistics: [(group: String, name: String, value: Int64)] { shared?.statistics ?? [] }

  private func end() {
    isRunning = false
    starting = nil
    (isWanted, hasArrived) = (false, false)
    generation.advance()
  }

  public func setOnline(_ isOnline: Bool) {
    guard isRunning else { return }
    if isOnline {
      host.report(.resumed)
      if format.isFetchable {
        shared?.start()
        if isServed { fetchFirst() } else { loop.start() }
      }
      isWanted = loop.isFetching
      tellIfNothingFetches()
    } else {
      isWanted = false
      endFetches()
      endWaiting(FetchFailure(format.failureStatus, "\(format.name): offline")) { [self] in format.isOffline() }
    }
  }

  // MARK: Fetches out of turn

  /// Fetches now, and serves what comes. A fetch in flight will do, unless it fails: what it met may be over.
  public func refresh() {
    let isInFlight = loop.isFetching
    fetch { [weak self] outcome in
      if isInFlight, outcome.mayBeTriedAgain { self?.fetch() }
    }
  }

  /// Fetches now, and serves what comes; where a fetch is in flight, that one will do.
  public func fetch(_ completion: @escaping FetchLoop.Completion = { _ in }) {
    guard isRunning, canFetch else { return completion(.superseded) }
    isWanted = true
    host.report(.resumed)
    shared?.start()
    loop.fetch(completion)
  }

  /// Fetches now, started or not; what comes is served only where it would be without this.
  public func download(_ completion: @escaping FetchLoop.Completion) {
    if canFetch { loop.fetch(completion) } else { completion(.superseded) }
  }

  /// Fetches now, and once more after a fetch in flight, whose answer may be older than the reason for this call.
  public func fetchAgain() {
    if isRunning, canFetch { loop.fetchAgain() }
  }

  /// Whether a document is served, or stored to be.
  public var hasDocument: Bool { isServed || aside != nil }

  public var canFetch: Bool { host.isOnline && format.isFetchable }

  /// While held nothing is fetched by itself.
  /// - Parameter catchesUp: see `FetchLoop.hold`.
  public func hold(_ isHeld: Bool, catchesUp: Bool = false) { loop.hold(isHeld, catchesUp: catchesUp) }

  /// In the background nothing is fetched by itself: another process leads meanwhile.
  public func setForeground(_ isForeground: Bool) {
    if !isForeground { shared?.rest() }
    loop.hold(!isForeground, catchesUp: true)
    if isForeground, isRunning, canFetch { shared?.start() }
  }

  /// Whether changes may be streamed: where fetches are shared, by the process that fetches.
  public var mayStream: Bool { shared?.isLeading ?? true }
}

extension ConfigurationSource: SharedFetchDelegate {
  public var sharedName: String { format.name }
  public func sharedFetchIsDue() { if isRunning, canFetch, loop.goesOn { loop.fetchAgain() } }
  public func sharedFetchLeads(_ isLeading: Bool) { format.leads(isLeading) }
}
