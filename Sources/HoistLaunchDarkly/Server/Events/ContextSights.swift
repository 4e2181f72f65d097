internal import CShims
internal import HoistBase
internal import Synchronization

/// What is known of the contexts that were seen lately, by their fingerprints, for many threads that read at once; one thread
/// at a time changes it. A context whose place another has taken is not found, which costs time and nothing else.
struct ContextSights: ~Copyable {
  /// Of a place: fingerprint, mixed with the next two; what is known; the key. Mixed, so that what is read while it is
  /// written is taken for no context.
  private static let placeWords = 4
  /// A fingerprint has the places of two sets, each in one cache line: a set that many fingerprints share is hardly ever full.
  private static let setWords = 8
  /// Adjacent cache lines are fetched together.
  private static let lineWords = 16
  private static let lineCount = 32
  private static let noteCount: UInt64 = 8
  private static let nothingLeft: UInt64 = 1 << 15
  private static let mostSets = 1 << 15

  private let places: UnsafeMutablePointer<Int64>
  private let setMask: UInt64
  /// Of each line: how often a context was found; how many keys were noted, and the last of them, of which each differs from
  /// the one before.
  private let lines: UnsafeMutablePointer<Int64>
  private let taken: UnsafeMutablePointer<Int64>
  /// Counts how often all was forgotten, from 1: what was written before is worth nothing.
  private let age = Atomic<UInt64>(1)

  init(capacity: Int) {
    var sets = 16
    while sets < Self.mostSets, sets / 2 < capacity { sets *= 2 }
    setMask = UInt64(sets - 1)
    places = Self.words(sets * Self.setWords)
    lines = Self.words(Self.lineCount * Self.lineWords)
    taken = Self.words(Self.lineCount)
  }

  deinit {
    places.deallocate()
    lines.deallocate()
    taken.deallocate()
  }

  private static func words(_ count: Int) -> UnsafeMutablePointer<Int64> {
    UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 128).initializeMemory(
      as: Int64.self, repeating: 0, count: count)
  }

  // MARK: Any thread

  /// - Returns: nil for a context that is not found.
  @inline(__always)
  func kinds(of fingerprint: UInt64) -> ContextSight.Kinds? {
    let (first, second) = sets(of: fingerprint)
    guard let (known, key) = known(in: places + first, fingerprint) ?? known(in: places + second, fingerprint) else { return nil }
    if known & Self.nothingLeft == 0 { note(key) }
    return ContextSight.Kinds(truncatingIfNeeded: known & (Self.nothingLeft - 1))
  }

  @inline(__always)
  private func sets(of fingerprint: UInt64) -> (Int, Int) {
    (Int(fingerprint & setMask) &* Self.setWords, Int(fingerprint &>> 32 & setMask) &* Self.setWords)
  }

  @inline(__always)
  private func known(in set: UnsafeMutablePointer<Int64>, _ fingerprint: UInt64) -> (UInt64, key: Int64)? {
    known(at: set, fingerprint) ?? known(at: set + Self.placeWords, fingerprint)
  }

  @inline(__always)
  private func known(at place: UnsafeMutablePointer<Int64>, _ fingerprint: UInt64) -> (UInt64, key: Int64)? {
    let (known, key) = (shim_load_i64(place + 1), shim_load_i64(place + 2))
    let memory = UInt64(bitPattern: known)
    guard UInt64(bitPattern: shim_load_i64(place) ^ known ^ key) == fingerprint, memory >> 16 == age.load(ordering: .relaxed)
    else { return nil }
    return (memory, key)
  }

  @inline(__always)
  private func note(_ key: Int64) {
    let slot = shim_enter()
    let line = lines + Int((UInt64(UInt(bitPattern: slot)) &* 0x9E37_79B9_7F4A_7C15) &>> 59) * Self.lineWords
    shim_leave(slot)
    _ = shim_add_i64(line, 1)
    let count = UInt64(bitPattern: shim_load_i64(line + 1))
    if shim_load_i64(line + Self.word(ofNote: count &- 1)) == key { return }
    shim_store_i64(line + Self.word(ofNote: count), key)
    shim_store_i64(line + 1, Int64(bitPattern: count &+ 1))
  }

  @inline(__always)
  private static func word(ofNote index: UInt64) -> Int { 2 &+ Int(index % noteCount) }

  /// How often a context was found of which something is left.
  var uses: Int {
    (0..<Self.lineCount).reduce(0) { $0 &+ Int(shim_load_i64(lines + $1 * Self.lineWords)) }
  }

  // MARK: One thread at a time

  /// - Returns: its place.
  func remember(_ sight: ContextSight, of fingerprint: UInt64) -> Int {
    let now = age.load(ordering: .relaxed)
    let (first, second) = sets(of: fingerprint)
    let own = [first, first + Self.placeWords, second, second + Self.placeWords]
    let free = own.first { UInt64(bitPattern: shim_load_i64(places + $0 + 1)) >> 16 != now }
    let at = free ?? own[Int(fingerprint >> 62)]
    let known = Int64(bitPattern: now << 16 | UInt64(sight.kinds) | (sight.key == 0 ? Self.nothingLeft : 0))
    let key = Int64(bitPattern: sight.key)
    shim_store_i64(places + at, Int64(bitPattern: fingerprint) ^ known ^ key)
    shim_store_i64(places + at + 1, known)
    shim_store_i64(places + at + 2, key)
    return at
  }

  /// The context of a key, unless another has taken the place since.
  func forget(_ key: UInt64, at place: Int) {
    if UInt64(bitPattern: shim_load_i64(places + place + 2)) == key { shim_store_i64(places + place + 1, 0) }
  }

  func forgetAll() {
    age.wrappingAdd(1, ordering: .relaxed)
    takeUses { _ in }
  }

  /// The keys of the contexts found since the last call, of each thread the last few in their order.
  func takeUses(_ body: (UInt64) -> Void) {
    for index in 0..<Self.lineCount {
      let line = lines + index * Self.lineWords
      let (from, to) = (UInt64(bitPattern: taken[index]), UInt64(bitPattern: shim_load_i64(line + 1)))
      taken[index] = Int64(bitPattern: to)
      for use in max(from, to < Self.noteCount ? 0 : to - Self.noteCount)..<max(from, to) {
        body(UInt64(bitPattern: shim_load_i64(line + Self.word(ofNote: use))))
      }
      // What is taken comes before what follows: the same context is noted anew.
      shim_store_i64(line + Self.word(ofNote: to &- 1), 0)
    }
  }
}
