internal import HoistBase
internal import HoistCore

/// The ways to start (protocols/optimizely.md 5.1; OPT-22 to OPT-44).
extension DatafileSource {
  /// A datafile of the properties can be evaluated as soon as the client is open. The client is ready when it is known
  /// what earlier runs have kept; the start says so.
  func serveGiven() {
    guard settings.autostart, let datafile = given() else { return }
    serve(datafile, .given)
    if !host.store.keepsValues { host.setState(.ready, "the given datafile is served") }
  }

  /// Of the properties; the start tells why there is none.
  private func given() -> CompiledDatafile? {
    givenFailure = nil
    return givenBytes().flatMap { compiled($0, "the given datafile", log: host.log, { givenFailure = $0 }) }
  }

  private func givenBytes() -> [UInt8]? {
    if let datafile = settings.datafile { return datafile }
    if settings.datafilePath.isEmpty { return nil }
    do throws(FileContent.Failure) {
      return try FileContent.read(path: settings.datafilePath, limitBytes: settings.maximumResponseBytes)
    } catch {
      givenFailure = DatafileFailure(.io, "datafile.file: \(error.message)")
      return nil
    }
  }

  /// - Parameter log: nil for a datafile whose faults were told when it arrived.
  private func compiled(
    _ bytes: [UInt8], _ origin: String, log: Log? = nil, _ refuse: (DatafileFailure) -> Void
  ) -> CompiledDatafile? {
    do throws(OptimizelyDatafileFailure) {
      return try CompiledDatafile(bytes, log: log)
    } catch {
      refuse(DatafileFailure(error, origin))
      return nil
    }
  }

  /// The saved datafile, if it is one; a broken one is deleted.
  func sound(_ saved: StoredDocument?, _ refuse: (DatafileFailure) -> Void = { _ in }) -> CompiledDatafile? {
    guard let saved else { return nil }
    return compiled(saved.bytes, "the saved datafile") { failure in
      storage.remove()
      host.log.warning("\(failure.message); it is deleted")
      refuse(failure)
    }
  }

  // MARK: S1 to S3

  /// Serves what an earlier run has saved, else what is given, else what is served already; then fetches in the
  /// background.
  func startGiven(_ datafile: [UInt8]?, _ flags: StartFlags, _ completion: @escaping Completion) {
    let mine = beginStart(completion)
    readStore { [weak self] saved in
      guard let self, mine == generation else { return }
      if let failure = serveFirst(of: sound(saved), datafile) { return refuseStart(failure) }
      updatesAtOnce = settings.updatesOnNewDatafile || flags.contains(.updateOnNewDatafile)
      fetchesInBackground = !flags.contains(.noBackgroundFetch)
      endStart(nil)
      poller.start()
      if fetchesInBackground, canDownload { fetch { _ in } }
    }
  }

  /// What is served already goes on as it was.
  private func refuseStart(_ failure: DatafileFailure) {
    isStarted = served() != nil
    if isStarted { poller.start() }
    endStart(failure)
  }

  private func serveFirst(of saved: CompiledDatafile?, _ datafile: [UInt8]?) -> DatafileFailure? {
    if let saved {
      show(saved, .saved)
      return nil
    }
    var refusal: DatafileFailure?
    if let datafile, let given = compiled(datafile, "the given datafile", log: host.log, { refusal = $0 }) {
      show(given, .given)
      return nil
    }
    if refusal == nil, served() != nil { return nil }
    return refusal ?? givenFailure ?? DatafileFailure(.optimizelyDatafileLoadingFailed, "no datafile is given, and none is saved for SDK key \(settings.shownKey)")
  }

  /// Serves a datafile unless it is the very one that is served.
  private func show(_ datafile: CompiledDatafile, _ origin: DatafileOrigin) {
    if served()?.bytes == datafile.bytes { datafile.snapshot.destroy() } else { serve(datafile, origin) }
  }

  // MARK: A1 to A3

