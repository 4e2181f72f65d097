internal import CShims
internal import Glibc
public import HoistBase
internal import Synchronization

/// Lays a configuration out as one block: records, texts and programs by offset, then the look-up table.
///
/// Not thread-safe; used once. Offsets are 32 bits: a configuration beyond 4 GiB is refused.
public struct SnapshotBuilder: ~Copyable {
  private var memory: UnsafeMutableRawPointer?
  private var capacity: Int
  private var count: Int
  private var flags: [(hash: UInt64, record: UInt32, name: TextReference)] = []
  private var texts = SharedTexts()
  private var cellCount: UInt32 = 0
  /// What is appended goes into the room of this snapshot.
  private var patched: Snapshot?
  private var staleBytes: UInt32 = 0
  private var scratch = (place: Place<UInt32>.none, count: UInt32(0))
  /// Memory ran out, or the block grew beyond its limit; `finish` gives nil.
  private(set) var isBroken = false

  /// - Parameter expectedBytes: a first guess of the size; it grows as needed.
  public init(expectedBytes: Int = 64 * 1024) {
    capacity = max(4096, expectedBytes)
    memory = shim_pages_resize(nil, 0, capacity)
    count = MemoryLayout<SnapshotHead>.size
    isBroken = memory == nil
  }

  /// Begins with what another snapshot holds below its look-up table, at the same offsets, counters included, but
  /// without its flags: for what changes little. Its scratch words begin as zeros.
  public init(continuing old: Snapshot) {
    self.init(continuing: old, usedBytes: old.head.pointee.usedBytes)
  }

  init(continuing old: Snapshot, usedBytes: UInt32) {
    let head = old.head
    let headEnd = MemoryLayout<SnapshotHead>.size
    let end = Int(usedBytes)
    capacity = end &+ end / 4 &+ Int(head.pointee.flagCount) &* 64 &+ 8192
    memory = shim_pages_resize(nil, 0, capacity)
    count = end
    cellCount = head.pointee.usedCells
    staleBytes = head.pointee.staleBytes
    scratch = (head.pointee.scratch, head.pointee.scratchCount)
    isBroken = memory == nil
    guard let memory else { return }
    let from = max(Int(scratch.place.offset), headEnd)
    let to = from + Int(scratch.count) * MemoryLayout<UInt32>.stride
    memcpy(memory + headEnd, old.base + headEnd, from - headEnd)
    memset(memory + from, 0, to - from)
    memcpy(memory + to, old.base + to, end - to)
  }

  /// Appends to the room that a snapshot has, and changes nothing that it holds; for `patch`.
  public init(patching snapshot: Snapshot) {
    let head = snapshot.head
    patched = snapshot
    memory = UnsafeMutableRawPointer(mutating: snapshot.base)
    capacity = Int(head.pointee.table.offset)
    count = Int(head.pointee.usedBytes)
    cellCount = head.pointee.usedCells
  }

  deinit { if patched == nil { shim_pages_free(memory, capacity) } }

  /// Reserves aligned, zeroed bytes and returns their offset from the snapshot's base; 0 when broken.
  public mutating func reserve(bytes size: Int, alignment: Int) -> UInt32 {
    let at = (count + alignment - 1) & ~(alignment - 1)
    let (end, overflow) = at.addingReportingOverflow(size)
    guard !isBroken, !overflow, size >= 0, end <= Int(UInt32.max) else {
      isBroken = true
      return 0
    }
    guard makeRoom(end) else {
      isBroken = true
      return 0
    }
    if let memory { memset(memory + count, 0, end - count) }
    count = end
    return UInt32(at)
  }

  private mutating func makeRoom(_ end: Int) -> Bool {
    if end <= capacity { return true }
    let wanted = max(end, capacity &* 2)
    guard patched == nil, end <= Int(UInt32.max), let larger = shim_pages_resize(memory, capacity, wanted) else { return false }
    memory = larger
    capacity = wanted
    return true
  }

  /// Appends a plain value.
  public mutating func append<Value: BitwiseCopyable>(_ value: Value) -> Place<Value> {
    let place = reserve(1, of: Value.self)
    store(value, at: place)
    return place
  }

  /// Appends plain values one after the other; the place of the first, none of none.
  public mutating func append<Value: BitwiseCopyable>(contentsOf values: [Value]) -> Place<Value> {
    let place = reserve(values.count, of: Value.self)
    guard !isBroken, let memory else { return .none }
    values.withUnsafeBytes { source in
      if let start = source.baseAddress, !source.isEmpty { memcpy(memory + Int(place.offset), start, source.count) }
    }
    return place
  }

  /// Reserves places for plain values one after the other; the first, none of none.
  public mutating func reserve<Value: BitwiseCopyable>(_ count: Int, of type: Value.Type) -> Place<Value> {
    if count == 0 { return .none }
    let (size, overflows) = MemoryLayout<Value>.stride.multipliedReportingOverflow(by: count)
    return Place(offset: reserve(bytes: overflows ? -1 : size, alignment: MemoryLayout<Value>.alignment))
  }

