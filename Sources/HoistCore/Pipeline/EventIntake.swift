internal import CShims
internal import HoistBase
internal import Synchronization

/// Accepts records from any thread: copied into raw memory under one short lock, without an allocation per record. The
/// scheduler's thread drains them.
///
/// There is one stripe, with its own lock, until there is contention; a thread that finds its stripe locked moves to
/// another and stays there, up to `mostStripes`. Each record draws a number of the whole intake while it is in a
/// stripe, and records are taken in the order of their numbers: those of one thread as they were made, and of two
/// threads, the one whose call returned before the other's began comes first.
///
/// It also counts everything in the pipeline against the limits. The holder of all stripes knows the exact count; in
/// one stripe it is only known whether there is certainly room.
final class EventIntake: @unchecked Sendable {
  /// How soon a record needs a turn of the pipeline.
  enum WakePriority: Comparable {
    case none, soon, now
  }

  struct Answer {
    var isTaken: Bool
    var sequence: UInt64
    var priority: WakePriority
    /// The first record of an episode that found no room.
    var beginsEpisode: Bool
  }

  struct Limits {
    var rows: Int
    var bytes: Int
    var rowBytes: Int
    var dropsOldest: Bool
  }

  /// Changed by the holder of all stripes, read by the holder of one.
  struct State {
    var generation: UInt32
    /// From this number on a record may exceed the limit, or reach the warning level.
    var plainEnd: Int64 = 0
    /// Of the oldest record in the stripes.
    var firstSequence: UInt64 = 0
    /// These four are exact as of the last time that all stripes were locked.
    var nextSequence: UInt64 = 0
    /// Everything in the pipeline, what is in the stripes included.
    var totalRows = 0
    var totalBytes = 0
    var recorded = 0
    /// What of `totalBytes` is not in the stripes.
    var takenBytes = 0
    var isFull = false
    /// Records that wait for consent found no room since one last left it.
    var isAsideFull = false
    var dropped = 0
    /// The highest priority that was asked for since records were last taken.
    var told = WakePriority.none
    /// The least wake priority of a record.
    var leastPriority = WakePriority.soon
    /// From this many rows on a turn runs at once.
    var urgentRows = Int.max
    /// Asked for since records were last taken.
    var purges: [Purge] = []
    /// Purges that were asked for.
    var purgesAsked: UInt64 = 0
  }

  /// What was recorded about a subject is to be forgotten.
  struct Purge {
    var subject: ByteKey
    /// Records from this number on were made after the request and stay.
    var end: UInt64
  }

  static let mostStripes = 8
  /// Adjacent cache lines are fetched together.
  static let lineBytes = 128

  let limits: Limits
  /// Raw, for this is the hot path: a class's property would be checked at each access.
  let state: UnsafeMutablePointer<State>
  /// Each on cache lines of its own, guarded by the lock at the same place.
  private let stripes: UnsafeMutableRawPointer
  /// In the registry that a fork takes whole, like every `Lock`; bare, for they are taken and left singly and together.
  let locks: UnsafeMutablePointer<OpaquePointer>
  /// What every record changes, in whichever stripe: the next number and `State.totalBytes`. Atomic, on one cache line.
  let next: UnsafeMutablePointer<Int64>
  let bytes: UnsafeMutablePointer<Int64>
  let stripeCount = Atomic(1)
  /// A thread holds all stripes: others wait then, and do not add a stripe.
  let isTakenWhole = Atomic(false)

  /// A record must not wait for a group, since records were last taken (`askToStoreNow`).
  let storesNow = Atomic(false)

  let progress = StoreProgress()
  /// Behind the last record that is in no journal, with immediate durability (`RecordOrder`).
  private let loose = Atomic<UInt64>(0)

  init(limits: Limits, generation: UInt32) {
    self.limits = limits
    func lines(_ bytes: Int) -> UnsafeMutableRawPointer {
      .allocate(byteCount: bytes, alignment: Self.lineBytes)
    }
    state = lines(MemoryLayout<State>.size).initializeMemory(as: State.self, to: State(generation: generation))
    next = lines(Self.lineBytes).initializeMemory(as: Int64.self, repeating: 0, count: 2)
    bytes = next + 1
    stripes = lines(Self.mostStripes * Self.lineBytes)
    locks = .allocate(capacity: Self.mostStripes)
    makeStripe(0)
  }

