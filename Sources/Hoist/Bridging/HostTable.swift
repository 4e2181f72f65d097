/// Structures that a host compiled, perhaps against an older or a newer header.
enum HostTable {
  /// Largest structure that is believed, in bytes.
  static let maximumBytes = 4096

  /// Copies as many bytes as both sides know; newer members stay as in `zero`.
  /// - Returns: nil when `size` cannot be that of such a structure: smaller than its first member, or absurd.
  static func read<Table>(_ table: UnsafePointer<Table>, size: Int, zero: Table) -> Table? {
    guard size >= MemoryLayout<Int>.size, size <= maximumBytes else { return nil }
    // Never a part of a pointer: every such structure is a multiple of its alignment.
    let whole = size & ~(MemoryLayout<Int>.alignment - 1)
    var copy = zero
    withUnsafeMutableBytes(of: &copy) { target in
      target.copyMemory(from: UnsafeRawBufferPointer(start: table, count: min(whole, target.count)))
    }
    return copy
  }

  /// Fills a structure of the host's; members that only its header has stay as they are.
  /// - Parameter size: what the host gave as `struct_size`.
  /// - Returns: false when it cannot be that of such a structure.
  static func write<Table>(_ table: Table, to place: UnsafeMutablePointer<Table>, size: Int) -> Bool {
    guard size >= MemoryLayout<Table>.size, size <= maximumBytes else { return false }
    place.pointee = table
    return true
  }
}
