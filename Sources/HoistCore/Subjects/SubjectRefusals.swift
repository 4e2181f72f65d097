internal import HoistBase
internal import Synchronization

/// Who has refused: remembered here, looked for in the store before something of a person goes, and purged out of the
/// pipelines. Agreeing again undoes none of it. Thread-safe.
public final class SubjectRefusals: Sendable {
  private struct Governed {
    weak var pipeline: EventPipeline?
  }

  private struct State {
    var refused = NotedSubjects()
    /// Of each look into the store that is under way: who has agreed since it began.
    var agreed: [UInt64: Set<[UInt8]>] = [:]
    var lastLook: UInt64 = 0
    /// In which process those looks began.
    var generation = ForkGeneration.current
    var pipelines: [Governed] = []
    var heard: @Sendable ([[UInt8]]) -> Void = { _ in }
    var held: @Sendable () -> [[UInt8]] = { [] }
    /// Looks for everyone.
    var rounds = Rounds()
  }

  private let store: Store?
  private let isRefusal: @Sendable ([UInt8]) -> Bool
  private let state = LockedValue(State())
  /// Costs nothing to ask.
  private let hasAny = Atomic(false)

  /// - Parameters:
  ///   - store: what is kept in it under `PersonKey` may be a refusal of another client or process; nil where nothing is.
  ///   - isRefusal: whether bytes are one.
  public init(store: Store?, isRefusal: @escaping @Sendable ([UInt8]) -> Bool) {
    self.store = store
    self.isRefusal = isRefusal
  }

  /// These record of people: their subjects are the people's ids. They are purged in this order.
  /// - Parameters:
  ///   - held: who is in memory: of whom an announced refusal counts at once. On the scheduler's thread.
  ///   - heard: told who has refused elsewhere, before what is recorded of them is purged. On the scheduler's thread.
  public func govern(
    _ pipelines: [EventPipeline], held: @escaping @Sendable () -> [[UInt8]] = { [] },
    heard: @escaping @Sendable ([[UInt8]]) -> Void = { _ in }
  ) {
    state.withLock { ($0.pipelines, $0.held, $0.heard) = (pipelines.map { Governed(pipeline: $0) }, held, heard) }
  }

  /// Hears of refusals from now on, where the store tells of them. After each start.
  public func start() { store?.hear(self) }

  private var pipelines: [EventPipeline] { state.withLock { $0.pipelines }.compactMap(\.pipeline) }

  // MARK: Who has refused

  public func note(_ id: [UInt8], isRefusal: Bool) {
    if !isRefusal, !hasAny.load(ordering: .acquiring) { return }
    change { state in
      if isRefusal { return state.refused.insert(id) }
      state.refused.remove(id)
      for look in state.agreed.keys { state.agreed[look]?.insert(id) }
    }
  }

  public func contains(_ id: [UInt8]) -> Bool {
    hasAny.load(ordering: .acquiring) && state.withLock { $0.refused.contains(id) }
  }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      // Looks of the process this one was forked from do not end here.
      if state.generation != ForkGeneration.current { (state.generation, state.agreed) = (ForkGeneration.current, [:]) }
      defer { hasAny.store(!state.refused.isEmpty || !state.agreed.isEmpty, ordering: .releasing) }
      return body(&state)
    }
  }

  // MARK: What goes with it

  /// Everything of a person goes out of every pipeline, what is on its way included, as far as it can still be stopped.
  /// - Parameters:
  ///   - ids: all under which something may have been recorded.
  ///   - deadline: until when the call may wait for the store, so that what is recorded afterwards is stored after that.
  ///   - waitsForLast: whether it waits for the last pipeline, too: what is recorded there next follows its purge anyway.
  public func purge(_ ids: [[UInt8]], waitsForStoreUntil deadline: Int64? = nil, waitsForLast: Bool = true) {
    let pipelines = pipelines
    for (place, pipeline) in pipelines.enumerated() {
      let waits = waitsForLast || place < pipelines.count - 1
      for (index, id) in ids.enumerated() {
        // Purges are carried out in their order: the last one is waited for.
        let isLast = index == ids.count - 1
        pipeline.purge(
          subject: String(decoding: id, as: UTF8.self), waitsForStoreUntil: waits && isLast ? deadline : nil)
      }
    }
  }

  /// Looks into the store before a batch goes, and purges those of whom another client or process has stored a refusal, unless
  /// they agree meanwhile. On the scheduler's thread.
  /// - Parameter completion: on that thread, too, when the data of visitors that refused is removed; false where it is not
  ///   known who has refused: the batch may not go now.
  public func check(_ batch: EventBatch, completion: @escaping @Sendable (_ isKnown: Bool) -> Void) {
    look(for: Set(batch.rows.lazy.map(\.subject).filter { !$0.isEmpty }.map { Array($0.utf8) }), completion: completion)
  }

  private func look(for subjects: Set<[UInt8]>, completion: @escaping @Sendable (_ isKnown: Bool) -> Void) {
    guard let store, store.keepsValues, !subjects.isEmpty else { return completion(true) }
    let isRefusal = isRefusal
    let look = change { state in
      state.lastLook &+= 1
      state.agreed[state.lastLook] = []
      return state.lastLook
    }
    store.findRefusals(among: subjects.map { (PersonKey.make($0), $0) }) {
      isRefusal($1)
    } completion: { [self] found, isKnown in
      let (refused, heard) = change { state in
        let agreed = state.agreed.removeValue(forKey: look) ?? []
        let refused = found.filter { !agreed.contains($0) }
        for id in refused { state.refused.insert(id) }
        return (refused, state.heard)
      }
      if !refused.isEmpty {
        heard(refused)
        purge(refused)
        // Out of batches, too, when this returns.
        for pipeline in pipelines { pipeline.discard { _ in false } }
      }
      completion(isKnown)
    }
  }
}

