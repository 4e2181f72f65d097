internal import HoistBase
internal import HoistCore

/// The definitions of backend mode as they are fetched and patched (protocol B.6, B.8). On the scheduler's thread.
final class FeatureDefinitions {
  private let options: UnleashOptions
  private let log: Log
  /// Set once deltas have arrived: then the document is put together from it.
  private var state: UnleashFeatureState?
  private var whole: [UInt8] = []

  init(settings: UnleashSettings, host: any ProviderHost) {
    options = UnleashOptions(settings, host)
    log = host.log
  }

  /// What to keep for the next run.
  var document: [UInt8] { state?.document ?? whole }

  /// Of the last delta event; nil when the definitions came as a whole.
  var lastEventID: UInt32? { state?.lastEventID }

  var customStrategyNames: [String] { options.strategies.keys.map { String(decoding: $0, as: UTF8.self) } }

  /// Takes a whole document; on failure everything stays as it was.
  func replace(_ document: [UInt8]) -> Result<Snapshot, UnreadableFlags> {
    let result = document.withUnsafeBytes { bytes in
      compile { () throws(UnleashDocumentFailure) in try UnleashFeatures.compile(bytes, options) }
    }
    if case .success = result {
      whole = document
      state = nil
    }
    return result
  }

  /// Applies a batch of delta events and compiles the result, all or none, to the current state, also to a whole document.
  func apply(_ batch: [UInt8]) -> Result<Snapshot, UnreadableFlags> {
    let former = (state, whole)
    let result = take(batch).flatMap { _ in compiled() }
    if case .failure = result { (state, whole) = former }
    return result
  }

  /// Applies a batch of delta events, all or none.
  /// - Returns: the names of the flags that it changes; nil where it does more than that.
  func take(_ batch: [UInt8]) -> Result<Set<[UInt8]>?, UnreadableFlags> {
    if state == nil {
      state = UnleashFeatureState(limits: options.limits)
      if !whole.isEmpty { _ = try? state?.take(whole) }
      whole = []
    }
    do throws(UnleashDocumentFailure) {
      return .success(try state?.take(batch) ?? nil)
    } catch {
      return .failure(UnreadableFlags(message: error.message))
    }
  }

  /// All that has been taken.
  func compiled() -> Result<Snapshot, UnreadableFlags> {
    let document = document
    return compile { () throws(UnleashDocumentFailure) in try UnleashFeatures.compile(document, options) }
  }

  /// Flags of these names as they are now, for a snapshot of all that was taken before them.
  /// - Returns: nil where all flags should be compiled.
  func patch(_ names: Set<[UInt8]>, of served: Snapshot) -> UnleashPatch? {
    guard names.count <= Self.mostPatched, let state else { return nil }
    let ordered = names.sorted { $0.lexicographicallyPrecedes($1) }
    let made = UnleashFeatures.patch(ordered.compactMap { state.feature($0) }, of: served, options)
    warn(made?.warnings ?? [])
    return made
  }

  private static let mostPatched = 16

  private func warn(_ warnings: [UnleashWarning]) {
    for warning in warnings { log.warning("flag \"\(warning.flag)\" is off: \(warning.message)") }
  }

  private func compile(
    _ body: () throws(UnleashDocumentFailure) -> UnleashCompilation
  ) -> Result<Snapshot, UnreadableFlags> {
    do throws(UnleashDocumentFailure) {
      let compiled = try body()
      warn(compiled.warnings)
      return .success(compiled.snapshot)
    } catch {
      return .failure(UnreadableFlags(message: error.message))
    }
  }
}

extension UnleashOptions {
  /// What the compiler needs to know of a client.
  init(_ settings: UnleashSettings, _ host: any ProviderHost) {
    self.init()
    appName = settings.appName
    environment = settings.environment
    countsReads = settings.countsReads(host)
    impressionDataAll = settings.announcesAll
    regexEngine = host.regex
    limits.json.maximumBytes = settings.maximumResponseBytes
    for (name, plugin) in host.plugins.vendor {
      guard let strategy = plugin as? any UnleashStrategy, name.hasPrefix(UnleashPlugins.strategyPrefix) else { continue }
      strategies[Array(name.dropFirst(UnleashPlugins.strategyPrefix.count).utf8)] = strategy
    }
  }
}
