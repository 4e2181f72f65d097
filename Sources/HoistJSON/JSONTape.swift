internal import CShims
internal import HoistBase

/// Values as one flat list in the order of the text: an entry for each, a container before what is in it.
///
/// Nothing is allocated per value, and the memory is reused; so a tape suits documents that are read once. Use
/// `JSONDocument` for what is stored and shared.
struct JSONTape: JSONSink, ~Copyable {
  struct Entry: BitwiseCopyable {
    /// Of a member; nil elsewhere.
    var name: UnsafePointer<UInt8>?
    /// A string's bytes; a container's text.
    var text: UnsafePointer<UInt8>?
    /// An integer, the pattern of a double, 1 for true; how many values are directly in a container.
    var bits: UInt64 = 0
    var nameCount: UInt32
    var textCount: UInt32 = 0
    /// Entries of the value, itself included. While a container is open: the index of the one around it, plus 1.
    var extent: UInt32 = 1
    var kind: JSONKind
  }

  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private var count = 0
  /// The index of the innermost open container, plus 1.
  private var innermost = 0
  private(set) var depth = 0
  private var name = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// Names and strings that had escapes.
  private var decoded = TextArena()
  private let source: UnsafeBufferPointer<UInt8>

  /// - Parameter scanner: over the text that is read; fewer than 4 GiB.
  init(_ scanner: borrowing JSONScanner) {
    source = UnsafeBufferPointer(start: scanner.start, count: scanner.end - scanner.start)
  }

  deinit { shim_pages_free(entries, Self.bytes(capacity)) }

  /// Forgets the values, but no text of theirs.
  mutating func clear() {
    count = 0
    innermost = 0
    depth = 0
    name = UnsafeBufferPointer(start: nil, count: 0)
  }

  /// The value read last, if one was read to its end.
  var root: JSONNode? { depth == 0 && count > 0 ? entries.map { JSONNode($0) } : nil }

  var isInObject: Bool { entries.map { innermost > 0 && $0[innermost &- 1].kind == .object } ?? false }

  mutating func name(_ name: UnsafeBufferPointer<UInt8>) { self.name = kept(name) }

  mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(JSONFailure) {
    let text = kept(text)
    try append(.string) { entry in
      entry.text = text.baseAddress
      entry.textCount = UInt32(truncatingIfNeeded: text.count)
    }
  }

  mutating func number(_ number: JSONScanner.Number) throws(JSONFailure) {
    switch number {
    case .int(let value): try append(.int) { $0.bits = UInt64(bitPattern: value) }
    case .double(let value): try append(.double) { $0.bits = value.bitPattern }
    }
  }

  mutating func bool(_ truth: Bool) throws(JSONFailure) { try append(.bool) { $0.bits = truth ? 1 : 0 } }
  mutating func null() throws(JSONFailure) { try append(.null) { _ in } }

  mutating func open(_ place: UnsafePointer<UInt8>, isObject: Bool) throws(JSONFailure) {
    let around = UInt32(truncatingIfNeeded: innermost)
    try append(isObject ? .object : .array) { entry in
      entry.text = place
      entry.extent = around
    }
    innermost = count
    depth += 1
  }

  mutating func close(_ place: UnsafePointer<UInt8>) {
    guard let entries, innermost > 0 else { return }
    let index = innermost - 1
    innermost = Int(entries[index].extent)
    entries[index].extent = UInt32(truncatingIfNeeded: count - index)
    if let text = entries[index].text { entries[index].textCount = UInt32(truncatingIfNeeded: place - text) }
    depth -= 1
  }

  @inline(__always)
  private mutating func append(_ kind: JSONKind, _ fill: (inout Entry) -> Void) throws(JSONFailure) {
    if count == capacity { try grow() }
    guard let entries else { throw .outOfMemory }
    if innermost > 0 { entries[innermost &- 1].bits &+= 1 }
    let entry = entries + count
    entry.initialize(to: Entry(name: name.baseAddress, nameCount: UInt32(truncatingIfNeeded: name.count), kind: kind))
    fill(&entry.pointee)
    name = UnsafeBufferPointer(start: nil, count: 0)
    count &+= 1
  }

  private mutating func grow() throws(JSONFailure) {
    let wanted = max(64, capacity &* 2)
    guard wanted <= Int(UInt32.max), let grown = shim_pages_resize(entries, Self.bytes(capacity), Self.bytes(wanted)) else {
      throw .outOfMemory
    }
    entries = grown.bindMemory(to: Entry.self, capacity: wanted)
    capacity = wanted
  }

  private static func bytes(_ capacity: Int) -> Int { capacity &* MemoryLayout<Entry>.stride }

  @inline(__always)
  private mutating func kept(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard let start = text.baseAddress, let first = source.baseAddress else { return text }
    // A string without escapes is in the text itself.
    if start >= first, start <= first + source.count { return text }
    return decoded.keep(UnsafeRawBufferPointer(text)).bindMemory(to: UInt8.self)
  }
}