  /// A value appended before.
  public func value<Value: BitwiseCopyable>(at place: Place<Value>) -> Value? {
    guard !isBroken, let memory, !place.isNone, Int(place.offset) + MemoryLayout<Value>.size <= count else { return nil }
    return (memory + Int(place.offset)).load(as: Value.self)
  }

  /// Changes a value appended before.
  public mutating func update<Value: BitwiseCopyable>(at place: Place<Value>, _ change: (inout Value) -> Void) {
    guard var value = value(at: place) else { return }
    change(&value)
    store(value, at: place)
  }

  /// Replaces a value appended before, or fills a place reserved.
  public mutating func store<Value: BitwiseCopyable>(_ value: Value, at place: Place<Value>) {
    guard !isBroken, let memory, !place.isNone, Int(place.offset) + MemoryLayout<Value>.size <= count else { return }
    (memory + Int(place.offset)).storeBytes(of: value, as: Value.self)
  }

  /// Appends a text and a NUL; texts of the same bytes share one place.
  public mutating func text(_ bytes: ByteView) -> TextReference {
    guard !isBroken, let memory, texts.makeRoom() else {
      isBroken = true
      return .none
    }
    let (slot, known) = texts.find(bytes, in: memory)
    if !known.isNone { return known }
    let reference = uniqueText(bytes)
    if !isBroken { texts.fill(slot, with: reference) }
    return reference
  }

  /// Appends a text and a NUL without looking for another of the same bytes: for what hardly comes twice.
  public mutating func uniqueText(_ bytes: ByteView) -> TextReference {
    let at = reserve(bytes: bytes.count + 1, alignment: 1)
    guard !isBroken, let memory else { return .none }
    if let start = bytes.baseAddress { memcpy(memory + Int(at), start, bytes.count) }
    return TextReference(offset: at, count: UInt32(bytes.count))
  }

  public mutating func text(_ source: some ByteSource) -> TextReference {
    source.withBytes { bytes in text(bytes) }
  }

  /// Reserves counters; returns the first.
  public mutating func cells(_ number: UInt32) -> UInt32 {
    let first = cellCount
    let (end, overflow) = cellCount.addingReportingOverflow(number)
    if overflow || end > patched?.head.pointee.cellCount ?? .max { isBroken = true } else { cellCount = end }
    return first
  }

  /// Reserves words that evaluating threads write, one for each counter that there may ever be. Once.
  public mutating func scratch(_ number: UInt32) -> Place<UInt32> {
    scratch = (reserve(Int(number), of: UInt32.self), number)
    return scratch.place
  }

  /// Makes a record, which begins with a `FlagHead`, findable by its name. Names must be unique.
  public mutating func addFlag(record: Place<some BitwiseCopyable>, name: TextReference) {
    guard !isBroken, let memory else { return }
    flags.append((Hash64.hash(name.bytes(memory)), record.offset, name))
  }

  /// As `addFlag(record:name:)`, by the hash of the name that the record begins with.
  public mutating func addFlag(record: Place<some BitwiseCopyable>, hash: UInt64) {
    guard !isBroken, let memory else { return }
    let name = memory.loadUnaligned(fromByteOffset: Int(record.offset), as: TextReference.self)
    flags.append((hash, record.offset, name))
  }

  /// As many bytes of what is continued belong to no flag any more.
  public mutating func waste(_ bytes: UInt32) { staleBytes = UInt32(clamping: UInt64(staleBytes) + UInt64(bytes)) }

  /// - Parameters:
  ///   - root: the provider's own data.
  ///   - unlisted: offset of the record of unlisted flags; 0 for none.
  ///   - resources: kept until the block is freed.
  ///   - hasRoom: for records that replace others.
  /// - Returns: the finished block, owned by the caller; nil when memory ran out or the block is too large.
  public consuming func finish(
    evaluate: @escaping EvaluateFunction, root: Place<some BitwiseCopyable> = Place<FlagHead>.none, unlisted: UInt32 = 0,
    resources: AnyObject? = nil, hasRoom: Bool = false
  ) -> Snapshot? {
    let room = hasRoom ? leaveRoom(flags.count) : Room(count, cellCount)
    let table = table(of: flags)
    let records = buildRecords()
    return seal(table, records, flagCount: UInt32(flags.count), room, evaluate, root.offset, unlisted, resources)
  }

  /// Ends what has begun with all of another snapshot: the same flags, and room anew.
  consuming func finish(like old: Snapshot) -> Snapshot? {
    let head = old.head
    let room = leaveRoom(old.flagCount)
    let slots = UnsafeBufferPointer(start: old.base.at(head.pointee.table), count: Int(head.pointee.tableMask) + 1)
    let table = NameTable(slots: append(contentsOf: Array(slots)), mask: head.pointee.tableMask)
    let places = UnsafeBufferPointer(start: old.base.at(head.pointee.records), count: old.flagCount)
    return seal(
      table, append(contentsOf: Array(places)), flagCount: head.pointee.flagCount, room, head.pointee.evaluate,
      head.pointee.rootOffset, head.pointee.unlistedOffset, head.pointee.resources?.takeUnretainedValue())
  }

