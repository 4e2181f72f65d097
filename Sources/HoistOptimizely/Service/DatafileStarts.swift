internal import HoistBase
internal import HoistCore

/// The ways to start (protocols/optimizely.md 5.1; OPT-22 to OPT-44). On the scheduler's thread.
final class DatafileStarts: ClientPart, @unchecked Sendable {
  /// nil is success. Runs once.
  typealias Completion = @Sendable (FetchFailure?) -> Void

  /// How a client begins, and begins again in a forked child.
  private enum Beginning {
    /// S1 to S3: with the saved or given datafile.
    case datafile(StartFlags)
    /// A1 to A3: with a download; nil waits for its end.
    case download(timeoutMilliseconds: Int64?)
  }

  private let host: any ProviderHost
  private let settings: OptimizelySettings
  private let format: DatafileFormat
  let source: ConfigurationSource<DatafileFormat>
  private let profiles: ProfileStore
  /// nil before the host's own call, for a client that does not start by itself.
  private var beginning: Beginning?
  private var generation = Generation()
  private var waiting: Completion?
  private var timer: (any Cancellable)?
  private var isTimeOver = false

  /// - Parameter profiles: read before a start serves anything: decisions might contradict the stored profiles.
  init(host: any ProviderHost, settings: OptimizelySettings, format: DatafileFormat, profiles: ProfileStore) {
    self.host = host
    self.settings = settings
    self.format = format
    self.profiles = profiles
    source = ConfigurationSource(
      host: host, format: format, storageKey: settings.storageKey,
      pace: RegularPace(interval: settings.pollingSeconds * 1000, limit: settings.longestRetryMilliseconds),
      options: FetchLoop.Options(timing: .lessWholeSeconds, headerProvider: host.plugins.headerProvider))
    beginning = Self.beginning(settings)
    if let seconds = settings.refusedPollingSeconds {
      host.log.warning("polling_interval: \(seconds) s is below the minimum; polling every \(settings.pollingSeconds) s")
    }
  }

  /// What the properties say.
  private static func beginning(_ settings: OptimizelySettings) -> Beginning? {
    guard settings.autostart else { return nil }
    guard settings.given.exists else { return .download(timeoutMilliseconds: settings.startTimeoutMilliseconds) }
    var flags: StartFlags = settings.fetchesInBackground ? [] : .noBackgroundFetch
    if settings.updatesOnNewDatafile { flags.insert(.updateOnNewDatafile) }
    return .datafile(flags)
  }

  // MARK: Life

  /// A datafile of the properties can be evaluated as soon as the client is open (OPT-43, OPT-54). Without an SDK key there
  /// is no other: then a broken one is the end.
  func serveGiven() throws(ConfigurationFailure) {
    guard settings.autostart else { return }
    do throws(FetchFailure) {
      try source.serveGiven()
    } catch {
      guard settings.sdkKey.isEmpty else { return host.log.warning(error.message) }
      throw ConfigurationFailure(settings.datafile == nil ? "datafile.file" : "datafile", error.message)
    }
  }

  func start() {
    // What was served before a close can be read at once, not only when profiles have been read.
    if source.isServed { host.report(.serving("\(format.name) of before")) }
    switch beginning {
    case .datafile(let flags): begin(with: nil, flags, isByProperties: true) { _ in }
    case .download(let limit): startFromService(timeoutMilliseconds: limit, servesMeanwhile: true) { _ in }
    case nil: break
    }
  }

  func stop() {
    source.stop()
    beginning = Self.beginning(settings)
    generation.advance()
    end(FetchFailure(.cancelled, "ended by a stop or a close"))
  }

  func abandonAfterFork() {
    generation.advance()
    waiting = nil
    timer = nil
    source.abandonAfterFork()
  }

  func setOnline(_ isOnline: Bool) { source.setOnline(isOnline) }
  func setForeground(_ isForeground: Bool) { source.setForeground(isForeground) }
  var statistics: [(group: String, name: String, value: Int64)] { source.statistics }
  func refresh() { source.refresh() }

  // MARK: Starts

