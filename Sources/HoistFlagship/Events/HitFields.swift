internal import HoistBase
internal import HoistJSON

/// What a hit says, in one piece of memory as it is recorded: setting a value copies its bytes, and JSON is made of them
/// when the record is taken in.
///
///     field · length · bytes        a text
///     field · length · eight bytes  a number, as it stands in memory
public struct HitFields: ~Copyable {
  private static let firstCapacity = 256
  private static let headerBytes = 5

  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  /// Which values are here, by the bits of their fields; and which of them are not empty.
  private var known: UInt32 = 0
  private(set) var filled: UInt32 = 0

  init() {
    capacity = Self.firstCapacity
    base = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { base.deallocate() }

  /// Valid until the next change.
  var bytes: ByteView { ByteView(start: base, count: used) }
  /// Of the memory.
  var size: Int { capacity }

  /// Forgets everything but the memory.
  mutating func removeAll() { (used, known, filled) = (0, 0, 0) }

  mutating func set(_ field: HitField, bits: UInt64) {
    withUnsafeBytes(of: bits) { set(field, $0) }
  }

  /// A later value takes the former one's place in the order.
  mutating func set(_ field: HitField, _ value: ByteView) {
    if field.isUnsent { return }
    if known & field.bit != 0 {
      replace(field, value)
    } else {
      reserve(Self.headerBytes + value.count)
      write(field, value, at: used)
      used += Self.headerBytes + value.count
    }
    known |= field.bit
    filled = value.isEmpty ? filled & ~field.bit : filled | field.bit
  }

  @inline(__always)
  private func write(_ field: HitField, _ value: ByteView, at place: Int) {
    let start = base + place
    start.storeBytes(of: field.rawValue, as: UInt8.self)
    (start + 1).storeBytes(of: UInt32(truncatingIfNeeded: value.count).littleEndian, as: UInt32.self)
    if let source = value.baseAddress { (start + Self.headerBytes).copyMemory(from: source, byteCount: value.count) }
  }

  @inline(never)
  private mutating func replace(_ field: HitField, _ value: ByteView) {
    var place = 0
    var former = 0
    HitValue.forEach(in: bytes) { other, text in
      former = text.count
      if other == field { return false }
      place += Self.headerBytes + former
      return true
    }
    reserve(max(0, value.count - former))
    let rest = place + Self.headerBytes + former
    (base + place + Self.headerBytes + value.count).copyMemory(from: base + rest, byteCount: used - rest)
    write(field, value, at: place)
    used += value.count - former
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) { if capacity - used < more { grow(more) } }

  @inline(never)
  private mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, used + more)
    let room = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    room.copyMemory(from: base, byteCount: used)
    base.deallocate()
    (base, capacity) = (room, larger)
  }
}

/// Reading what `HitFields` has written; of a record it may be anything.
enum HitValue {
  /// - Parameter body: gets each value in the order of their setting, until it returns false.
  static func forEach(in fields: ByteView, _ body: (HitField, ByteView) -> Bool) {
    var reader = PartReader(fields)
    while let field = reader.byte().flatMap({ HitField(rawValue: $0) }), let value = reader.part() {
      if !body(field, value) { return }
    }
  }

  static func find(_ field: HitField, in fields: ByteView) -> ByteView? {
    var found: ByteView?
    forEach(in: fields) {
      if $0 == field { found = $1 }
      return found == nil
    }
    return found
  }

  static func bits(_ value: ByteView) -> UInt64 {
    value.count == 8 ? value.loadUnaligned(as: UInt64.self) : 0
  }

  /// The members of the wire item: JSON text without braces.
  static func write(_ fields: ByteView, to writer: inout JSONWriter) {
    forEach(in: fields) { field, value in
      guard let key = field.key else { return true }
      key.withUTF8Buffer { writer.key(utf8: $0) }
      switch field.form {
      case .text: writer.string(utf8: value.bindMemory(to: UInt8.self))
      case .integer: writer.int(Int64(bitPattern: bits(value)))
      case .number: writer.double(Double(bitPattern: bits(value)))
      }
      return true
    }
  }
}
