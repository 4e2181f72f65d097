internal import HoistBase
internal import HoistCore

/// Brings datafiles: given, saved, downloaded (protocols/optimizely.md 5.1 to 5.4). On the scheduler's thread.
final class DatafileSource: @unchecked Sendable {
  /// nil is success. Runs once, on the scheduler's thread.
  typealias Completion = @Sendable (DatafileFailure?) -> Void

  let host: any ProviderHost
  let settings: OptimizelySettings
  let storage: DocumentStorage
  /// Takes what is to be served, with its snapshot.
  var serve: (_ datafile: CompiledDatafile, _ origin: DatafileOrigin) -> Void = { datafile, _ in datafile.snapshot.destroy() }
  /// Runs its argument when it is known what earlier runs have kept of users: before, decisions might contradict it.
  var whenProfilesAreRead: (@escaping @Sendable () -> Void) -> Void = { $0() }
  /// What is served.
  var served: () -> ServedDatafile? = { nil }

  /// A start has succeeded, or is under way.
  var isStarted = false
  /// A forked child begins where its parent was; nil outside of one.
  private var resumes: Bool?
  /// Moves on with every start and stop: what belongs to an earlier one is over.
  var generation: UInt64 = 0
  /// Of the last start with a given datafile, or of the properties: what arrives is served at once.
  var updatesAtOnce: Bool
  /// Of the last start: false leaves downloads to polling and to those who ask for one.
  var fetchesInBackground: Bool
  /// Those who are to be told of the end of a start.
  var starting: [(generation: UInt64, tell: Completion)] = []

  private var download: DatafileDownload?
  private var askers: [Asker] = []
  lazy var poller = DatafilePoller(host: host, seconds: settings.pollingSeconds) { [weak self] done in
    guard let self else { return done() }
    // The next poll is attempt enough.
    fetch(retries: 0) { _ in done() }
  }
  private var lastFailure: DatafileFailure?
  /// Why the datafile of the properties cannot be served.
  var givenFailure: DatafileFailure?

  /// Somebody who waits for a download.
  struct Asker {
    /// Asked when a datafile has arrived: whether this one is to be served whatever the settings say.
    var wantsServing: () -> Bool
    var completion: (DownloadResult) -> Void
  }

  init(host: any ProviderHost, settings: OptimizelySettings) {
    self.host = host
    self.settings = settings
    storage = DocumentStorage(store: host.store, key: settings.storageKey)
    updatesAtOnce = settings.updatesOnNewDatafile
    fetchesInBackground = settings.fetchesInBackground
    if let seconds = settings.refusedPollingSeconds {
      host.log.warning("polling_interval: \(seconds) s is below the minimum; polling every \(settings.pollingSeconds) s")
    }
  }

  // MARK: Life

  func begin() {
    defer { resumes = nil }
    guard resumes ?? settings.autostart else { return }
    if resumes == true, served() != nil { return resume() }
    if settings.isGivenDatafile {
      let flags: StartFlags = settings.fetchesInBackground ? [] : .noBackgroundFetch
      startGiven(nil, settings.updatesOnNewDatafile ? flags.union(.updateOnNewDatafile) : flags) { _ in }
    } else {
      startFromService(timeoutMilliseconds: settings.startTimeoutMilliseconds) { _ in }
    }
  }

  private func resume() {
    isStarted = true
    poller.start()
  }

  func stop() {
    isStarted = false
    generation &+= 1
    poller.stop()
    download?.cancel()
    endDownload(.cancelled)
    endStarts(before: generation, .cancelled)
  }

  /// Nobody of this process waits: whoever did is in the parent.
  func abandonAfterFork() {
    resumes = isStarted
    isStarted = false
    generation &+= 1
    poller.abandon()
    download?.abandon()
    download = nil
    askers = []
    starting = []
  }

  func setOnline(_ isOnline: Bool) {
    guard isStarted else { return }
    if isOnline {
      poller.start()
      if served() == nil { return startFromService(timeoutMilliseconds: nil) { _ in } }
      if fetchesInBackground { fetch { _ in } } else { host.setState(.ready, "online again") }
    } else {
      poller.stop()
      download?.cancel()
      endDownload(.offline)
      if served() != nil { host.setState(.stale, "offline") }
    }
  }

  /// What arrives is served.
  func refresh() {
    guard canDownload else { return }
    ask(Asker(wantsServing: { true }, completion: { [weak self] in self?.tellOfFetch($0) }))
  }

  // MARK: Downloads

  var canDownload: Bool { host.isOnline && settings.datafileURL != nil }

