internal import Glibc
internal import HoistBase

/// The texts of a snapshot that is being built, found by their bytes: open addressing over `Hash64`.
struct SharedTexts: ~Copyable {
  private struct Slot: BitwiseCopyable {
    var tag: UInt32 = 0
    var text = TextReference.none
  }

  private var slots: UnsafeMutablePointer<Slot>?
  /// How many slots, less one: a power of two.
  private var mask = 0
  private var count = 0

  deinit { free(slots) }

  /// Keeps the table at most half full.
  /// - Returns: false when memory ran out.
  mutating func makeRoom() -> Bool {
    if (count + 1) * 2 <= mask + 1, slots != nil { return true }
    let size = max(256, (mask + 1) * 2)
    guard let larger = calloc(size, MemoryLayout<Slot>.stride)?.bindMemory(to: Slot.self, capacity: size) else {
      return false
    }
    for index in 0..<(slots == nil ? 0 : mask + 1) {
      guard let slot = slots?[index], !slot.text.isNone else { continue }
      var at = Int(slot.tag) & (size - 1)
      while !larger[at].text.isNone { at = (at + 1) & (size - 1) }
      larger[at] = slot
    }
    free(slots)
    slots = larger
    mask = size - 1
    return true
  }

  /// - Parameter base: of the block that the texts known are in.
  /// - Returns: the slot of the text, and the text, `none` where it is not known.
  func find(_ bytes: ByteView, in base: UnsafeRawPointer) -> (slot: (index: Int, tag: UInt32), text: TextReference) {
    // Tags alone place the slots, so that they can move without the texts being read again.
    let tag = UInt32(truncatingIfNeeded: Hash64.hash(bytes) &>> 32)
    var at = Int(tag) & mask
    while let slot = slots?[at], !slot.text.isNone {
      if slot.tag == tag, slot.text.bytes(base).hasSameBytes(as: bytes) { return ((at, tag), slot.text) }
      at = (at + 1) & mask
    }
    return ((at, tag), .none)
  }

  /// - Parameter slot: what `find` gave for a text that was not known.
  mutating func fill(_ slot: (index: Int, tag: UInt32), with text: TextReference) {
    slots?[slot.index] = Slot(tag: slot.tag, text: text)
    count += 1
  }
}
