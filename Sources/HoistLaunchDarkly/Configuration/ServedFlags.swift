internal import CShims
internal import HoistBase
internal import HoistCore

/// Whom the served flags concern. On the scheduler's thread.
protocol FlagListener: AnyObject {
  /// The flags of another context are about to replace those that are served: counts belong to the former context.
  func contextChanges()
  /// What events say of a context: its flags' snapshots hold it, so that both change in one step (LD-24).
  func describe(_ context: LDContext) -> EventContext
  /// A message counts (5.6); without changes it changes nothing.
  func updated(_ changes: [FlagChange])
}

/// The flags of the current context: what changes them, and their copy in the store. On the scheduler's thread.
final class ServedFlags: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let cache: FlagCache
  private var table = FlagTable()
  /// The store key of these flags; nil while there is no context.
  private var key: FlagCacheKey?
  /// Of the context, in the core; 0 serves whichever is the current one.
  private var fingerprint: UInt64 = 0
  /// Of the same context as it was spelled last; 0 for no other spelling.
  private var spelling: UInt64 = 0
  /// The context that the flags' results are for.
  private var owner: EventContext?
  /// Whether the served flags come from the service or the store.
  private(set) var isServing = false
  private var saving: (any Cancellable)?
  private var lastSize = 0
  weak var listener: (any FlagListener)?

  init(host: any ProviderHost, cache: FlagCache) {
    self.host = host
    self.cache = cache
  }

  /// Serves no flag at all.
  func serveNone() {
    table.removeAll()
    isServing = false
    guard let snapshot = FlagLayout(root: root, owner: owner, expectedBytes: 0).finish(count: 0) else { return }
    host.publish(snapshot, changed: [])
  }

  private var root: FlagsRoot { FlagsRoot(context: fingerprint, spelling: spelling) }

  /// What the store keeps of a context (5.10); on the scheduler's thread. `completion` gets nil when it keeps none.
  func load(_ context: LDContext, completion: @escaping @Sendable (CachedFlags?) -> Void) {
    host.scheduler.assertCurrent()
    cache.load(FlagCacheKey(context), completion: completion)
  }

  /// Serves a context's kept flags, else none, or else the former ones (LD-86); the caller makes it the current context
  /// in the same piece of work.
  /// - Parameters:
  ///   - fingerprint: `servedFingerprint` of the context in the core.
  ///   - cached: nil where none are kept, or they are not to be used.
  ///   - keepingFormer: whether the former ones stay, where there are no kept ones that can be read.
  /// - Returns: the changes, and whether the stored flags are served: only then their entity tag and age count.
  func change(
    to context: LDContext, fingerprint: UInt64, _ cached: CachedFlags?, keepingFormer: Bool
  ) -> (changes: [FlagChange], isFromCache: Bool) {
    host.scheduler.assertCurrent()
    saveNow()
    listener?.contextChanges()
    key = FlagCacheKey(context)
    self.fingerprint = fingerprint
    spelling = 0
    owner = listener?.describe(context)
    if let cached, let changes = restore(cached) { return (changes, true) }
    if keepingFormer {
      keepFormer()
      return ([], false)
    }
    let changes = host.withSnapshot { old in FlagTable.removals(of: old) }
    serveNone()
    return (changes, false)
  }

  /// The context is the same, in another spelling: its flags are served for both spellings.
  func respell(_ fingerprint: UInt64) {
    guard fingerprint != self.fingerprint, fingerprint != spelling else { return }
    spelling = fingerprint
    let isAnybodys = host.withSnapshot { $0?.flagsRoot?.pointee.context == 0 }
    publishCopy(for: isAnybodys ? 0 : self.fingerprint)
  }

  /// The current context gets them now.
  private func keepFormer() { publishCopy(for: 0) }

  /// The served flags become this context's.
  private func publishCopy(for fingerprint: UInt64) {
    let copy = host.withSnapshot { old -> Snapshot? in
      guard let old, var layout = FlagLayout(continuing: old) else { return nil }
      layout.setContext(fingerprint, spelling: spelling, owner: owner)
      layout.keepAll(of: old, but: nil)
      return layout.finish(count: old.flagCount)
    }
    if let copy { host.publish(copy, changed: []) }
  }

  private func restore(_ cached: CachedFlags) -> [FlagChange]? {
    var root = root
    root.isFromCache = true
    let owner = owner
    let outcome = change(cached.document) { table, text, old throws(FlagFailure) in
      try table.restore(text, in: root, owner: owner, over: old)
    }
    switch outcome {
    case .success(let changes):
      isServing = true
      return changes
    case .failure(let failure):
      host.log.warning("stored flags cannot be read: \(failure.reason)")
      return nil
    }
  }

  /// Changes the served flags (2.2).
  /// - Parameters:
  ///   - isWanted: asked when the message has been read.
  ///   - completion: what became of it, at once or later; not called for one that is not wanted.
  func apply(
    _ message: FlagMessage, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FlagOutcome) -> Void
  ) {
    host.scheduler.assertCurrent()
    switch message {
    case .put(let text, let tag): put(text, tag, isWanted, completion)
    case .patch(let text):
      completion(note(change(text) { table, text, old throws(FlagFailure) in try table.patch(text, of: old) }))
    case .delete(let text):
      completion(note(change(text) { table, text, old throws(FlagFailure) in try table.delete(text, of: old) }))
    }
  }

  private func change(
    _ text: [UInt8], _ body: (inout FlagTable, ByteView, Snapshot) throws(FlagFailure) -> FlagUpdate
  ) -> Result<[FlagChange], FlagFailure> {
    host.withSnapshot { table.change(by: text, over: $0, body) }.flatMap { serve($0) }
  }

  /// A whole set, before it is served.
  private struct Whole: Sendable {
    var table = FlagTable()
    var update = FlagUpdate()
  }

  private func put(
    _ text: [UInt8], _ entityTag: String?, _ wish: @escaping @Sendable () -> Bool,
    _ completion: @escaping @Sendable (FlagOutcome) -> Void
  ) {
    let (root, owner) = (root, owner)
    host.compiler.compile(bytes: text.count) { [host] in
      host.withPinnedSnapshot { old in
        var table = FlagTable()
        return table.change(by: text, over: old) { table, text, old throws(FlagFailure) in
          try table.put(text, in: root, owner: owner, over: old)
        }.map { Whole(table: table, update: $0) }
      }
    } completion: { [weak self] made in
      let isWanted = wish()
      if let self, isWanted, root.context == fingerprint, root.spelling == spelling {
        let outcome = made.flatMap { whole in
          table = whole.table
          return serve(whole.update)
        }
        return completion(note(outcome, entityTag))
      }
      if case .success(let whole) = made { whole.update.snapshot?.destroy() }
      // The context may have another spelling since.
      if isWanted { self?.put(text, entityTag, wish, completion) }
    }
  }

  /// What became of a message of the service's.
  private func note(_ outcome: Result<[FlagChange], FlagFailure>, _ entityTag: String? = nil) -> FlagOutcome {
    switch outcome {
    case .failure(let failure): return .refused(failure.reason)
    case .success(let changes):
      isServing = true
      if let entityTag { save(entityTag: entityTag) } else { saveSoon() }
      listener?.updated(changes)
      return .applied
    }
  }

  private func serve(_ update: FlagUpdate) -> Result<[FlagChange], FlagFailure> {
    let changed = update.changes.map(\.key.string)
    if let snapshot = update.snapshot { host.publish(snapshot, changed: changed) }
    let isOut = update.patch.map { host.publish($0, changed: changed) } ?? true
    return isOut ? .success(update.changes) : .failure(FlagFailure("memory has run out"))
  }

  /// The service confirms the served flags.
  func confirm() {
    if let key { cache.confirm(key, at: host.clock.unixMilliseconds) }
    listener?.updated([])
  }

  // MARK: The store

  private func saveSoon() {
    guard saving == nil else { return }
    let pause = SavePace.pauseMilliseconds(bytes: lastSize)
    saving = host.scheduler.schedule(afterMilliseconds: pause) { [weak self] in
      guard let self, self.saving != nil else { return }
      self.saving = nil
      self.save(entityTag: nil)
    }
  }

  private func saveNow() {
    guard let timer = saving else { return }
    timer.cancel()
    saving = nil
    save(entityTag: nil)
  }

  private func save(entityTag: String?) {
    guard let key else { return }
    saving?.cancel()
    saving = nil
    let document = host.withSnapshot { snapshot in
      snapshot.map { FlagListing.cacheDocument(of: $0, tombstones: table.tombstones) }
    }
    guard let document else { return }
    lastSize = document.count
    cache.save(key, document, entityTag: entityTag, at: host.clock.unixMilliseconds)
  }

  /// From here on unlisted keys are unknown flags; before, the client is not ready (4.2.1).
  func start() {
    host.scheduler.assertCurrent()
    if host.withSnapshot({ $0 == nil }) { serveNone() }
  }

  func stop() {
    host.scheduler.assertCurrent()
    saveNow()
  }

  func abandonAfterFork() {
    saving = nil
    cache.abandonAfterFork()
  }
}

extension FlagTable {
  /// - Parameter old: nil while nothing is served.
  fileprivate mutating func change(
    by text: [UInt8], over old: Snapshot?, _ body: (inout FlagTable, ByteView, Snapshot) throws(FlagFailure) -> FlagUpdate
  ) -> Result<FlagUpdate, FlagFailure> {
    let empty = old == nil ? FlagLayout(root: FlagsRoot(), expectedBytes: 0).finish(count: 0) : nil
    defer { empty?.destroy() }
    guard let old = old ?? empty else { return .failure(FlagFailure("memory has run out")) }
    return text.withBytes { text in
      Result { () throws(FlagFailure) in try body(&self, text, old) }
    }
  }
}

/// The whole set, for calls of any thread.
extension ProviderHost {
  /// Every flag's value as a JSON object (LD-25); nil while nothing is served.
  func allFlagValues() -> [UInt8]? { withPinnedSnapshot { $0.map { FlagListing.values(of: $0) } } }
}
