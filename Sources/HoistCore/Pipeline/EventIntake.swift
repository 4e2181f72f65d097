internal import CShims
internal import HoistBase
internal import Synchronization

/// Where records come in, from any thread: copied into raw memory under one short lock, without an
/// allocation per record, however many wait. The scheduler's thread takes them from there.
///
/// There is one stripe, with a lock of its own, as long as nobody is in anybody's way; a thread that
/// finds its stripe taken goes to another and stays there, up to `mostStripes`. Each record draws a
/// number of the whole intake while it is in a stripe, and records are taken in the order of their numbers:
/// those of one thread as they were made, and of two threads, the one whose call returned before the
/// other's began comes first.
///
/// It also keeps the account of everything in the pipeline, wherever it is, against the limits. Whoever has
/// all stripes has the exact account; in one stripe it is known whether there is plainly room.
final class EventIntake: @unchecked Sendable {
  /// What the scheduler's thread should do about a record.
  enum Need: Comparable {
    case nothing, soon, now
  }

  struct Answer {
    var isTaken: Bool
    var sequence: UInt64
    var need: Need
    /// The first record of an episode that found no room.
    var beginsEpisode: Bool
  }

  struct Limits {
    var rows: Int
    var bytes: Int
    var rowBytes: Int
    var dropsOldest: Bool
  }

  /// Changed by whoever has all stripes, read by whoever has one.
  struct State {
    var generation: UInt32
    /// From this number on a record may be one too many, or one to tell of.
    var plainEnd: Int64 = 0
    /// Of the oldest record in the stripes.
    var firstSequence: UInt64 = 0
    /// These four are what they were when the stripes were last had together.
    var nextSequence: UInt64 = 0
    /// Everything in the pipeline, what is in the stripes included.
    var totalRows = 0
    var totalBytes = 0
    var recorded = 0
    /// What of `totalBytes` is not in the stripes.
    var takenBytes = 0
    var isFull = false
    var dropped = 0
    /// The greatest need that was told since records were last taken.
    var told = Need.nothing
    /// Every record is told of at least like this.
    var leastNeed = Need.soon
    /// So many rows are worth a turn at once.
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
  /// Somebody has all stripes: who comes then waits, and makes no stripe of it.
  let isGathered = Atomic(false)

  /// Since records were last taken (`press`).
  let isPressed = Atomic(false)

  let commitLock = Lock()
  let commitNews = Condition()
  /// Guarded by `commitLock`.
  var commits = Commits()

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
  ///   - subject: may be a piece of `payload`, of the same memory: it is then kept once.
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
      return gathered { refuse() }
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
    return Answer(isTaken: true, sequence: number, need: .nothing, beginsEpisode: false)
  }

  /// A number for a record, with a stripe in hand; nil when a close look is needed.
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

  /// The same while nobody else records: the account is exact, and what is in the stripes may make room.
  @inline(never)
  private func appendClosely(
    _ size: Int, _ bytes: Int, _ generation: UInt32, _ append: (inout ChunkQueue, UInt64) -> Void
  ) -> Answer {
    gathered {
      if state.pointee.generation != generation { beginAnew(generation) }
      guard makeRoom(for: bytes), stripe(0).pointee.reserve(size) else { return refuse() }
      let number = state.pointee.nextSequence
      append(&stripe(0).pointee, number)
      state.pointee.nextSequence = number &+ 1
      state.pointee.totalRows += 1
      state.pointee.totalBytes += bytes
      state.pointee.recorded &+= 1
      return Answer(isTaken: true, sequence: number, need: tell(), beginsEpisode: false)
    }
  }

  private func tell() -> Need {
    var need = state.pointee.leastNeed
    let rows = state.pointee.totalRows
    if rows >= state.pointee.urgentRows || rows > limits.rows || state.pointee.totalBytes > limits.bytes { need = .now }
    guard need > state.pointee.told else { return .nothing }
    state.pointee.told = need
    return need
  }

  private func refuse() -> Answer {
    state.pointee.dropped &+= 1
    let isFirst = !state.pointee.isFull
    state.pointee.isFull = true
    return Answer(isTaken: false, sequence: 0, need: .nothing, beginsEpisode: isFirst)
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
    isPressed.store(false, ordering: .relaxed)
    change { $0 = Commits(attempted: old.nextSequence, committed: old.nextSequence) }
  }

  // MARK: The scheduler's side

  func with<Value>(_ body: (inout State) -> Value) -> Value { gathered { body(&state.pointee) } }

  /// Carried out when records are next taken, and so before any later one can reach the store. Any thread.
  /// - Returns: the number of the request, to wait for.
  func requestPurge(of subject: ByteKey, generation: UInt32) -> UInt64 {
    gathered {
      if state.pointee.generation != generation { beginAnew(generation) }
      state.pointee.purges.append(Purge(subject: subject, end: state.pointee.nextSequence))
      state.pointee.purgesAsked &+= 1
      return state.pointee.purgesAsked
    }
  }

  /// In a forked child: forgets the parent's records and their account.
  func abandon(generation: UInt32) {
    gathered { if state.pointee.generation != generation { beginAnew(generation) } }
  }

  /// Takes everything that has come in, oldest first.
  /// - Parameter purges: receives what is to be forgotten of it, and of what was taken before.
  /// - Returns: whether something of it must not wait for more (`press`).
  func take(_ purges: inout [Purge], _ body: (EventChunk.Record) -> Void) -> Bool {
    var wasPressed = false
    var queues: [ChunkQueue] = gathered {
      state.pointee.firstSequence = state.pointee.nextSequence
      state.pointee.takenBytes = state.pointee.totalBytes
      state.pointee.told = .nothing
      swap(&purges, &state.pointee.purges)
      wasPressed = isPressed.exchange(false, ordering: .acquiringAndReleasing)
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
    return wasPressed
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

  @inline(never)
  func countDropped(_ count: Int) { with { $0.dropped &+= count } }
}
