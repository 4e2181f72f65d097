internal import Glibc
public import HoistBase

/// Which variation a visitor got in which group, by ids (4.4). Immutable; any thread.
///
/// An assignment holds against the hash as long as the visitor lives, whatever becomes of the allocations. One block of
/// memory: the entries, a look-up table, the texts.
public final class AssignmentHistory: @unchecked Sendable {
  /// Further assignments are made and not remembered.
  public static let maximumCount = 65_536

  /// An assignment by its ids.
  public struct Assignment {
    public var group: ByteView
    public var variation: ByteView

    public init(group: ByteView, variation: ByteView) {
      self.group = group
      self.variation = variation
    }
  }

  private struct Entry {
    var groupHash: UInt64
    var variationHash: UInt64
    var group: UnsafeRawPointer
    var variation: UnsafeRawPointer
    var groupCount: Int
    var variationCount: Int

    var groupID: ByteView { ByteView(start: group, count: groupCount) }
    var variationID: ByteView { ByteView(start: variation, count: variationCount) }
  }

  private let memory: UnsafeMutableRawPointer
  private let entries: UnsafeMutablePointer<Entry>
  /// Places in `entries`, plus 1; 0 marks an empty slot.
  private let slots: UnsafeMutablePointer<UInt32>
  private let mask: Int
  public let count: Int

  public static let empty = AssignmentHistory([])

  /// - Parameter assignments: copied. Of several of one group the first counts; those with an empty id are left out.
  public convenience init(_ assignments: [Assignment]) { self.init(keeping: nil, adding: assignments) }

  private init(keeping old: AssignmentHistory?, adding new: [Assignment]) {
    let room = min((old?.count ?? 0) + new.count, Self.maximumCount)
    var slotCount = 4
    while slotCount < room * 2 { slotCount *= 2 }
    let texts = new.reduce(old?.textBytes ?? 0) { $0 + $1.group.count + $1.variation.count }
    let slotsAt = room * MemoryLayout<Entry>.stride
    let textsAt = slotsAt + slotCount * MemoryLayout<UInt32>.stride
    memory = .allocate(byteCount: textsAt + texts, alignment: MemoryLayout<Entry>.alignment)
    memset(memory + slotsAt, 0, textsAt - slotsAt)
    entries = memory.assumingMemoryBound(to: Entry.self)
    slots = (memory + slotsAt).assumingMemoryBound(to: UInt32.self)
    mask = slotCount - 1
    var filler = Filler(entries: entries, slots: slots, mask: mask, text: memory + textsAt)
    old?.forEachEntry { filler.add($0.groupID, $0.groupHash, $0.variationID, $0.variationHash) }
    for assignment in new where filler.count < room && !assignment.group.isEmpty && !assignment.variation.isEmpty {
      filler.add(
        assignment.group, Hash64.hash(assignment.group), assignment.variation, Hash64.hash(assignment.variation))
    }
    count = filler.count
  }

  deinit { memory.deallocate() }

  public var isEmpty: Bool { count == 0 }

  /// The variation's id and its hash; lent as long as the history lives.
  @inline(__always)
  func find(_ group: ByteView, hash: UInt64) -> (id: ByteView, hash: UInt64)? {
    if count == 0 { return nil }
    var at = Int(truncatingIfNeeded: hash) & mask
    while slots[at] != 0 {
      let entry = entries + Int(slots[at] &- 1)
      if entry.pointee.groupHash == hash, entry.pointee.groupID.hasSameBytes(as: group) {
        return (entry.pointee.variationID, entry.pointee.variationHash)
      }
      at = (at &+ 1) & mask
    }
    return nil
  }

  /// The id of the variation assigned; lent as long as the history lives.
  public func variation(of group: some ByteSource) -> ByteView? {
    group.withBytes { find($0, hash: Hash64.hash($0))?.id }
  }

  /// With the new ones; known ones stay as they are.
  public func adding(_ new: [Assignment]) -> AssignmentHistory {
    new.isEmpty ? self : AssignmentHistory(keeping: self, adding: new)
  }

  /// In the order of assignment; lent as long as the history lives.
  public var assignments: [Assignment] {
    (0..<count).map { Assignment(group: entries[$0].groupID, variation: entries[$0].variationID) }
  }

  private func forEachEntry(_ body: (Entry) -> Void) { for index in 0..<count { body(entries[index]) } }

  private var textBytes: Int {
    (0..<count).reduce(0) { $0 + entries[$1].groupCount + entries[$1].variationCount }
  }

  private struct Filler {
    let entries: UnsafeMutablePointer<Entry>
    let slots: UnsafeMutablePointer<UInt32>
    let mask: Int
    var text: UnsafeMutableRawPointer
    var count = 0

    mutating func add(_ group: ByteView, _ groupHash: UInt64, _ variation: ByteView, _ variationHash: UInt64) {
      var at = Int(truncatingIfNeeded: groupHash) & mask
      while slots[at] != 0 {
        let known = entries + Int(slots[at] &- 1)
        if known.pointee.groupHash == groupHash, known.pointee.groupID.hasSameBytes(as: group) { return }
        at = (at &+ 1) & mask
      }
      entries[count] = Entry(
        groupHash: groupHash, variationHash: variationHash, group: keep(group), variation: keep(variation),
        groupCount: group.count, variationCount: variation.count)
      count += 1
      slots[at] = UInt32(truncatingIfNeeded: count)
    }

    private mutating func keep(_ bytes: ByteView) -> UnsafeRawPointer {
      let start = text
      if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
      text += bytes.count
      return UnsafeRawPointer(start)
    }
  }
}
