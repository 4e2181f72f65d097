internal import HoistBase

/// The stored document.
extension ConfigurationSource {
  /// What the next run will find: `completion` gets nil when nothing is stored, or the store does not work.
  public func loadStored(_ completion: @escaping @Sendable (StoredDocument?) -> Void) {
    storage.loadWritten(completion: completion)
  }

  /// For the next start, in place of what is stored; the next fetch asks for any document.
  public func store(_ bytes: [UInt8]) {
    if shared?.isLeading == false {
      return host.log.warning("\(format.name): what is given is not kept: with fetch.shared only the process that fetches writes")
    }
    keep(StoredDocument(bytes: bytes, lastModified: nil))
  }

  /// The next fetch asks for any document.
  public func removeStored() {
    (aside, lastModified) = (nil, nil)
    storage.remove()
  }

  func keep(_ document: StoredDocument) {
    storage.save(document)
    aside = document
    lastModified = document.lastModified
  }

}

/// What there is before the first fetch.
extension ConfigurationSource {
  /// Serves the host's own document before the store has been read; only for formats that prefer a stored one to it.
  public func serveGiven() throws(FetchFailure) {
    if let given = try compiledGiven() { serve(given, from: .given) }
  }

  /// The stored configuration, or the host's where the format prefers it or nothing is stored.
  /// - Returns: why the host's is not served where there is none but that; nil when something is served.
  func serveFirst() -> FetchFailure? {
    let stored = compiledStored()
    var (given, failure): (Format.Configuration?, FetchFailure?)
    do throws(FetchFailure) {
      given = try compiledGiven()
    } catch {
      host.log.warning(error.message)
      failure = error
    }
    switch (stored, given) {
    case (nil, nil):
      // The date of what cannot be served would make the service answer "unchanged".
      if !isServed { lastModified = nil }
      if let failure { return failure }
      return isServed ? nil : FetchFailure(format.failureStatus, "\(format.name) is neither stored nor given")
    case (let stored?, nil): serveStored(stored)
    case (nil, let given?): serve(given, from: .given)
    case (let stored?, let given?):
      let isGiven = format.prefers(given, over: stored)
      format.discard(isGiven ? stored : given)
      if isGiven { serve(given, from: .given) } else { serveStored(stored) }
    }
    return nil
  }

  private func compiledGiven() throws(FetchFailure) -> Format.Configuration? {
    guard let bytes = try format.given.read(host.log) else { return nil }
    do throws(FetchFailure) {
      return try format.compile(bytes)
    } catch {
      throw FetchFailure(error.status, "\(format.name): the given document is left aside: \(error.message)")
    }
  }

  /// The stored document, while it is not served; what cannot be served is removed.
  func compiledStored() -> Format.Configuration? {
    guard let aside else { return nil }
    do throws(FetchFailure) {
      return try format.compile(aside.bytes)
    } catch {
      host.log.warning("\(format.name): the stored document is removed: \(error.message)")
      removeStored()
      return nil
    }
  }

  private func serveStored(_ configuration: Format.Configuration) {
    let date = aside?.lastModified
    serve(configuration, from: .stored)
    lastModified = date
  }

  func serve(_ configuration: Format.Configuration, from origin: ConfigurationOrigin) {
    (aside, lastModified) = (nil, nil)
    isServed = true
    format.serve(configuration, from: origin)
    switch origin {
    case .stored: host.report(.serving("\(format.name) is served as the store has it"))
    case .given: host.report(.serving("the given document is served as \(format.name)"))
    case .service: break
    }
  }

  /// A start waits for its first fetch no longer: it makes do with what there is.
  /// - Parameters:
  ///   - failure: why the service's document is not there.
  ///   - isReported: whether that is a failure of the service.
  public func endWaiting(_ failure: FetchFailure, isReported: Bool = false) {
    // The store may not have been read yet.
    beginning.waitsForFetch = false
    guard starting != nil else { return }
    makeDo()
    if isReported { host.report(failure.report) }
    tellOfStart(failure)
  }

  /// Serves the stored or given document instead of the one that a start waits for.
  func makeDo() {
    guard starting != nil else { return }
    if aside != nil || !isServed { _ = serveFirst() }
  }

  func tellOfStart(_ failure: FetchFailure?) {
    let told = starting
    starting = nil
    told?(isServed ? nil : failure)
  }
}
