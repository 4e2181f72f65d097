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

  /// A table of functions, which belongs to the library from now on: of one whose size is wrong, `release` runs at once. Every
  /// header's tables reach as far as that member, whatever their sizes say.
  /// - Returns: nil for NULL, and when the size is none of such a table, or one that ends before its `release`.
  static func take<Table: FunctionTable>(_ table: UnsafePointer<Table>?) -> Table? {
    let taken = read(table)
    guard let table, taken?.release == nil else { return taken }
    if table.pointee.release == nil { return taken }
    HostRelease.run(table.pointee.release, table.pointee.user_data)
    return nil
  }

  /// The structures of an array: the first one's size is the distance between them, and every one's.
  /// - Returns: nil for NULL of more than none, more than `limit`, and sizes that cannot be.
  static func list<Element>(_ first: UnsafePointer<Element>?, _ count: Int, limit: Int) -> [Element]? {
    guard count > 0 else { return count == 0 ? [] : nil }
    guard let first, count <= limit else { return nil }
    var elements: [Element] = []
    for index in 0..<count {
      guard let element = element(of: first, at: index) else { return nil }
      elements.append(element)
    }
    return elements
  }

  /// One of them; nil when its size or the first one's cannot be.
  @inline(__always)
  static func element<Element>(of first: UnsafePointer<Element>, at index: Int) -> Element? {
    let stride = size(of: first)
    guard stride >= MemoryLayout<Int>.size, stride <= maximumBytes, stride % MemoryLayout<Int>.alignment == 0 else { return nil }
    let place = (UnsafeRawPointer(first) + index * stride).assumingMemoryBound(to: Element.self)
    guard size(of: place) == stride else { return nil }
    // Of the usual size it is not copied byte by byte.
    return stride == MemoryLayout<Element>.size ? place.pointee : read(place)
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
