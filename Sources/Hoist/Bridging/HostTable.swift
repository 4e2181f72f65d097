/// Structures that a host compiled, perhaps against an older or a newer header.
enum HostTable {
  /// Copies as many bytes as both sides know; newer members stay as in `zero`.
  /// - Returns: nil when `size` cannot be that of such a structure: smaller than its first member, or absurd.
  static func read<Table>(_ table: UnsafePointer<Table>, size: Int, zero: Table) -> Table? {
    guard size >= MemoryLayout<Int>.size, size <= 4096 else { return nil }
    var copy = zero
    withUnsafeMutableBytes(of: &copy) { target in
      target.copyMemory(from: UnsafeRawBufferPointer(start: table, count: min(size, target.count)))
    }
    return copy
  }
}
