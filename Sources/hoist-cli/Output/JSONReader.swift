extension JSON {
  /// nil for what is no JSON, and for what is nested deeper than any text of the library's.
  init?(parsing text: String) {
    var reader = JSONReader(Array(text.utf8))
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }
}

/// Reads one text.
private struct JSONReader {
  private let bytes: [UInt8]
  private var at = 0
  private static let deepest = 512

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return at == bytes.count
    }
  }

  mutating func value(depth: Int) -> JSON? {
    skipSpace()
    guard depth < Self.deepest, at < bytes.count else { return nil }
    switch bytes[at] {
    case UInt8(ascii: "{"): return object(depth)
    case UInt8(ascii: "["): return array(depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    default: return word()
    }
  }

  private mutating func skipSpace() {
    while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard at < bytes.count, bytes[at] == UInt8(ascii: mark) else { return false }
    at += 1
    return true
  }

  private mutating func array(_ depth: Int) -> JSON? {
    at += 1
    var elements: [JSON] = []
    if take("]") { return .array([]) }
    repeat {
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
    } while take(",")
    return take("]") ? .array(elements) : nil
  }

  private mutating func object(_ depth: Int) -> JSON? {
    at += 1
    var members: [(name: String, value: JSON)] = []
    if take("}") { return .object([]) }
    repeat {
      skipSpace()
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\""), let name = string(), take(":"), let value = value(depth: depth + 1)
      else { return nil }
      members.append((name, value))
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  /// A number, or one of the three names.
  private mutating func word() -> JSON? {
    let begin = at
    while at < bytes.count, !",]} \t\r\n".utf8.contains(bytes[at]) { at += 1 }
    let word = String(decoding: bytes[begin..<at], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: return Double(word) == nil ? nil : .number(word)
    }
  }

  private mutating func string() -> String? {
    at += 1
    var units: [UInt8] = []
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: units, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        guard let scalar = escaped() else { return nil }
        units += Array(String(scalar).utf8)
      } else {
        units.append(byte)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard at < bytes.count else { return nil }
    at += 1
    switch bytes[at - 1] {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "u"):
      guard let first = hexadecimal() else { return nil }
      guard first & 0xFC00 == 0xD800, at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\") else { return Unicode.Scalar(first) }
      at += 2
      return hexadecimal().flatMap { Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + $0 & 0x3FF) }
    case let other: return Unicode.Scalar(other)
    }
  }

  private mutating func hexadecimal() -> UInt32? {
    guard at + 4 <= bytes.count else { return nil }
    at += 4
    return UInt32(String(decoding: bytes[at - 4..<at], as: UTF8.self), radix: 16)
  }
}
