/// A place in a text that moves on: spaces, words, strings and numbers, and saying where something is wrong.
struct JSONScanner: ~Copyable {
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var at: UnsafePointer<UInt8>
  let limits: JSONLimits

  /// Decoded forms of a member name and of a string that hold escapes.
  var nameText = DecodedText()
  var stringText = DecodedText()

  init(_ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits) throws(JSONFailure) {
    guard bytes.count <= limits.maximumBytes else {
      throw JSONFailure(.limit, "the text is longer than \(limits.maximumBytes) bytes")
    }
    let text = bytes.bindMemory(to: UInt8.self)
    start = text.baseAddress ?? Self.emptyText
    end = start + text.count
    at = start
    self.limits = limits
  }

  /// Stands for an empty buffer, whose address may be nil.
  nonisolated(unsafe) static let emptyText = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  @inline(__always)
  mutating func skipSpace() {
    while at < end {
      switch at.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: at += 1
      default: return
      }
    }
  }

  mutating func skipByteOrderMark() {
    if end - at >= 3, at[0] == 0xEF, at[1] == 0xBB, at[2] == 0xBF { at += 3 }
  }

  mutating func skip(_ word: StaticString) throws(JSONFailure) {
    let count = word.utf8CodeUnitCount
    for index in 0..<count {
      guard end - at > index, at[index] == word.utf8Start[index] else {
        throw failure("expected \(word)")
      }
    }
    at += count
  }

  /// Past the comma between two values.
  mutating func skipComma(isObject: Bool) throws(JSONFailure) {
    guard at < end else { throw failure("the text ends inside an \(isObject ? "object" : "array")") }
    guard at.pointee == UInt8(ascii: ",") else {
      throw failure("expected ',' or '\(isObject ? "}" : "]")', found \(found)")
    }
    at += 1
  }

  /// Past a member's name and the colon after it.
  mutating func readName() throws(JSONFailure) -> UnsafeBufferPointer<UInt8> {
    skipSpace()
    guard at < end, at.pointee == UInt8(ascii: "\"") else {
      throw failure("expected a member name, found \(found)")
    }
    let name = try readString(isName: true)
    skipSpace()
    guard at < end, at.pointee == UInt8(ascii: ":") else {
      throw failure("expected ':' after the member name, found \(found)")
    }
    at += 1
    return name
  }

  /// The current byte for a message: printable ASCII as itself, others by number.
  var found: String {
    guard at < end else { return "the end of the text" }
    let byte = at.pointee
    return byte > 0x20 && byte < 0x7F
      ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
  }

  func failure(
    _ reason: String, _ kind: JSONFailure.Kind = .syntax, at place: UnsafePointer<UInt8>? = nil
  ) -> JSONFailure {
    JSONFailure(kind, reason, at: JSONPosition(of: (place ?? at) - start, in: start))
  }
}
