internal import Glibc
internal import HoistBase

/// Attributes by name in the order of setting: what a context is frozen from.
public struct Attribute: Sendable, Equatable {
  public var name: [UInt8]
  public var value: AttributeValue
  public init(name: [UInt8], value: AttributeValue) {
    self.name = name
    self.value = value
  }
}

extension FrozenContext {
  /// Lays out a block with one hold on it. At most 65,534 attributes; names are unique.
  static func build(key: [UInt8]?, attributes: [Attribute]) -> FrozenContext? {
    let texts = attributes.map { AttributeText($0.value) }
    let textBytes = zip(attributes, texts).reduce(key?.count ?? 0) { $0 + $1.0.name.count + $1.1.bytes.count + 2 } + 1
    var slots = 2
    while slots < attributes.count * 2 { slots *= 2 }
    let attributesAt = (MemoryLayout<FrozenContextHead>.size + 15) & ~15
    let tableAt = attributesAt + attributes.count * MemoryLayout<FrozenAttribute>.stride
    let textAt = tableAt + slots * MemoryLayout<UInt16>.stride
    guard attributes.count < Int(UInt16.max), let memory = calloc(1, textAt + textBytes) else { return nil }

    var writer = TextWriter(at: memory + textAt)
    let table = (memory + tableAt).assumingMemoryBound(to: UInt16.self)
    let records = (memory + attributesAt).assumingMemoryBound(to: FrozenAttribute.self)
    let (keyStart, keyHash) = writer.write(key ?? [])
    var fingerprint: UInt64 = key == nil ? 0x9E37_79B9 : keyHash &* 0x9E37_79B9_7F4A_7C15
    var nameBits: UInt64 = 0
    for (index, attribute) in attributes.enumerated() {
      let (name, nameHash) = writer.write(attribute.name)
      let (text, textHash) = writer.write(texts[index].bytes)
      let value = texts[index]
      records[index] = FrozenAttribute(
        nameHash: nameHash, name: name, nameCount: UInt32(attribute.name.count), kind: value.kind, text: text,
        textCount: UInt32(value.bytes.count), textHash: textHash, integer: value.integer, number: value.number)
      fingerprint = fingerprint &+ mix(nameHash, textHash, value.kind)
      nameBits |= nameBit(nameHash)
      var at = UInt32(truncatingIfNeeded: nameHash) & UInt32(slots - 1)
      while table[Int(at)] != 0 { at = (at &+ 1) & UInt32(slots - 1) }
      table[Int(at)] = UInt16(index + 1)
    }
    memory.assumingMemoryBound(to: FrozenContextHead.self).initialize(
      to: FrozenContextHead(
        references: 1, fingerprint: fingerprint, hasKey: key != nil, key: keyStart,
        keyCount: UInt32(key?.count ?? 0), keyHash: keyHash, nameBits: nameBits,
        attributeCount: UInt32(attributes.count), tableMask: UInt32(slots - 1), attributes: records, table: table,
        byteCount: textAt + textBytes))
    return FrozenContext(UnsafeRawPointer(memory))
  }

  /// Commutative over attributes, so that the order of setting does not matter.
  private static func mix(_ name: UInt64, _ text: UInt64, _ kind: AttributeKind) -> UInt64 {
    var mixed = name &+ (text &* 0xFF51_AFD7_ED55_8CCD) &+ UInt64(kind.rawValue)
    mixed ^= mixed &>> 33
    mixed = mixed &* 0xC4CE_B9FE_1A85_EC53
    return mixed ^ (mixed &>> 29)
  }
}

private struct TextWriter {
  private var at: UnsafeMutableRawPointer
  init(at start: UnsafeMutableRawPointer) { at = start }

  /// Copies bytes and a NUL (the block is zeroed); returns their address and hash.
  mutating func write(_ bytes: [UInt8]) -> (UnsafePointer<UInt8>, UInt64) {
    let start = at.assumingMemoryBound(to: UInt8.self)
    bytes.withUnsafeBytes { source in
      if let first = source.baseAddress { memcpy(at, first, source.count) }
    }
    at += bytes.count + 1
    return (UnsafePointer(start), Hash64.hash(start, bytes.count))
  }
}

/// A value in the forms that evaluators compare.
private struct AttributeText {
  var kind: AttributeKind
  var bytes: [UInt8]
  var integer: Int64 = 0
  var number: Double = .nan

  private static let (null, yes, no) = (Array("null".utf8), Array("true".utf8), Array("false".utf8))

  init(_ value: AttributeValue) {
    switch value {
    case .null: (kind, bytes) = (.null, Self.null)
    case .bool(let flag):
      (kind, bytes) = (.bool, flag ? Self.yes : Self.no)
      (integer, number) = (flag ? 1 : 0, flag ? 1 : 0)
    case .int(let whole):
      (kind, bytes) = (.int, Array(String(whole).utf8))
      (integer, number) = (whole, Double(whole))
    case .double(let real): (kind, bytes, number) = (.double, Array(JSONNumberText.text(real).utf8), real)
    case .string(let text): (kind, bytes) = (.string, text)
    case .date(let at):
      (kind, bytes, integer) = (
        .date, Array(RFC3339.text(unixMilliseconds: at, precision: at % 1000 == 0 ? .seconds : .milliseconds).utf8), at
      )
    case .strings(let list): (kind, bytes) = (.strings, JSONStringList.text(of: list))
    case .json(let text): (kind, bytes) = (.json, text)
    }
  }
}
