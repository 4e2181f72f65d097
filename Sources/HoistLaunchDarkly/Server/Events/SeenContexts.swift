internal import CShims
internal import HoistBase
internal import HoistCore
internal import Synchronization

/// Which contexts have been seen lately: others make an index event (server 7.2). Any thread.
///
/// A thread that evaluates for the context that it evaluated for before finds that in a line of memory that is hardly
/// ever shared, without a lock. Where threads take turns in seeing a context, which of two was seen last is known no
/// better than that.
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
    var seen: RecentTable<Void>
    /// Of several contexts in one, by their fingerprints: those take long to read.
    var sights: RecentTable<ContextSight>
    /// By their fingerprints.
    var descriptions: RecentTable<EventContext>
    var kinds = KindNames()
    var reused = 0
  }

  /// Adjacent cache lines are fetched together.
  private static let lineWords = 16
  private static let lineCount = 32
  private static let mostDescriptions = 128
  private static let maximumDescribedBytes = 16 << 10

  let options: Options
  private let lock = Lock()
  private var state: State
  /// Counts how often a context was forgotten, from 1: what threads remember is worth nothing then.
  private let age = Atomic<UInt64>(1)
  /// Of each line: fingerprint of a context, mixed with the next; age, kinds and whether nothing is left of it; how often
  /// it was seen again. Mixed, so that what two threads have written of each other's is taken for no context.
  private let lines: UnsafeMutablePointer<Int64>
  private static let nothingLeft: UInt64 = 1 << 15

  init(_ options: Options) {
    self.options = options
    state = State(
      seen: RecentTable(capacity: max(1, options.capacity)), sights: RecentTable(capacity: max(1, options.capacity)),
      descriptions: RecentTable(capacity: Self.mostDescriptions))
    lines = UnsafeMutableRawPointer.allocate(byteCount: Self.lineCount * Self.lineWords * 8, alignment: 128)
      .initializeMemory(as: Int64.self, repeating: 0, count: Self.lineCount * Self.lineWords)
  }

  deinit { lines.deallocate() }

  /// An event of a context that is valid.
  @inline(__always)
  func see(_ context: FrozenContext) -> Sighting {
    let slot = shim_enter()
    let line = lines + Int((UInt64(UInt(bitPattern: slot)) &* 0x9E37_79B9_7F4A_7C15) &>> 59) * Self.lineWords
    shim_leave(slot)
    let memory = UInt64(bitPattern: shim_load_i64(line + 1))
    let isKnown = UInt64(bitPattern: shim_load_i64(line)) ^ memory == context.fingerprint
    guard isKnown, memory >> 16 == age.load(ordering: .relaxed) else { return look(context, line) }
    if memory & Self.nothingLeft == 0 { _ = shim_add_i64(line + 2, 1) }
    return Sighting(kinds: ContextSight.Kinds(truncatingIfNeeded: memory & (Self.nothingLeft - 1)))
  }

  @inline(never)
  private func look(_ context: FrozenContext, _ line: UnsafeMutablePointer<Int64>) -> Sighting {
    var single: (kind: ByteView, key: UInt64)?
    var whole: ContextSight?
    if let kind = context.singleKind {
      single = (kind, options.omitsAnonymous && context.isAnonymous ? 0 : context.qualifiedHash(kind))
    } else {
      whole = lock.withLock { state.sights.use(context.fingerprint) }
    }
    let parsed = single == nil && whole == nil ? try? LDContext.read(context) : nil
    return lock.withLock {
      let sight = whole ?? single.map { ContextSight(key: $0.key, kinds: state.kinds.bit(of: $0.kind)) }
        ?? parsed.map { read($0) } ?? ContextSight(key: 0, kinds: KindNames.other)
      if parsed != nil { state.sights.keep(context.fingerprint, sight) }
      let sighting = see(sight)
      let memory = age.load(ordering: .relaxed) << 16 | UInt64(sight.kinds) | (sight.key == 0 ? Self.nothingLeft : 0)
      shim_store_i64(line, Int64(bitPattern: context.fingerprint ^ memory))
      shim_store_i64(line + 1, Int64(bitPattern: memory))
      return sighting
    }
  }

  /// With the lock.
  private func read(_ context: LDContext) -> ContextSight {
    let rest = options.omitsAnonymous ? context.withoutAnonymousParts : context
    let kinds = context.kinds.reduce(0) { bits, kind in bits | kind.withBytes { state.kinds.bit(of: $0) } }
    return ContextSight(key: rest.map { Hash64.hash($0.fullyQualifiedKey) } ?? 0, kinds: kinds)
  }

  /// With the lock.
  private func see(_ sight: ContextSight) -> Sighting {
    guard sight.key != 0 else { return Sighting(kinds: sight.kinds) }
    if state.seen.use(sight.key) != nil {
      state.reused &+= 1
      return Sighting(kinds: sight.kinds)
    }
    if state.seen.keep(sight.key, ()) { age.wrappingAdd(1, ordering: .relaxed) }
    return Sighting(kinds: sight.kinds, isNew: true)
  }

  /// How often a context was seen again, which saved an index event.
  var reused: Int {
    let counted = stride(from: 2, to: Self.lineCount * Self.lineWords, by: Self.lineWords).reduce(0) { $0 &+ shim_load_i64(lines + $1) }
    return lock.withLock { state.reused } &+ Int(counted)
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
      age.wrappingAdd(1, ordering: .relaxed)
    }
  }
}
