internal import HoistBase
internal import HoistJSON

/// What a hit says, in one piece of memory as it is recorded: setting a value copies its bytes, and JSON is made of
/// them when the record is drained.
///
///     field · short part   a text
///     field · eight bytes  a number, in native order
///     field · one byte     a category
public struct HitFields: ~Copyable {
  private static let firstCapacity = 256

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
      let size = Self.size(field, value)
      reserve(size)
      write(field, value, at: used)
      used += size
    }
    known |= field.bit
    filled = value.isEmpty ? filled & ~field.bit : filled | field.bit
  }

  @inline(__always)
  private static func size(_ field: HitField, _ value: ByteView) -> Int {
    1 + (field.form == .text ? PartWriter.bytes(ofShort: value.count) : value.count)
  }

  @inline(__always)
  private func write(_ field: HitField, _ value: ByteView, at place: Int) {
    var writer = PartWriter(base + place)
    writer.byte(field.rawValue)
    if field.form == .text { writer.shortPart(value) } else { writer.plain(value) }
  }

  @inline(never)
  private mutating func replace(_ field: HitField, _ value: ByteView) {
    var reader = PartReader(bytes)
    var place = 0
    while let former = HitValue.next(&reader), former.field != field { place = reader.position }
    let (end, newEnd) = (reader.position, place + Self.size(field, value))
    reserve(max(0, newEnd - end))
    (base + newEnd).copyMemory(from: base + end, byteCount: used - end)
    write(field, value, at: place)
    used += newEnd - end
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
    while let (field, value) = next(&reader), body(field, value) {}
  }

  /// nil at the end, and where nothing is complete.
  static func next(_ reader: inout PartReader) -> (field: HitField, value: ByteView)? {
    guard let field = reader.byte().flatMap({ HitField(rawValue: $0) }) else { return nil }
    let value =
      switch field.form {
      case .text: reader.shortPart()
      case .integer, .number: reader.plain(8)
      case .category: reader.plain(1)
      }
    return value.map { (field, $0) }
  }

  static func find(_ field: HitField, in fields: ByteView) -> ByteView? {
    var found: ByteView?
    forEach(in: fields) {
      if $0 == field { found = $1 }
      return found == nil
    }
    return found
  }

  private static func category(_ value: ByteView) -> Hit.EventCategory {
    value.first.flatMap { Hit.EventCategory(rawValue: $0) } ?? .actionTracking
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
      case .category: category(value).text.withUTF8Buffer { writer.string(utf8: $0) }
      case .integer: writer.int(Int64(bitPattern: bits(value)))
      case .number: writer.double(Double(bitPattern: bits(value)))
      }
      return true
    }
  }
}