  /// Serves the saved datafile, else the given one, else the one served already; then fetches in the background.
  func start(with datafile: [UInt8]?, _ flags: StartFlags, _ completion: @escaping Completion) {
    begin(with: datafile, flags, isByProperties: false, completion)
  }

  private func begin(
    with datafile: [UInt8]?, _ flags: StartFlags, isByProperties: Bool, _ completion: @escaping Completion
  ) {
    beginning = .datafile(flags)
    begin(completion) { starts in
      starts.format.given = GivenDocument(bytes: datafile, path: "", property: "", limitBytes: 0)
      starts.format.updatesAtOnce = starts.settings.updatesOnNewDatafile || flags.contains(.updateOnNewDatafile)
      // A client that was to begin by itself must have something.
      let rarely = isByProperties ? ConfigurationStart.FirstFetch.ifNothingIsServed : .byPace
      starts.begin(ConfigurationStart(firstFetch: flags.contains(.noBackgroundFetch) ? rarely : .atOnce)) { failure in
        guard failure.status == .optimizelyDatafileDownloadFailed else { return failure }
        return FetchFailure(
          .optimizelyDatafileLoadingFailed, "no datafile is given, and none is saved for the SDK key")
      }
    }
  }

  /// Downloads first. Without an answer in time the saved datafile serves, else a given one.
  /// - Parameters:
  ///   - timeoutMilliseconds: nil waits for the end of the download.
  ///   - servesMeanwhile: a saved or given datafile serves until the download is there.
  func startFromService(timeoutMilliseconds: Int64?, servesMeanwhile: Bool = false, _ completion: @escaping Completion) {
    beginning = .download(timeoutMilliseconds: timeoutMilliseconds)
    begin(completion) { starts in
      starts.format.given = starts.settings.given
      starts.begin(ConfigurationStart(waitsForFetch: !starts.isTimeOver, servesMeanwhile: servesMeanwhile)) { $0 }
    }
    guard let timeoutMilliseconds, waiting != nil else { return }
    let mine = generation.current
    timer = host.scheduler.schedule(afterMilliseconds: timeoutMilliseconds) { [weak self] in
      guard let self, generation.isCurrent(mine) else { return }
      isTimeOver = true
      source.endWaiting(
        FetchFailure(.timeout, "\(format.name) did not arrive within \(timeoutMilliseconds) ms"), isReported: true)
    }
  }

  /// Completions of an earlier start get `.superseded`.
  private func begin(_ completion: @escaping Completion, _ body: @escaping @Sendable (DatafileStarts) -> Void) {
    let mine = generation.advance()
    end(FetchFailure(.superseded, "another start took the place of this one"))
    isTimeOver = false
    waiting = completion
    profiles.whenRead { [weak self] in
      if let self, generation.isCurrent(mine) { body(self) }
    }
  }

  private func begin(_ start: ConfigurationStart, _ reason: @escaping @Sendable (FetchFailure) -> FetchFailure) {
    format.retries = settings.downloadRetries
    let mine = generation.current
    source.start(start) { [weak self] failure in
      if let self, generation.isCurrent(mine) { end(failure.map(reason)) }
    }
  }

  private func end(_ failure: FetchFailure?) {
    timer?.cancel()
    timer = nil
    let told = waiting
    waiting = nil
    told?(failure)
  }

  // MARK: Downloads by the host

  /// Downloads, keeps what arrives for the next start, and serves it if the settings or the start say so (5.4).
  func download(_ completion: @escaping Completion) {
    format.retries = settings.downloadRetries
    source.download { [weak self] outcome in
      switch outcome {
      case .updated, .unchanged, .empty: completion(nil)
      case .failed(let failure): completion(failure)
      case .superseded: completion(self?.obstacle ?? FetchFailure(.superseded, "a start took the place of this download"))
      }
    }
  }

  private var obstacle: FetchFailure? {
    if source.canFetch { return nil }
    let reason = format.isFetchable ? "the client is offline" : "nothing can be downloaded"
    return FetchFailure(format.failureStatus, "\(format.name): \(reason)")
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
