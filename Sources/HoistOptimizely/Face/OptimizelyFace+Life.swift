public import HoistCore
internal import HoistBase

/// Starts, and the calls of the datafile handler (OPT-22 to OPT-44; protocols/optimizely.md 5.1, 5.2). Completions run on
/// the scheduler's thread, once each if the result is `.ok`, also when the client closes first; nil is success.
extension OptimizelyFace {
  public typealias Completion = @Sendable (FetchFailure?) -> Void

  /// Serves what an earlier run has saved, else `datafile`; nil: the saved one, or what is served.
  public func start(datafile: [UInt8]?, _ flags: StartFlags, completion: @escaping Completion) -> Status {
    onDatafiles { $0.start(with: datafile, flags, completion) }
  }

  /// Downloads first.
  /// - Parameter timeoutMilliseconds: negative waits for the end of the download.
  public func start(timeoutMilliseconds: Int64, completion: @escaping Completion) -> Status {
    onDatafiles { $0.startFromService(timeoutMilliseconds: timeoutMilliseconds < 0 ? nil : timeoutMilliseconds, completion) }
  }

  /// Downloads and keeps what arrives; serves it only where that was asked for.
  public func download(completion: @escaping Completion) -> Status {
    onDatafiles { $0.download(completion) }
  }

  /// Keeps a datafile for the next start, in place of the saved one.
  public func save(datafile: [UInt8]) -> FetchFailure? {
    if provider.settings.sdkKey.isEmpty { return FetchFailure(.unsupported, "without property \"sdk_key\" no datafile is kept") }
    do throws(OptimizelyDatafileFailure) {
      try CompiledDatafile(datafile).snapshot.destroy()
    } catch {
      let failure = FetchFailure(error)
      return FetchFailure(failure.status, "the datafile to save: \(failure.message)")
    }
    let status = onDatafiles { $0.source.store(datafile) }
    return status == .ok ? nil : FetchFailure(status, "the client is closed")
  }

  /// The next download asks for any datafile.
  public func removeSavedDatafile() -> Status { onDatafiles { $0.source.removeStored() } }

  /// `completion` gets nil when nothing is saved.
  public func savedDatafile(completion: @escaping @Sendable ([UInt8]?) -> Void) -> Status {
    onDatafiles { datafiles in datafiles.source.loadStored { completion($0?.bytes) } }
  }

  /// While inactive nothing is polled and events wait; becoming inactive sends those that are there (OPT-39).
  public func setActive(_ isActive: Bool) -> Status {
    onScheduler { $0.life.setForeground(isActive) }
  }

  private func onDatafiles(_ work: @escaping @Sendable (DatafileStarts) -> Void) -> Status {
    onScheduler { work($0.datafiles) }
  }

  private func onScheduler(_ work: @escaping @Sendable (OptimizelyProvider) -> Void) -> Status {
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    let provider = provider
    client.onScheduler { _ in work(provider) }
    return .ok
  }
}
