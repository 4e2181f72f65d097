internal import CShims
internal import HoistBase

/// Records that wait in the room of a snapshot to take the place of others of the same names. One alone may do so while
/// others read: they find the one or the other. Several, which belong together, and one in a snapshot that a view has
/// pinned do so in a copy.
public struct SnapshotPatch: Sendable {
  /// Places of two records of one name.
  public struct Replacement: Sendable {
    let old: Place<FlagHead>
    let new: Place<FlagHead>

    public init(_ old: UnsafeRawPointer, in snapshot: Snapshot, by new: Place<some BitwiseCopyable>) {
      self.old = Place(offset: UInt32(truncatingIfNeeded: old - snapshot.base))
      self.new = Place(offset: new.offset)
    }
  }

  public let snapshot: Snapshot
  let replacements: [Replacement]
  let usedBytes: UInt32
  let usedCells: UInt32
  /// The snapshot is not served yet, and the patch is in force in it.
  public private(set) var isCopy = false

  /// Writes records into the room of a snapshot, or, where that is used up, of a copy of it.
  /// - Parameters:
  ///   - relaysLater: the caller lays the flags out anew in time, by itself, when much is stale.
  ///   - write: gives nil where there is no room.
  /// - Returns: nil where the flags should be laid out anew: the records are too large, or too much is stale.
  public init?<Failure>(
    of served: Snapshot, relaysLater: Bool = false, _ write: (Snapshot) throws(Failure) -> SnapshotPatch?
  ) throws(Failure) {
    guard !(relaysLater ? served.isMostlyWaste : served.isWasteful) else { return nil }
    if let patch = try write(served) {
      self = patch
      return
    }
    guard let copy = served.copy() else { return nil }
    // What could be written down before can be now.
    guard let patch = try? write(copy) else {
      copy.destroy()
      return nil
    }
    self = patch
    apply()
    isCopy = true
  }

  init(snapshot: Snapshot, replacements: [Replacement], usedBytes: UInt32, usedCells: UInt32) {
    self.snapshot = snapshot
    self.replacements = replacements
    self.usedBytes = usedBytes
    self.usedCells = usedCells
  }

  /// The record that takes another's place, in the order they were given; nil beyond the last.
  public func record(at index: Int) -> UnsafeRawPointer? {
    index < replacements.count ? UnsafeRawPointer(snapshot.base.at(replacements[index].new)) : nil
  }

  /// Whether no reader can see a part of it in force, and another part not.
  var isSingle: Bool { replacements.count <= 1 }

  /// Puts it in force, unless it is. The writer's.
  public func apply() {
    if isCopy { return }
    let head = snapshot.head.pointee
    snapshot.set(\.staleBytes, to: head.staleBytes &+ usedBytes &- head.usedBytes)
    snapshot.set(\.usedBytes, to: usedBytes)
    snapshot.set(\.usedCells, to: usedCells)
    for replacement in replacements { snapshot.replace(replacement) }
  }

  /// A copy in which it is in force.
  public func applied() -> Snapshot? { snapshot.copy(with: self) }
}

extension Snapshot {
  /// Of a copy that has no reader yet.
  fileprivate var writable: UnsafeMutablePointer<SnapshotHead> { UnsafeMutablePointer(mutating: head) }

  /// Writes a member that only the writer reads, and no other byte of the head: readers are at the others.
  fileprivate func set<Value: BitwiseCopyable>(_ member: KeyPath<SnapshotHead, Value>, to value: Value) {
    guard let place = MemoryLayout<SnapshotHead>.offset(of: member) else { return }
    UnsafeMutableRawPointer(mutating: base).storeBytes(of: value, toByteOffset: place, as: Value.self)
  }

  fileprivate func replace(_ replacement: SnapshotPatch.Replacement) {
    let name = name(of: base + Int(replacement.old.offset))
    let slots = UnsafeMutablePointer(mutating: base.at(head.pointee.table))
    var at = UInt32(truncatingIfNeeded: Hash64.hash(name)) & head.pointee.tableMask
    while slots[Int(at)].record != replacement.old.offset {
      if slots[Int(at)].record == 0 { return }
      at = (at &+ 1) & head.pointee.tableMask
    }
    let listed = UnsafeMutablePointer(mutating: base.at(head.pointee.records)) + index(of: name)
    let replaced = UnsafeMutablePointer(mutating: base.at(head.pointee.replaced))
    replaced[Int(head.pointee.replacedCount)] = replacement.old
    set(\.replacedCount, to: head.pointee.replacedCount &+ 1)
    shim_store_place(UnsafeMutableRawPointer(slots + Int(at)) + 4, replacement.new.offset)
    shim_store_place(listed, replacement.new.offset)
  }

  /// Where the list has the flag of a name that is there.
  private func index(of name: ByteView) -> Int {
    var (low, high) = (0, flagCount - 1)
    while low < high {
      let middle = (low + high) / 2
      if self.name(of: record(at: middle)).order(against: name) == .less { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Much of it belongs to flags as they were.
  public var isWasteful: Bool { head.pointee.staleBytes >= 65_536 &+ head.pointee.usedBytes / 2 }
  /// The most that a writer may put off.
  public var isMostlyWaste: Bool { head.pointee.staleBytes >= 262_144 &+ head.pointee.usedBytes / 4 &* 3 }

  /// The same flags in a block of their own, with fresh room, and nothing counted. The writer's.
  func copy(with patch: SnapshotPatch? = nil) -> Snapshot? {
    let builder = SnapshotBuilder(continuing: self, usedBytes: patch?.usedBytes ?? head.pointee.usedBytes)
    guard let copy = builder.finish(like: self) else { return nil }
    for replacement in patch?.replacements ?? [] { copy.replace(replacement) }
    copy.writable.pointee.staleBytes &+= (patch?.usedBytes).map { $0 &- head.pointee.usedBytes } ?? 0
    copy.numberCells()
    return copy
  }

  /// Gives counters to the flags that are listed, and to no others.
  private func numberCells() {
    var next: UInt32 = 0
    for index in 0..<flagCount {
      let flag = UnsafeMutableRawPointer(mutating: record(at: index)).assumingMemoryBound(to: FlagHead.self)
      if flag.pointee.cellCount > 0 { flag.pointee.firstCell = next }
      next &+= flag.pointee.cellCount
    }
    writable.pointee.usedCells = next
    writable.pointee.cellCount = SnapshotBuilder.cellsWithRoom(next, head.pointee.scratchCount)
    writable.pointee.replacedCount = 0
  }
}
