public import CShims
internal import Glibc
public import HoistBase

/// Evaluates one flag: the snapshot's base, the flag's record, the frozen context of the call (or nil), the
/// `Evaluation` to fill. Pure: no lock, no I/O, no shared write.
public typealias EvaluateFunction =
  @convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer?, UnsafeMutableRawPointer) -> Void

/// How every flag record begins; a provider's own record type starts with one of these.
@frozen
public struct FlagHead: BitwiseCopyable {
  public var name: TextReference
  /// First of the flag's counters, and how many it has.
  public var firstCell: UInt32
  public var cellCount: UInt32

  public init(name: TextReference, firstCell: UInt32 = 0, cellCount: UInt32 = 0) {
    self.name = name
    self.firstCell = firstCell
    self.cellCount = cellCount
  }
}

/// A NUL-terminated text inside a snapshot, by offset from its base.
@frozen
public struct TextReference: BitwiseCopyable, Equatable {
  public var offset: UInt32
  public var count: UInt32

  @inlinable public init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }

  @inlinable public static var none: TextReference { TextReference(offset: 0, count: 0) }
  @inlinable public var isNone: Bool { offset == 0 }

  @inlinable @inline(__always)
  public func bytes(_ base: UnsafeRawPointer) -> ByteView { ByteView(start: base + Int(offset), count: Int(count)) }
}

/// The first bytes of a snapshot's block.
@frozen
public struct SnapshotHead {
  /// Unique in the process, never 0.
  public var id: UInt64
  public var evaluate: EvaluateFunction
  /// Head of the list of per-thread counters; see `shim_reader.h`.
  public var cells: UnsafeMutablePointer<shim_cells>?
  /// How many views hold the block beyond an evaluation.
  public var pins: Int64
  public var cellCount: UInt32
  public var flagCount: UInt32
  /// The look-up table: `tableMask + 1` slots.
  public var tableMask: UInt32
  public var table: Place<TableSlot>
  /// Places of all records, ordered by the bytes of their names.
  public var records: Place<Place<FlagHead>>
  /// The provider's own data about the whole snapshot; see `Snapshot.root`.
  public var rootOffset: UInt32
  /// The record of unlisted flags; 0 for none.
  public var unlistedOffset: UInt32
  public var byteCount: UInt64
  /// The writer's own, as are all members from here to `scratch`: bytes and counters in use. What lies between them and the
  /// look-up table, or `cellCount`, is room for records that replace others; see `SnapshotPatch`.
  var usedBytes: UInt32
  public internal(set) var usedCells: UInt32
  /// Of the bytes in use, those of records and texts that no flag has any more.
  var staleBytes: UInt32
  /// Places of records that were replaced, and whose counts are still handed out; how many there are, and may be.
  var replaced: Place<Place<FlagHead>>
  var replacedCount: UInt32 = 0
  var replacedRoom: UInt32
  /// Words that evaluating threads write, one for each counter that there may ever be; in a copy they are 0.
  var scratch: Place<UInt32>
  var scratchCount: UInt32
  /// Keeps what the block points to outside itself (compiled expressions, registries); released with it.
  public var resources: Unmanaged<AnyObject>?
}

@frozen
public struct TableSlot: BitwiseCopyable {
  /// Upper half of the name's hash.
  public var tag: UInt32
  /// Record offset; 0 marks an empty slot.
  public var record: UInt32
}

/// A configuration compiled for evaluation: one block of raw memory. A view of it, without ownership; readers hold it
/// between `shim_enter` and `shim_leave`, or by a pin. No record in it ever changes, but another one may take its place in
/// the look-up table while no view has pinned the block; see `SnapshotPatch`.
@frozen
public struct Snapshot: @unchecked Sendable {
  public let base: UnsafeRawPointer

  @inlinable @inline(__always)
  public init(_ base: UnsafeRawPointer) { self.base = base }

  @inlinable @inline(__always)
  public var head: UnsafePointer<SnapshotHead> { base.assumingMemoryBound(to: SnapshotHead.self) }

  /// The record of a flag, or nil.
  @inlinable @inline(__always)
  public func find(_ name: ByteView) -> UnsafeRawPointer? { find(name, hash: Hash64.hash(name)) }

  @inlinable @inline(__always)
  public func find(_ name: ByteView, hash: UInt64) -> UnsafeRawPointer? {
    NameTable(slots: head.pointee.table, mask: head.pointee.tableMask).find(name, hash: hash, in: base)
  }

