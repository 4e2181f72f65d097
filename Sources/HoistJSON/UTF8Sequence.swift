/// Well-formed UTF-8 by table 3-7 of the Unicode standard.
enum UTF8Sequence {
  /// - Returns: the bytes of the character at `start`; 0 when it is malformed or cut off.
  static func length(at start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> Int {
    let lead = start[0]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0..<0x80: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0:
      length = 3
      second = 0xA0...0xBF
    case 0xED:
      length = 3
      second = 0x80...0x9F
    case 0xE1...0xEF: length = 3
    case 0xF0:
      length = 4
      second = 0x90...0xBF
    case 0xF1...0xF3: length = 4
    case 0xF4:
      length = 4
      second = 0x80...0x8F
    default: return 0
    }
    guard end - start >= length, second.contains(start[1]) else { return 0 }
    for index in 2..<max(length, 2) where start[index] & 0xC0 != 0x80 { return 0 }
    return length
  }

  static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard var at = bytes.baseAddress else { return true }
    let end = at + bytes.count
    while true {
      at = PlainBytes.end(from: at, to: end)
      guard at < end else { return true }
      let length = length(at: at, end: end)
      if length == 0 { return false }
      at += length
    }
  }
}
