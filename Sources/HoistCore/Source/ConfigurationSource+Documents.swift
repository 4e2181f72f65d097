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
  /// - Parameter completion: gets why the host's is not served where there is none but that; nil when something is served. Not
  ///   called when a stop or another start has come first.
  func serveFirst(_ completion: @escaping @Sendable (FetchFailure?) -> Void) {
    let stored = aside
    let given = Result { () throws(FetchFailure) in try format.given.read(host.log) }
    let bytes = (stored?.bytes.count ?? 0) &+ ((try? given.get())?.count ?? 0)
    // There is nothing to compile, nor to wait for.
    if bytes == 0 { return completion(serve(FirstDocuments(stored: nil, given: Self.compiled(given, format)), nil)) }
    let (mine, served) = (generation.current, servings)
    host.compiler.compile(bytes: bytes) { [format] in
      FirstDocuments(
        stored: stored.map { document in Result { () throws(FetchFailure) in try format.compile(document.bytes) } },
        given: Self.compiled(given, format))
    } completion: { [weak self, format] found in
      guard let self, generation.isCurrent(mine) else { return found.discard(format) }
      if servings == served { return completion(serve(found, stored)) }
      // Something newer has come first.
      found.discard(format)
      completion(nil)
    }
  }

  private func serve(_ found: FirstDocuments<Format>, _ document: StoredDocument?) -> FetchFailure? {
    var (stored, given, failure): (Format.Configuration?, Format.Configuration?, FetchFailure?)
    switch found.stored {
    case .success(let configuration)?: stored = configuration
    case .failure(let failure)?: dropStored(failure)
    case nil: break
    }
    switch found.given {
    case .success(let configuration): given = configuration
    case .failure(let reason):
      host.log.warning(reason.message)
      failure = reason
    }
    switch (stored, given) {
    case (nil, nil):
      // The date of what cannot be served would make the service answer "unchanged".
      if !isServed { lastModified = nil }
      if let failure { return failure }
      return isServed ? nil : FetchFailure(format.failureStatus, "\(format.name) is neither stored nor given")
    case (let stored?, nil): serve(stored, storedAs: document)
    case (nil, let given?): serve(given, from: .given)
    case (let stored?, let given?):
      let isGiven = format.prefers(given, over: stored)
      format.discard(isGiven ? stored : given)
      if isGiven { serve(given, from: .given) } else { serve(stored, storedAs: document) }
    }
    return nil
  }

  private func compiledGiven() throws(FetchFailure) -> Format.Configuration? {
    try Self.compiled(Result { () throws(FetchFailure) in try format.given.read(host.log) }, format).get()
  }

  private static func compiled(
    _ given: Result<[UInt8]?, FetchFailure>, _ format: Format
  ) -> Result<Format.Configuration?, FetchFailure> {
    Result { () throws(FetchFailure) in
      guard let bytes = try given.get() else { return nil }
      do throws(FetchFailure) {
        return try format.compile(bytes)
      } catch {
        throw FetchFailure(error.status, "\(format.name): the given document is left aside: \(error.message)")
      }
    }
  }

  /// What cannot be served is removed.
  func dropStored(_ failure: FetchFailure) {
    host.log.warning("\(format.name): the stored document is removed: \(failure.message)")
    removeStored()
  }

  /// - Parameter document: what it was compiled from.
  func serve(_ configuration: Format.Configuration, storedAs document: StoredDocument?) {
    serve(configuration, from: .stored)
    lastModified = document?.lastModified
  }

  func serve(_ configuration: Format.Configuration, from origin: ConfigurationOrigin) {
    (aside, lastModified) = (nil, nil)
    isServed = true
    servings &+= 1
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
  ///   - completion: called when it is known what is served; not after a stop or another start.
  public func endWaiting(
    _ failure: FetchFailure, isReported: Bool = false, then completion: @escaping @Sendable () -> Void = {}
  ) {
    // The store may not have been read yet.
    beginning.waitsForFetch = false
    guard starting != nil else { return completion() }
    makeDo { [self] in
      guard starting != nil else { return completion() }
      if isReported { host.report(failure.report) }
      tellOfStart(failure)
      completion()
    }
  }

  /// Serves the stored or given document instead of the one that a start waits for.
  func makeDo(_ completion: @escaping @Sendable () -> Void) {
    guard starting != nil, aside != nil || !isServed else { return completion() }
    serveFirst { _ in completion() }
  }

  func tellOfStart(_ failure: FetchFailure?) {
    let told = starting
    starting = nil
    told?(isServed ? nil : failure)
  }
}

/// What there is before the first fetch, compiled.
private struct FirstDocuments<Format: ConfigurationFormat>: Sendable {
  var stored: Result<Format.Configuration, FetchFailure>?
  var given: Result<Format.Configuration?, FetchFailure>

  func discard(_ format: Format) {
    if let stored = try? stored?.get() { format.discard(stored) }
    if let given = try? given.get() { format.discard(given) }
  }
}