  /// The record of a flag that is not listed, where not to be listed is an answer; it has no name and no counters.
  public var unlisted: UnsafeRawPointer? {
    head.pointee.unlistedOffset == 0 ? nil : base + Int(head.pointee.unlistedOffset)
  }

  public var flagCount: Int { Int(head.pointee.flagCount) }

  /// The records in the order of their names' bytes; `index` below `flagCount`.
  public func record(at index: Int) -> UnsafeRawPointer {
    base + Int(shim_load_place(base.at(head.pointee.records) + index))
  }

  public func name(of record: UnsafeRawPointer) -> ByteView {
    record.assumingMemoryBound(to: FlagHead.self).pointee.name.bytes(base)
  }

  /// Adds one to a counter of the calling thread; beyond `cellCount` nothing happens.
  @inlinable @inline(__always)
  public func count(_ slot: UnsafeMutablePointer<shim_slot>, cell: UInt32) {
    shim_count(slot, head.pointee.id, cells, head.pointee.cellCount, cell)
  }

  /// Where the list of per-thread counters begins; threads push to it while others read.
  @inlinable @inline(__always)
  var cells: UnsafeMutablePointer<UnsafeMutablePointer<shim_cells>?> {
    UnsafeMutableRawPointer(mutating: base)
      .advanced(by: MemoryLayout<SnapshotHead>.offset(of: \.cells) ?? 16)
      .assumingMemoryBound(to: UnsafeMutablePointer<shim_cells>?.self)
  }

  var pins: UnsafeMutablePointer<Int64> {
    UnsafeMutableRawPointer(mutating: base)
      .advanced(by: MemoryLayout<SnapshotHead>.offset(of: \.pins) ?? 24)
      .assumingMemoryBound(to: Int64.self)
  }

  /// Keeps the block alive until `unpin`. Only inside a reading section, or while pinned already.
  /// - Returns: false while a patch is being put in force.
  @discardableResult
  public func pin() -> Bool { shim_add_i64(pins, 1) < Self.patching }
  public func unpin() { _ = shim_add_i64(pins, -1) }
  var isPinned: Bool { shim_load_i64(pins) != 0 }

  /// Added to the pins while a patch is put in force; more than there can be pins.
  private static var patching: Int64 { 1 << 62 }

  /// Puts a patch in force unless there is a pin; one that comes meanwhile is told so by `pin`. The writer's.
  func applyUnlessPinned(_ patch: SnapshotPatch) -> Bool {
    guard shim_replace_i64(pins, 0, Self.patching) else { return false }
    patch.apply()
    _ = shim_add_i64(pins, -Self.patching)
    return true
  }

  /// Hands out what was counted since the last call: the flag's record, the counter's index within the
  /// flag, and the number. One caller at a time.
  public func drain(_ body: (_ record: UnsafeRawPointer, _ cell: UInt32, _ count: UInt64) -> Void) {
    var totals: [UInt64] = []
    var block = shim_cells_first(cells)
    while let cells = block {
      if totals.isEmpty { totals = [UInt64](repeating: 0, count: Int(head.pointee.cellCount)) }
      for cell in 0..<min(cells.pointee.count, head.pointee.cellCount) {
        totals[Int(cell)] &+= UInt64(shim_cells_take(cells, cell))
      }
      block = cells.pointee.next
    }
    guard totals.contains(where: { $0 != 0 }) else { return }
    let (head, replaced) = (head, base.at(head.pointee.replaced))
    for index in 0..<(flagCount + Int(head.pointee.replacedCount)) {
      let record = index < flagCount ? record(at: index) : UnsafeRawPointer(base.at(replaced[index - flagCount]))
      let flag = record.assumingMemoryBound(to: FlagHead.self).pointee
      for cell in 0..<flag.cellCount where Int(flag.firstCell) + Int(cell) < totals.count {
        let count = totals[Int(flag.firstCell) + Int(cell)]
        if count != 0 { body(record, cell, count) }
      }
    }
  }

  /// Whether a drain would hand something out.
  var hasCounts: Bool {
    var block = shim_cells_first(cells)
    while let cells = block {
      for cell in 0..<cells.pointee.count where shim_cells_has_news(cells, cell) { return true }
      block = cells.pointee.next
    }
    return false
  }

  /// Frees the block; there must be no reader. For snapshots that were never published; the client frees those that
  /// were.
  public func destroy() {
    shim_cells_free(head.pointee.cells)
    head.pointee.resources?.release()
    shim_pages_free(UnsafeMutableRawPointer(mutating: base), Int(head.pointee.byteCount))
  }
}