  /// Downloads first. Without an answer in time the saved datafile serves, else a given one.
  /// - Parameter timeoutMilliseconds: nil waits for the end of the download.
  func startFromService(timeoutMilliseconds: Int64?, _ completion: @escaping Completion) {
    let mine = beginStart(completion)
    fetchesInBackground = true
    readStore { [weak self] saved in
      guard let self, mine == generation else { return }
      let attempt = StartAttempt(saved: sound(saved))
      if let failure = obstacle { return endStart(failure, attempt) }
      if let timeoutMilliseconds {
        attempt.timer = host.scheduler.schedule(afterMilliseconds: timeoutMilliseconds) { [weak self] in
          guard let self, mine == generation else { return }
          endStart(DatafileFailure(.timeout, "the datafile did not arrive within \(timeoutMilliseconds) ms"), attempt)
        }
      }
      let isWanted = { [weak self] in self?.generation == mine && (!attempt.hasEnded || self?.served() == nil) }
      let asker = Asker(wantsServing: isWanted) { [weak self] result in
        guard let self, mine == generation else { return attempt.end() }
        downloadEnded(result, attempt)
      }
      ask(asker, retries: attempt.saved == nil ? nil : 0)
    }
  }

  private func downloadEnded(_ result: DownloadResult, _ attempt: StartAttempt) {
    switch result {
    case .upToDate:
      if attempt.hasEnded { return host.setState(.ready, "the datafile has arrived") }
      attempt.end()
      endStart(nil)
      poller.start()
    case .failed(let failure):
      if !attempt.hasEnded { endStart(failure, attempt) }
    }
  }

  /// Ends a start with what there is beside the service.
  /// - Parameter failure: why the service's own datafile is not served.
  private func endStart(_ failure: DatafileFailure, _ attempt: StartAttempt) {
    guard !attempt.hasEnded else { return }
    let saved = attempt.saved
    attempt.end(keepingSaved: true)
    if let saved { show(saved, .saved) } else if served() == nil { serveGivenInstead() }
    poller.start()
    guard served() != nil else { return endStart(failure) }
    endStart(nil)
    if failure == .offline { host.log.info(failure.message) } else { report(failure) }
    host.setState(.stale, failure.message)
  }

  /// A given datafile makes up for the service (OPT-44).
  private func serveGivenInstead() {
    if let datafile = given() { serve(datafile, .given) } else if let givenFailure { report(givenFailure) }
  }

  // MARK: Both

  /// What earlier runs have left: assignments of users, then the datafile. The store bounds how long that takes.
  private func readStore(_ completion: @escaping @Sendable (StoredDocument?) -> Void) {
    whenProfilesAreRead { [weak self] in self?.storage.load(completion: completion) }
  }

  /// Whoever waits for an earlier start is told that this one took its place.
  private func beginStart(_ completion: @escaping Completion) -> UInt64 {
    isStarted = true
    generation &+= 1
    endStarts(before: generation, DatafileFailure(.superseded, "another start took the place of this one"))
    starting.append((generation, completion))
    return generation
  }

  func endStarts(before number: UInt64, _ failure: DatafileFailure) {
    let over = starting.filter { $0.generation < number }
    starting.removeAll { $0.generation < number }
    for start in over { start.tell(failure) }
  }

  /// The present start has ended. The state is set first: whoever hears of the end finds it so.
  private func endStart(_ failure: DatafileFailure?) {
    let ended = starting
    starting = []
    if let failure {
      // Nothing comes by itself any more.
      let isFinal = failure.status == .optimizelyDatafileRefused && settings.pollingSeconds == 0
      host.setState(served() != nil ? .stale : isFinal ? .fatal : .error, failure.message)
      report(failure)
    } else {
      host.setState(.ready, "a datafile is served")
    }
    for start in ended { start.tell(failure) }
  }
}

/// One start that downloads first.
private final class StartAttempt: @unchecked Sendable {
  private(set) var saved: CompiledDatafile?
  var timer: (any Cancellable)?
  private(set) var hasEnded = false

  init(saved: CompiledDatafile?) { self.saved = saved }

  deinit { saved?.snapshot.destroy() }

  /// - Parameter keepingSaved: the caller has taken the saved datafile.
  func end(keepingSaved: Bool = false) {
    hasEnded = true
    timer?.cancel()
    timer = nil
    if keepingSaved { saved = nil }
  }
}
