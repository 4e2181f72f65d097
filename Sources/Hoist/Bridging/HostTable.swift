/// Structures that a host compiled, perhaps against an older or a newer header. The first member of each is its size.
enum HostTable {
  /// Largest structure that is believed, in bytes.
  static let maximumBytes = 4096

  /// Copies as many bytes as both sides know.
  /// - Parameter zero: what newer members are; nil for zeros.
  /// - Returns: nil for NULL, and when the size cannot be that of such a structure: smaller than its first member, or absurd.
  static func read<Table>(_ table: UnsafePointer<Table>?, zero: Table? = nil) -> Table? {
    guard let table, case let size = size(of: table), size >= MemoryLayout<Int>.size, size <= maximumBytes else { return nil }
    // Never a part of a pointer: every such structure is a multiple of its alignment.
    let whole = size & ~(MemoryLayout<Int>.alignment - 1)
    return withUnsafeTemporaryAllocation(of: Table.self, capacity: 1) { copy in
      let bytes = UnsafeMutableRawBufferPointer(copy)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      if let zero { withUnsafeBytes(of: zero) { bytes.copyMemory(from: $0) } }
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: table, count: min(whole, bytes.count)))
      return copy[0]
    }
  }

  static func size<Table>(of table: UnsafePointer<Table>) -> Int { UnsafeRawPointer(table).loadUnaligned(as: Int.self) }

  /// Fills a structure of the host's; members that only its header has stay as they are.
  /// - Parameter size: what the host gave as `struct_size`.
  /// - Returns: false when it cannot be that of such a structure.
  static func write<Table>(_ table: Table, to place: UnsafeMutablePointer<Table>, size: Int) -> Bool {
    guard size >= MemoryLayout<Table>.size, size <= maximumBytes else { return false }
    place.pointee = table
    return true
  }
}