  deinit {
    for index in 0..<stripeCount.load(ordering: .acquiring) {
      stripe(index).pointee.freeAll()
      stripe(index).deinitialize(count: 1)
      shim_lock_free(locks[index])
    }
    stripes.deallocate()
    locks.deallocate()
    next.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  @inline(__always)
  func stripe(_ place: Int) -> UnsafeMutablePointer<ChunkQueue> {
    (stripes + place * Self.lineBytes).assumingMemoryBound(to: ChunkQueue.self)
  }

  func makeStripe(_ place: Int) {
    stripe(place).initialize(to: ChunkQueue())
    locks[place] = shim_lock_new()
  }

  // MARK: Recording

  /// - Parameters:
  ///   - subject: may be a piece of `payload`, of the same memory: it is then stored once.
  ///   - tail: the second part of the payload.
  func append(
    created: Int64, subject: ByteView, payload: ByteView, tail: ByteView = ByteView(start: nil, count: 0), generation: UInt32
  ) -> Answer {
    let payloadBytes = payload.count + tail.count
    let bytes = subject.count + payloadBytes
    let subjectPlace = payload.place(of: subject)
    guard payloadBytes <= limits.rowBytes,
      let size = EventChunk.bytes(subject: subjectPlace == nil ? subject.count : 0, payload: payloadBytes)
    else {
      return withAllStripes { refuse() }
    }
    let place = enter()
    guard state.pointee.generation == generation, stripe(place).pointee.reserve(size), let number = draw(bytes) else {
      shim_lock_unlock(locks[place])
      return appendClosely(size, bytes, generation) {
        $0.append(
          number: $1, size: size, created: created, subject: subject, place: subjectPlace, payload: payload, tail: tail)
      }
    }
    stripe(place).pointee.append(
      number: number, size: size, created: created, subject: subject, place: subjectPlace, payload: payload, tail: tail)
    shim_lock_unlock(locks[place])
    return Answer(isTaken: true, sequence: number, priority: .none, beginsEpisode: false)
  }

  /// A number for a record, with one stripe locked; nil when the exact check is needed.
  @inline(__always)
  private func draw(_ size: Int) -> UInt64? {
    if stripeCount.load(ordering: .relaxed) == 1 {
      let (number, total) = (shim_load_i64(next), shim_load_i64(bytes) &+ Int64(size))
      guard number < state.pointee.plainEnd, total <= limits.bytes else { return nil }
      shim_store_i64(next, number &+ 1)
      shim_store_i64(bytes, total)
      return UInt64(bitPattern: number)
    }
    // As many may be here at once as there are stripes, which `plainEnd` allows for.
    guard shim_add_i64(bytes, Int64(size)) &+ Int64(size) <= limits.bytes, shim_load_i64(next) < state.pointee.plainEnd else {
      _ = shim_add_i64(bytes, -Int64(size))
      return nil
    }
    return UInt64(bitPattern: shim_add_i64(next, 1))
  }

  /// The same while no other thread records: the count is exact, and records in the stripes may be dropped for room.
  @inline(never)
  private func appendClosely(
    _ size: Int, _ bytes: Int, _ generation: UInt32, _ append: (inout ChunkQueue, UInt64) -> Void
  ) -> Answer {
    withAllStripes {
      if state.pointee.generation != generation { beginAnew(generation) }
      guard makeRoom(for: bytes), stripe(0).pointee.reserve(size) else { return refuse() }
      let number = state.pointee.nextSequence
      append(&stripe(0).pointee, number)
      state.pointee.nextSequence = number &+ 1
      state.pointee.totalRows += 1
      state.pointee.totalBytes += bytes
      state.pointee.recorded &+= 1
      return Answer(isTaken: true, sequence: number, priority: raisePriority(), beginsEpisode: false)
    }
  }

  private func raisePriority() -> WakePriority {
    var priority = state.pointee.leastPriority
    let rows = state.pointee.totalRows
    if rows >= state.pointee.urgentRows || rows > limits.rows || state.pointee.totalBytes > limits.bytes { priority = .now }
    guard priority > state.pointee.told else { return .none }
    state.pointee.told = priority
    return priority
  }

  private func refuse() -> Answer {
    state.pointee.dropped &+= 1
    let isFirst = !state.pointee.isFull
    state.pointee.isFull = true
    return Answer(isTaken: false, sequence: 0, priority: .none, beginsEpisode: isFirst)
  }

  /// Whether a record may come in. Where the oldest gives way, those in the stripes go here; older ones
  /// go at the turn that the excess asks for.
  private func makeRoom(for bytes: Int) -> Bool {
    guard state.pointee.totalRows >= limits.rows || state.pointee.totalBytes + bytes > limits.bytes else { return true }
    guard limits.dropsOldest, limits.rows > 0, bytes <= limits.bytes else { return false }
    while Int(truncatingIfNeeded: state.pointee.nextSequence &- state.pointee.firstSequence) >= limits.rows
      || state.pointee.totalBytes - state.pointee.takenBytes + bytes > limits.bytes
    {
      let place = ChunkQueue.oldest(of: stripeCount.load(ordering: .relaxed)) { stripe($0).pointee.firstNumber }
      guard let place, let oldest = stripe(place).pointee.popFirst() else { break }
      state.pointee.firstSequence = oldest.number &+ 1
      state.pointee.totalRows -= 1
      state.pointee.totalBytes -= oldest.subject.count + oldest.payload.count
      state.pointee.dropped &+= 1
    }
    return true
  }

  private func beginAnew(_ generation: UInt32) {
    for index in 0..<stripeCount.load(ordering: .relaxed) { stripe(index).pointee.free() }
    let old = state.pointee
    state.pointee = State(generation: generation)
    (state.pointee.recorded, state.pointee.dropped) = (old.recorded, old.dropped)
    // Sequences go on, so that a record of the parent's is never taken for one of the child's.
    state.pointee.firstSequence = old.nextSequence
    state.pointee.nextSequence = old.nextSequence
    storesNow.store(false, ordering: .relaxed)
    progress.restart(at: old.nextSequence)
  }

  /// What was recorded so far is to be stored without waiting for more.
  /// - Returns: whether a turn has to be asked for.
  func askToStoreNow() -> Bool { !storesNow.exchange(true, ordering: .acquiringAndReleasing) }

  /// A record is in no journal. Before its caller returns.
  func noteLoose(_ sequence: UInt64) { loose.max(sequence &+ 1, ordering: .releasing) }
  var looseEnd: UInt64 { loose.load(ordering: .acquiring) }
  /// Whether the store may lack records of that kind.
  var hasLoose: Bool { looseEnd > progress.committedBelow }

  // MARK: The scheduler's side

  func with<Value>(_ body: (inout State) -> Value) -> Value { withAllStripes { body(&state.pointee) } }

  /// Carried out when records are next taken, and so before any later one can reach the store. Any thread.
  /// - Returns: the number of the request, to wait for.
  func requestPurge(of subject: ByteKey, generation: UInt32) -> UInt64 {
    withAllStripes {
      if state.pointee.generation != generation { beginAnew(generation) }
      state.pointee.purges.append(Purge(subject: subject, end: state.pointee.nextSequence))
      state.pointee.purgesAsked &+= 1
      return state.pointee.purgesAsked
    }
  }

  /// In a forked child: forgets the parent's records and their account.
  func abandon(generation: UInt32) {
    withAllStripes { if state.pointee.generation != generation { beginAnew(generation) } }
  }

  /// Drains all records, oldest first.
  /// - Parameter purges: receives the purges, which apply to these records and to earlier ones.
  /// - Returns: whether a record must be stored at once (`askToStoreNow`).
  func drain(_ purges: inout [Purge], _ body: (EventChunk.Record) -> Void) -> Bool {
    var mustStore = false
    var queues: [ChunkQueue] = withAllStripes {
      state.pointee.firstSequence = state.pointee.nextSequence
      state.pointee.takenBytes = state.pointee.totalBytes
      state.pointee.told = .none
      swap(&purges, &state.pointee.purges)
      mustStore = storesNow.exchange(false, ordering: .acquiringAndReleasing)
      return (0..<stripeCount.load(ordering: .relaxed)).map { stripe($0).pointee.takeAll() }
    }
    while let place = ChunkQueue.oldest(of: queues.count, { queues[$0].firstNumber }), let record = queues[place].popFirst() {
      body(record)
    }
    for place in queues.indices {
      guard let chunk = queues[place].end() else { continue }
      shim_lock_lock(locks[place])
      stripe(place).pointee.keep(chunk)
      shim_lock_unlock(locks[place])
    }
    return mustStore
  }

  /// Rows have come (adopted from the store) or left. An episode of fullness is over when a quarter is free.
  @inline(never)
  func account(rows: Int, bytes: Int) {
    with {
      $0.totalRows += rows
      $0.totalBytes += bytes
      $0.takenBytes += bytes
      if $0.totalRows <= limits.rows / 4 * 3, $0.totalBytes <= limits.bytes / 4 * 3 { $0.isFull = false }
    }
  }

  /// A record that did not come in here.
  @inline(never)
  func countRecorded() { with { $0.recorded &+= 1 } }

  @inline(never)
  func countDropped(_ count: Int) { with { $0.dropped &+= count } }
}
