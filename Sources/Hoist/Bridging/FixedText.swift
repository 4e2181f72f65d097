internal import HoistBase

enum FixedText {
  /// As much of `text` as fits, cut between characters of UTF-8, and NULs after it; a NUL inside ends it.
  static func fill(_ place: UnsafeMutableRawBufferPointer, with text: String) {
    place.initializeMemory(as: UInt8.self, repeating: 0)
    let bytes = Array(text.utf8)
    var count = min(bytes.count, max(0, place.count - 1))
    while count > 0, count < bytes.count, bytes[count] & 0xC0 == 0x80 { count -= 1 }
    place.copyBytes(from: bytes[..<count])
  }
}
