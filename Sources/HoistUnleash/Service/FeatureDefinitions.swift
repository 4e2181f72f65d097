internal import HoistBase
internal import HoistCore

/// Compiles definitions; on any thread.
struct DefinitionCompiler: Sendable {
  let options: UnleashOptions
  let log: Log

  func compile(_ document: [UInt8]) -> Result<Snapshot, UnreadableFlags> {
    document.withUnsafeBytes { bytes in
      do throws(UnleashDocumentFailure) {
        let compiled = try UnleashFeatures.compile(bytes, options)
        warn(compiled.warnings)
        return .success(compiled.snapshot)
      } catch {
        return .failure(UnreadableFlags(message: error.message))
      }
    }
  }

  func warn(_ warnings: [UnleashWarning]) {
    for warning in warnings { log.warning("flag \"\(warning.flag)\" is off: \(warning.message)") }
  }
}

/// The definitions of backend mode as they are fetched and patched (protocol B.6, B.8).
struct FeatureDefinitions: Sendable {
  let compiler: DefinitionCompiler
  /// Set once deltas have arrived: then the document is put together from it.
  private var state: UnleashFeatureState?
  private var whole: [UInt8] = []

  init(settings: UnleashSettings, host: any ProviderHost) {
    compiler = DefinitionCompiler(options: UnleashOptions(settings, host), log: host.log)
  }

  /// What to keep for the next run.
  var document: [UInt8] { state?.document ?? whole }

  /// About as many bytes as `document` has, without putting it together.
  var size: Int { state?.size ?? whole.count }

  /// Bytes that have to be read to take a batch.
  func cost(of batch: [UInt8]) -> Int { batch.count &+ (state == nil ? whole.count : 0) }

  /// Of the last delta event; nil when the definitions came as a whole.
  var lastEventID: UInt32? { state?.lastEventID }

  var customStrategyNames: [String] { compiler.options.strategies.keys.map { String(decoding: $0, as: UTF8.self) } }

  /// Takes a whole document that can be compiled.
  mutating func replace(with document: [UInt8]) { (state, whole) = (nil, document) }

  /// Applies a batch of delta events, all or none, to the current state, also to a whole document.
  /// - Returns: the names of the flags that it changes; nil where it does more than that.
  mutating func take(_ batch: [UInt8]) -> Result<Set<[UInt8]>?, UnreadableFlags> {
    if state == nil {
      state = UnleashFeatureState(limits: compiler.options.limits)
      if !whole.isEmpty { _ = try? state?.take(whole) }
      whole = []
    }
    do throws(UnleashDocumentFailure) {
      return .success(try state?.take(batch) ?? nil)
    } catch {
      return .failure(UnreadableFlags(message: error.message))
    }
  }

  /// These with a batch, and the flags of all.
  func applying(_ batch: [UInt8]) -> Result<(made: FeatureDefinitions, snapshot: Snapshot), UnreadableFlags> {
    var made = self
    return made.take(batch).flatMap { _ in made.compiled() }.map { (made, $0) }
  }

  /// All that has been taken.
  func compiled() -> Result<Snapshot, UnreadableFlags> { compiler.compile(document) }

  /// Flags of these names as they are now, for a snapshot of all that was taken before them.
  /// - Returns: nil where all flags should be compiled.
  func patch(_ names: Set<[UInt8]>, of served: Snapshot) -> UnleashPatch? {
    guard names.count <= Self.mostPatched, let state else { return nil }
    let ordered = names.sorted { $0.lexicographicallyPrecedes($1) }
    let made = UnleashFeatures.patch(ordered.compactMap { state.feature($0) }, of: served, compiler.options)
    compiler.warn(made?.warnings ?? [])
    return made
  }

  private static let mostPatched = 16
}

extension Result where Success == Snapshot {
  /// Of flags that are not wanted any more.
  func discard() { if case .success(let snapshot) = self { snapshot.destroy() } }
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
