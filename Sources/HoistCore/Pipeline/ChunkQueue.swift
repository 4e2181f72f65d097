internal import HoistBase

/// One of the places where records come in: chunks in the order of their records.
struct ChunkQueue {
  /// Those before the newest; the first of them may have been emptied.
  private var older: [EventChunk] = []
  private var newest: EventChunk?
  /// Empty; to be used before memory is asked for.
  private var spare: EventChunk?

  /// Makes room for a record. False when memory is short.
  @inline(__always)
  mutating func reserve(_ size: Int) -> Bool {
    if let newest, newest.capacity - newest.used >= size { return true }
    return extend(by: size)
  }

  @inline(never)
  private mutating func extend(by size: Int) -> Bool {
    guard let chunk = takeSpare(size) ?? EventChunk(atLeast: size) else { return false }
    if let newest { older.append(newest) }
    newest = chunk
    return true
  }

  mutating func takeSpare(_ size: Int) -> EventChunk? {
    guard let chunk = spare, chunk.capacity >= size else { return nil }
    spare = nil
    return chunk
  }

  /// Keeps a chunk for what comes next, if it may.
  mutating func keep(_ chunk: EventChunk) {
    guard spare == nil, chunk.capacity == EventChunk.standardBytes else { return chunk.free() }
    spare = chunk
    spare?.empty()
  }

  /// Adds a record that has room.
  @inline(__always)
  mutating func append(
    number: UInt64, size: Int, created: Int64, subject: ByteView, place: Int?, payload: ByteView, tail: ByteView
  ) {
    newest?.append(
      number: number, size: size, created: created, subject: subject, place: place, payload: payload, tail: tail)
  }

  /// The oldest record's.
  var firstNumber: UInt64? {
    for chunk in older { if let number = chunk.firstNumber { return number } }
    return newest?.firstNumber
  }

  /// Takes the oldest record, which is valid until the next is taken.
  mutating func popFirst() -> EventChunk.Record? {
    while let first = older.first {
      if !first.isEmpty { return older[0].popFirst() }
      older.removeFirst().free()
    }
    return newest?.popFirst()
  }

  /// What is here, but not the spare chunk.
  mutating func takeAll() -> ChunkQueue {
    var all = ChunkQueue()
    swap(&all.older, &older)
    swap(&all.newest, &newest)
    return all
  }

  /// Frees the chunks before the newest and hands that out.
  mutating func end() -> EventChunk? {
    let all = takeAll()
    for chunk in all.older { chunk.free() }
    return all.newest
  }

  mutating func free() { end()?.free() }

  /// The spare chunk, too.
  mutating func freeAll() {
    free()
    takeSpare(0)?.free()
  }

  /// Which of several queues has the oldest record of all; nil when there is none.
  static func oldest(of count: Int, _ firstNumber: (Int) -> UInt64?) -> Int? {
    var found: (place: Int, number: UInt64)?
    for place in 0..<count {
      guard let number = firstNumber(place), number < found?.number ?? .max else { continue }
      found = (place, number)
    }
    return found?.place
  }
}
