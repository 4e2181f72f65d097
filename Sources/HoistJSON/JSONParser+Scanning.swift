/// Moving over the text, and saying where something is wrong.
extension JSONParser {
  /// What an empty buffer, whose address may be nil, is read as.
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

  /// The byte at hand for a message: printable ASCII as itself, others by number.
  var found: String {
    guard at < end else { return "the end of the text" }
    let byte = at.pointee
    return byte > 0x20 && byte < 0x7F
      ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
  }

  func failure(
    _ reason: String, _ kind: JSONFailure.Kind = .syntax, at place: UnsafePointer<UInt8>? = nil
  ) -> JSONFailure {
    let place = place ?? at
    var line = 1
    var lineStart = start
    var cursor = start
    while cursor < place {
      if cursor.pointee == 0x0A {
        line += 1
        lineStart = cursor + 1
      }
      cursor += 1
    }
    return JSONFailure(
      kind, reason, at: JSONPosition(byte: place - start, line: line, column: place - lineStart + 1))
  }
}