extension SubjectRefusals: StoreListener {
  /// One who is in memory, or of whom something waits, may have refused; of all others that is looked for before something goes.
  public func storeChanged(_ keys: [String]?) {
    let named = keys.map { Set($0.compactMap { PersonKey.id($0) }) }
    if named?.isEmpty == true { return }
    guard named != nil || change({ $0.rounds.begin() }) else { return }
    func isMeant(_ id: [UInt8]) -> Bool { named?.contains(id) ?? true && !contains(id) }
    var known = Set(state.withLock { $0.held }().filter(isMeant))
    for pipeline in pipelines {
      pipeline.forEachWaiting { row in
        let id = Array(row.subject.utf8)
        if !id.isEmpty, isMeant(id) { known.insert(id) }
      }
    }
    look(for: known) { [self] _ in
      if named == nil, change({ $0.rounds.end() }) { storeChanged(nil) }
    }
  }
}

extension Store {
  /// Of whom others have stored a refusal.
  /// - Parameters:
  ///   - people: each with the key under which they are kept.
  ///   - isRefusal: whether what is kept of one says so, and that is news; on the store's lane.
  ///   - completion: on the scheduler's thread; of no more than some where the store cannot be asked, and others may have
  ///     written to it. It is looked for again then (`noteLook`).
  public func findRefusals<Person: Sendable>(
    among people: [(key: String, person: Person)],
    isRefusal: @escaping @Sendable (_ person: Person, _ kept: [UInt8]) -> Bool,
    completion: @escaping @Sendable (_ found: [Person], _ isKnown: Bool) -> Void
  ) {
    findRefusals(among: people[...], [], isRefusal: isRefusal, completion: completion)
  }

  /// A call of the store looks for so many, so that others' need not wait for long.
  private static var peopleAtOnce: Int { 256 }

  private func findRefusals<Person: Sendable>(
    among people: ArraySlice<(key: String, person: Person)>, _ found: [Person],
    isRefusal: @escaping @Sendable (_ person: Person, _ kept: [UInt8]) -> Bool,
    completion: @escaping @Sendable (_ found: [Person], _ isKnown: Bool) -> Void
  ) {
    let asked = Array(people.prefix(Self.peopleAtOnce))
    let refused = LockedValue(found)
    readEach(asked.map(\.key)) { place, kept in
      let person = asked[place].person
      if let kept, isRefusal(person, kept) { refused.withLock { $0.append(person) } }
    } completion: { [self] isWhole in
      let refused = refused.withLock { $0 }
      guard isWhole || manager?.isReachedByOthers != true || isOff else {
        noteLook(isWhole: false)
        return completion(refused, false)
      }
      let left = people.dropFirst(asked.count)
      if left.isEmpty {
        // Not sooner: what fails behind the first may go on failing, and its pause is to grow.
        noteLook(isWhole: true)
        return completion(refused, true)
      }
      findRefusals(among: left, refused, isRefusal: isRefusal, completion: completion)
    }
  }
}
