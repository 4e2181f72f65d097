internal import HoistBase
internal import HoistCore

/// Which contexts have been seen lately: others make an index event (server 7.2). Any thread.
///
/// A context that is known is found in a table of all threads, without a lock and without a write that other threads see
/// (`ContextSights`). That it was seen is noted in a line of memory that is hardly ever shared, and counts when the next one
/// comes that is not found: which contexts were seen last is known by the last few of each thread.
final class SeenContexts: @unchecked Sendable {
  struct Options: Sendable {
    var capacity = 1_000
    /// After which all are forgotten.
    var milliseconds: Int64 = 300_000
    var omitsAnonymous = false
  }

  /// What a context is to one event.
  struct Sighting {
    var kinds: ContextSight.Kinds
    /// It makes an index event.
    var isNew = false
  }

  private struct State {
    /// With the place among the sights.
    var seen: RecentTable<Int>
    /// Of several contexts in one, by their fingerprints: those take long to read.
    var sights: RecentTable<ContextSight>
    /// By their fingerprints.
    var descriptions: RecentTable<EventContext>
    var kinds = KindNames()
    var reused = 0
  }

  private static let mostDescriptions = 128
  private static let maximumDescribedBytes = 16 << 10

  let options: Options
  private let lock = Lock()
  private var state: State
  private let sights: ContextSights

  init(_ options: Options) {
    self.options = options
    state = State(
      seen: RecentTable(capacity: max(1, options.capacity)), sights: RecentTable(capacity: max(1, options.capacity)),
      descriptions: RecentTable(capacity: Self.mostDescriptions))
    sights = ContextSights(capacity: options.capacity)
  }

  /// An event of a context that is valid.
  @inline(__always)
  func see(_ context: FrozenContext) -> Sighting {
    guard let kinds = sights.kinds(of: context.fingerprint) else { return look(context) }
    return Sighting(kinds: kinds)
  }

  @inline(never)
  private func look(_ context: FrozenContext) -> Sighting {
    var single: (kind: ByteView, key: UInt64)?
    var whole: ContextSight?
    if let kind = context.singleKind {
      single = (kind, options.omitsAnonymous && context.isAnonymous ? 0 : context.qualifiedHash(kind))
    } else {
      whole = lock.withLock { state.sights.use(context.fingerprint) }
    }
    let parsed = single == nil && whole == nil ? try? LDContext.read(context) : nil
    return lock.withLock {
      let sight =
        whole ?? single.map { ContextSight(key: $0.key, kinds: state.kinds.bit(of: $0.kind)) }
        ?? parsed.map { read($0) } ?? ContextSight(key: 0, kinds: KindNames.other)
      if parsed != nil { state.sights.keep(context.fingerprint, sight) }
      return see(sight, context.fingerprint)
    }
  }

  /// With the lock.
  private func read(_ context: LDContext) -> ContextSight {
    let rest = options.omitsAnonymous ? context.withoutAnonymousParts : context
    let kinds = context.kinds.reduce(0) { bits, kind in bits | kind.withBytes { state.kinds.bit(of: $0) } }
    return ContextSight(key: rest.map { Hash64.hash($0.fullyQualifiedKey) } ?? 0, kinds: kinds)
  }

  /// With the lock.
  private func see(_ sight: ContextSight, _ fingerprint: UInt64) -> Sighting {
    let place = sights.remember(sight, of: fingerprint)
    guard sight.key != 0 else { return Sighting(kinds: sight.kinds) }
    sights.takeUses { _ = state.seen.use($0) }
    let former = state.seen.use(sight.key)
    if let former {
      state.reused &+= 1
      if former != place { sights.forget(sight.key, at: former) }
    }
    if let forgotten = state.seen.keep(sight.key, place) { sights.forget(forgotten.key, at: forgotten.value) }
    return Sighting(kinds: sight.kinds, isNew: former == nil)
  }

  /// How often a context was seen again, which saved an index event.
  var reused: Int {
    lock.withLock { state.reused } &+ sights.uses
  }

  /// - Returns: nil where not all of them have a name here.
  func names(of kinds: ContextSight.Kinds) -> [[UInt8]]? { lock.withLock { state.kinds.names(of: kinds) } }

  /// What events say of a context, made once for several events; nil for one that is not valid.
  func description(of context: FrozenContext, _ redaction: Redaction) -> EventContext? {
    if let known = lock.withLock({ state.descriptions.use(context.fingerprint) }) { return known }
    guard let made = try? LDContext.read(context) else { return nil }
    let description = EventContext(made, redaction)
    if description.json.count < Self.maximumDescribedBytes {
      lock.withLock { _ = state.descriptions.keep(context.fingerprint, description) }
    }
    return description
  }

  /// The next event of each context makes an index event again.
  func forget() {
    lock.withLock {
      state.seen.removeAll()
      state.sights.removeAll()
      state.descriptions.removeAll()
      sights.forgetAll()
    }
  }
}