  private consuming func seal(
    _ table: NameTable, _ records: Place<Place<FlagHead>>, flagCount: UInt32, _ room: Room,
    _ evaluate: @escaping EvaluateFunction,
    _ root: UInt32, _ unlisted: UInt32, _ resources: AnyObject?
  ) -> Snapshot? {
    guard !isBroken, let block = shim_pages_resize(memory, capacity, count) else { return nil }
    memory = nil
    block.storeBytes(
      of: SnapshotHead(
        id: Self.nextID.wrappingAdd(1, ordering: .relaxed).newValue, evaluate: evaluate, cells: nil, pins: 0,
        cellCount: room.cellCount, flagCount: flagCount, tableMask: table.mask, table: table.slots, records: records,
        rootOffset: root, unlistedOffset: unlisted, byteCount: UInt64(count), usedBytes: room.usedBytes,
        usedCells: room.usedCells, staleBytes: staleBytes, replaced: room.replaced, replacedRoom: room.replacedRoom,
        scratch: scratch.place,
        scratchCount: scratch.count, resources: resources.map { Unmanaged.passRetained($0) }),
      as: SnapshotHead.self)
    return Snapshot(UnsafeRawPointer(block))
  }

  /// What is in use, and what is left free behind it.
  private struct Room {
    let usedBytes: UInt32
    let usedCells: UInt32
    var cellCount: UInt32
    var replaced = Place<Place<FlagHead>>.none
    var replacedRoom: UInt32 = 0

    init(_ usedBytes: Int, _ cells: UInt32) {
      self.usedBytes = UInt32(clamping: usedBytes)
      usedCells = cells
      cellCount = cells
    }
  }

  /// - Parameter limit: none at 0.
  static func cellsWithRoom(_ used: UInt32, _ limit: UInt32) -> UInt32 {
    let (all, overflow) = used.addingReportingOverflow(used / 8 &+ 64)
    if overflow || used == 0 { return used }
    return limit == 0 ? all : max(used, min(all, limit))
  }

  /// Room for a part of the flags to be replaced before the next copy. No byte of it is touched.
  private mutating func leaveRoom(_ flagCount: Int) -> Room {
    var room = Room(count, cellCount)
    room.cellCount = Self.cellsWithRoom(cellCount, scratch.count)
    let (end, overflow) = count.addingReportingOverflow(count / 4 &+ 4096)
    if overflow || !makeRoom(end) { isBroken = true } else { count = end }
    room.replacedRoom = UInt32(truncatingIfNeeded: flagCount / 8 &+ 16)
    room.replaced = reserve(Int(room.replacedRoom), of: Place<FlagHead>.self)
    return room
  }

  /// - Returns: the records written, to be put in the place of others; nil where the snapshot has no room for them.
  public consuming func patch(_ replacements: [SnapshotPatch.Replacement]) -> SnapshotPatch? {
    guard let patched, !isBroken else { return nil }
    let head = patched.head
    guard replacements.count <= head.pointee.replacedRoom &- head.pointee.replacedCount else { return nil }
    return SnapshotPatch(
      snapshot: patched, replacements: replacements, usedBytes: UInt32(clamping: count), usedCells: cellCount)
  }

  private static let nextID = Atomic<UInt64>(0)

  /// Appends a look-up table of records beside that of the flags, by the texts that they begin with.
  public mutating func table(_ records: BytesTable) -> NameTable {
    table(of: records.entries.map { ($0.hash, $0.value, .none) })
  }

  /// Open addressing with linear probing, at most half full.
  private mutating func table(of entries: [(hash: UInt64, record: UInt32, name: TextReference)]) -> NameTable {
    var size = 4
    while size < entries.count &* 2 { size &*= 2 }
    let mask = UInt32(size - 1)
    var slots = [TableSlot](repeating: TableSlot(tag: 0, record: 0), count: size)
    for entry in entries {
      var at = UInt32(truncatingIfNeeded: entry.hash) & mask
      while slots[Int(at)].record != 0 { at = (at &+ 1) & mask }
      slots[Int(at)] = TableSlot(tag: UInt32(truncatingIfNeeded: entry.hash &>> 32), record: entry.record)
    }
    return NameTable(slots: append(contentsOf: slots), mask: mask)
  }

  private mutating func buildRecords() -> Place<Place<FlagHead>> {
    guard let memory else { return .none }
    let ordered = flags.sorted { left, right in
      left.name.bytes(memory).order(against: right.name.bytes(memory)) == .less
    }
    return append(contentsOf: ordered.map { Place(offset: $0.record) })
  }
}
