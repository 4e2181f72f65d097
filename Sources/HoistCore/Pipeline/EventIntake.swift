internal import HoistBase

/// Where records come in, from any thread: copied into raw memory under one short lock, without an
/// allocation per record, however many wait. The scheduler's thread takes them from there.
///
/// It also keeps the account of everything in the pipeline, wherever it is, against the limits.
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

  struct State {
    var chunks: [EventChunk] = []
    var spare: EventChunk?
    /// Of the oldest record in the chunks.
    var firstSequence: UInt64 = 0
    var nextSequence: UInt64 = 0
    /// Payload and subjects in the chunks.
    var bytes = 0
    /// Everything in the pipeline, what is in the chunks included.
    var totalRows = 0
    var totalBytes = 0
    var isFull = false
    var recorded = 0
    var dropped = 0
    var generation: UInt32
    /// The greatest need that was told since records were last taken.
    var told = Need.nothing
    /// Every record is told of at least like this.
    var leastNeed = Need.soon
    /// So many rows are worth a turn at once.
    var urgentRows = Int.max
    /// Records below this have been given to the store, those below `committed` with success.
    var attempted: UInt64 = 0
    var committed: UInt64 = 0
    /// Asked for since records were last taken.
    var purges: [Purge] = []
    /// Purges that were asked for, and how many of them, from the first, the store knows of.
    var purgesAsked: UInt64 = 0
    var purgesTold: UInt64 = 0

    var count: Int { Int(truncatingIfNeeded: nextSequence &- firstSequence) }
  }

  /// What was recorded about a subject is to be forgotten.
  struct Purge {
    var subject: ByteKey
    /// Records from this number on were made after the request and stay.
    var end: UInt64
  }

  let limits: Limits
  private let lock = Lock()
  private let attempt = Condition()
  /// Guarded by `lock`. Raw, for it is the hot path: a class's property would be checked at each access.
  private let state: UnsafeMutablePointer<State>

  init(limits: Limits, generation: UInt32) {
    self.limits = limits
    state = .allocate(capacity: 1)
    state.initialize(to: State(generation: generation))
  }

  deinit {
    for chunk in state.pointee.chunks { chunk.free() }
    state.pointee.spare?.free()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// - Parameter tail: the second part of the payload.
  func append(
    created: Int64, subject: ByteView, payload: ByteView, tail: ByteView = ByteView(start: nil, count: 0), generation: UInt32
  ) -> Answer {
    lock.withLock {
      if state.pointee.generation != generation { beginAnew(generation) }
      let payloadBytes = payload.count + tail.count
      let bytes = subject.count + payloadBytes
      guard payloadBytes <= limits.rowBytes,
        let size = EventChunk.bytes(subject: subject.count, payload: payloadBytes),
        makeRoom(for: bytes), reserve(size)
      else { return refuse() }
      let last = state.pointee.chunks.count - 1
      state.pointee.chunks[last].append(
        size: size, created: created, subject: subject, payload: payload, tail: tail)
      let sequence = state.pointee.nextSequence
      state.pointee.nextSequence = sequence &+ 1
      state.pointee.bytes += bytes
      state.pointee.totalRows += 1
      state.pointee.totalBytes += bytes
      state.pointee.recorded &+= 1
      return Answer(isTaken: true, sequence: sequence, need: tell(), beginsEpisode: false)
    }
  }

  /// Carried out when records are next taken, and so before any later one can reach the store.
  /// - Returns: the number of the request, to wait for.
  func requestPurge(of subject: ByteKey, generation: UInt32) -> UInt64 {
    lock.withLock {
      if state.pointee.generation != generation { beginAnew(generation) }
      state.pointee.purges.append(Purge(subject: subject, end: state.pointee.nextSequence))
      state.pointee.purgesAsked &+= 1
      return state.pointee.purgesAsked
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

  /// Whether a record may come in. Where the oldest gives way, those in the chunks go here; older ones
  /// go at the turn that the excess asks for.
  private func makeRoom(for bytes: Int) -> Bool {
    guard state.pointee.totalRows >= limits.rows || state.pointee.totalBytes + bytes > limits.bytes else { return true }
    guard limits.dropsOldest, limits.rows > 0, bytes <= limits.bytes else { return false }
    while state.pointee.count >= limits.rows || state.pointee.bytes + bytes > limits.bytes {
      guard let oldest = popFirst() else { break }
      let size = oldest.subject.count + oldest.payload.count
      state.pointee.totalRows -= 1
      state.pointee.totalBytes -= size
      state.pointee.dropped &+= 1
    }
    return true
  }

  private func popFirst() -> EventChunk.Record? {
    while let first = state.pointee.chunks.first, first.isEmpty, state.pointee.chunks.count > 1 {
      state.pointee.chunks.removeFirst().free()
    }
    guard !state.pointee.chunks.isEmpty, let record = state.pointee.chunks[0].popFirst() else { return nil }
    state.pointee.firstSequence &+= 1
    state.pointee.bytes -= record.subject.count + record.payload.count
    return record
  }

  private func reserve(_ size: Int) -> Bool {
    if let last = state.pointee.chunks.last, last.capacity - last.used >= size { return true }
    if let spare = state.pointee.spare, spare.capacity >= size {
      state.pointee.spare = nil
      state.pointee.chunks.append(spare)
      return true
    }
    guard let new = EventChunk(atLeast: size) else { return false }
    state.pointee.chunks.append(new)
    return true
  }

  private func beginAnew(_ generation: UInt32) {
    for chunk in state.pointee.chunks { chunk.free() }
    let old = state.pointee
    state.pointee = State(generation: generation)
    state.pointee.spare = old.spare
    (state.pointee.recorded, state.pointee.dropped) = (old.recorded, old.dropped)
    // Sequences go on, so that a record of the parent's is never taken for one of the child's.
    state.pointee.firstSequence = old.nextSequence
    state.pointee.nextSequence = old.nextSequence
    (state.pointee.attempted, state.pointee.committed) = (old.nextSequence, old.nextSequence)
  }

  // MARK: The scheduler's side

  func with<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state.pointee) } }

  /// In a forked child: forgets the parent's records and their account.
  func abandon(generation: UInt32) {
    lock.withLock { if state.pointee.generation != generation { beginAnew(generation) } }
  }

  /// Takes everything that has come in, oldest first.
  /// - Parameter purges: receives what is to be forgotten of it, and of what was taken before.
  func take(_ purges: inout [Purge], _ body: (UInt64, EventChunk.Record) -> Void) {
    var (chunks, first) = lock.withLock {
      defer {
        state.pointee.chunks = []
        state.pointee.firstSequence = state.pointee.nextSequence
        state.pointee.bytes = 0
        state.pointee.told = .nothing
      }
      swap(&purges, &state.pointee.purges)
      return (state.pointee.chunks, state.pointee.firstSequence)
    }
    for index in chunks.indices {
      while let record = chunks[index].popFirst() {
        body(first, record)
        first &+= 1
      }
    }
    giveBack(chunks)
  }

  private func giveBack(_ chunks: [EventChunk]) {
    var chunks = chunks
    if var spare = chunks.popLast() {
      spare.empty()
      let isKept = lock.withLock {
        guard state.pointee.spare == nil, spare.capacity == EventChunk.standardBytes else { return false }
        state.pointee.spare = spare
        return true
      }
      if !isKept { spare.free() }
    }
    for chunk in chunks { chunk.free() }
  }

  /// Rows have come (adopted from the store) or left. An episode of fullness is over when a quarter is free.
  func account(rows: Int, bytes: Int) {
    lock.withLock {
      state.pointee.totalRows += rows
      state.pointee.totalBytes += bytes
      if state.pointee.totalRows <= limits.rows / 4 * 3, state.pointee.totalBytes <= limits.bytes / 4 * 3 {
        state.pointee.isFull = false
      }
    }
  }

  func countDropped(_ count: Int) { lock.withLock { state.pointee.dropped &+= count } }

  // MARK: Commits

  /// Records below `sequence` have been given to the store or have left the pipeline.
  func attempted(below sequence: UInt64, committed: Bool) {
    lock.withLock {
      state.pointee.attempted = max(state.pointee.attempted, sequence)
      if committed { state.pointee.committed = max(state.pointee.committed, sequence) }
      attempt.broadcast()
    }
  }

  /// So many purges, which were taken, have been carried out.
  func purgesCarriedOut(_ count: Int) {
    guard count > 0 else { return }
    lock.withLock {
      state.pointee.purgesTold &+= UInt64(truncatingIfNeeded: count)
      attempt.broadcast()
    }
  }

  /// Waits until the store has been told of a purge.
  /// - Parameter deadline: of the machine's monotonic clock.
  func waitForPurge(_ number: UInt64, untilNanoseconds deadline: Int64) {
    lock.withLock {
      while state.pointee.purgesTold < number {
        if !attempt.wait(lock, untilNanoseconds: deadline) { return }
      }
    }
  }

  /// Waits until the store has been given a record.
  /// - Parameter deadline: of the machine's monotonic clock.
  /// - Returns: whether it is committed.
  func waitForCommit(of sequence: UInt64, untilNanoseconds deadline: Int64) -> Bool {
    lock.withLock {
      while state.pointee.attempted <= sequence {
        if !attempt.wait(lock, untilNanoseconds: deadline) { break }
      }
      return state.pointee.committed > sequence
    }
  }
}