  /// Downloads, keeps what arrives for the next run, and serves it if the settings or the start say so (5.4).
  func fetch(retries: Int? = nil, _ completion: @escaping (DatafileFailure?) -> Void) {
    if let failure = obstacle { return completion(failure) }
    let asker = Asker(wantsServing: { false }) { [weak self] result in
      self?.tellOfFetch(result)
      completion(result.failure)
    }
    ask(asker, retries: retries)
  }

  /// Why nothing can be downloaded; nil when it can.
  var obstacle: DatafileFailure? {
    if settings.datafileURL == nil { return DatafileFailure(.optimizelyDatafileDownloadFailed, "no datafile can be downloaded: property \"sdk_key\" is not set") }
    return host.isOnline ? nil : .offline
  }

  /// Joins the download that is under way, or begins one. Only with `canDownload`.
  /// - Parameter retries: nil for as many as the settings say.
  func ask(_ asker: Asker, retries: Int? = nil) {
    askers.append(asker)
    guard askers.count == 1, let url = settings.datafileURL else { return }
    storage.load { [weak self] saved in
      // Whatever start has begun meanwhile: its asker has joined, and waits for this download.
      guard let self, !askers.isEmpty, download == nil else { return }
      let current = DatafileDownload(
        host: host, settings: settings, url: url, saved: saved, retries: retries ?? settings.downloadRetries
      ) { [weak self] in self?.downloadEnded($0) }
      download = current
      current.begin()
    }
  }

  private func downloadEnded(_ outcome: DownloadOutcome) {
    let answered = askers
    endDownload(nil)
    let isWanted = updatesAtOnce || settings.pollingSeconds > 0 || answered.contains { $0.wantsServing() }
    let result: DownloadResult
    switch outcome {
    case .arrived(let datafile, let lastModified):
      storage.save(StoredDocument(bytes: datafile.bytes, lastModified: lastModified))
      take(datafile, .network, isWanted: isWanted)
      result = .upToDate
    case .unchanged(let saved): result = isWanted ? take(saved) : .upToDate
    case .failed(let failure): result = .failed(failure)
    }
    for asker in answered { asker.completion(result) }
  }

  /// Serves a datafile that has arrived, if it is wanted and another one than the present.
  private func take(_ datafile: CompiledDatafile, _ origin: DatafileOrigin, isWanted: Bool) {
    let isOther = served()?.revision != datafile.revision
    if isWanted, isOther { return serve(datafile, origin) }
    if isOther { host.log.info("revision \(datafile.shownRevision) has arrived; it is kept for the next start") }
    datafile.snapshot.destroy()
  }

  /// The service says that this one holds. It need not be what is served: another client of the same store, or an
  /// earlier download of this one, may have kept it.
  private func take(_ saved: StoredDocument) -> DownloadResult {
    if served()?.bytes == saved.bytes { return .upToDate }
    var refusal: DatafileFailure?
    if let datafile = sound(saved, { refusal = $0 }) { take(datafile, .saved, isWanted: true) }
    return refusal.map { .failed($0) } ?? .upToDate
  }

  /// - Parameter failure: what those who wait are told; nil tells them nothing.
  private func endDownload(_ failure: DatafileFailure?) {
    let abandoned = askers
    askers = []
    download = nil
    guard let failure else { return }
    for asker in abandoned { asker.completion(.failed(failure)) }
  }

  /// What became of a download that no start waits for. Each failure is told once in a row.
  private func tellOfFetch(_ result: DownloadResult) {
    guard let failure = result.failure else {
      lastFailure = nil
      if served() != nil { host.setState(.ready, "the datafile is up to date") }
      return
    }
    guard failure != .cancelled, failure != .offline else { return }
    if failure != lastFailure { report(failure) }
    lastFailure = failure
    if served() != nil { host.setState(.stale, failure.message) }
  }

  func report(_ failure: DatafileFailure) {
    host.tellOfFailedFetch(failure.status, failure.message)
  }
}

/// What became of a download, after what arrived has been kept.
enum DownloadResult: Sendable, Equatable {
  /// What the service has is kept; where that was wanted, it is served, or another one of the same revision.
  case upToDate
  case failed(DatafileFailure)

  var failure: DatafileFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

/// How a start with a given or saved datafile goes on; the numbers of the C header.
public struct StartFlags: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// What is downloaded is served at once, if its revision differs (S2).
  public static let updateOnNewDatafile = StartFlags(rawValue: 1)
  public static let noBackgroundFetch = StartFlags(rawValue: 2)
}
