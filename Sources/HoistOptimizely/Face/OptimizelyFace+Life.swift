public import HoistCore
internal import HoistBase

/// Starts, and the calls of the datafile handler (OPT-22 to OPT-44; protocols/optimizely.md 5.1, 5.2). Completions run on
/// the scheduler's thread, once each if the result is `.ok`, also when the client closes first; nil is success.
extension OptimizelyFace {
  public typealias Completion = @Sendable (DatafileFailure?) -> Void

  /// Serves what an earlier run has saved, else `datafile`; nil: the saved one, or what is served.
  public func start(datafile: [UInt8]?, _ flags: StartFlags, completion: @escaping Completion) -> Status {
    onDatafiles { $0.startGiven(datafile, flags, completion) }
  }

  /// Downloads first.
  /// - Parameter timeoutMilliseconds: negative waits for the end of the download.
  public func start(timeoutMilliseconds: Int64, completion: @escaping Completion) -> Status {
    onDatafiles { $0.startFromService(timeoutMilliseconds: timeoutMilliseconds < 0 ? nil : timeoutMilliseconds, completion) }
  }

  /// Downloads and keeps what arrives; serves it only where that was asked for.
  public func download(completion: @escaping Completion) -> Status {
    onDatafiles { datafiles in datafiles.fetch { completion($0) } }
  }

  /// Keeps a datafile for the next start, in place of the saved one.
  public func save(datafile: [UInt8]) -> DatafileFailure? {
    if provider.settings.sdkKey.isEmpty { return DatafileFailure(.unsupported, "without property \"sdk_key\" no datafile is kept") }
    do throws(OptimizelyDatafileFailure) {
      try CompiledDatafile(datafile).snapshot.destroy()
    } catch {
      return DatafileFailure(error, "the datafile to save")
    }
    let status = onDatafiles { $0.storage.save(StoredDocument(bytes: datafile, lastModified: nil)) }
    return status == .ok ? nil : DatafileFailure(status, "the client is closed")
  }

  /// The next download asks for any datafile.
  public func removeSavedDatafile() -> Status { onDatafiles { $0.storage.remove() } }

  /// `completion` gets nil when nothing is saved.
  public func savedDatafile(completion: @escaping @Sendable ([UInt8]?) -> Void) -> Status {
    onDatafiles { datafiles in datafiles.storage.load { completion($0?.bytes) } }
  }

  /// While inactive nothing is polled and events wait; becoming inactive sends those that are there (OPT-39).
  public func setActive(_ isActive: Bool) -> Status {
    onScheduler { provider in
      provider.datafiles.poller.setActive(isActive)
      provider.events.setActive(isActive)
    }
  }

  private func onDatafiles(_ work: @escaping @Sendable (DatafileSource) -> Void) -> Status {
    onScheduler { work($0.datafiles) }
  }

  private func onScheduler(_ work: @escaping @Sendable (OptimizelyProvider) -> Void) -> Status {
    guard client.state != .closed else { return .state }
    client.resumeAfterFork()
    let provider = provider
    client.onScheduler { _ in work(provider) }
    return .ok
  }
}
