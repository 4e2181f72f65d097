/// Bytes that stand for themselves in a JSON string.
enum PlainBytes {
  /// - Returns: the first quote, backslash, control character or byte beyond ASCII, or `end`. Eight bytes a step.
  @inline(__always)
  static func end(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var at = start
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = ones &* 0x80
    while end - at >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let special =
        ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word) | word
      // A borrow can mark bytes above the first special one, never below it.
      if special & highs != 0 { return at + (special & highs).trailingZeroBitCount / 8 }
      at += 8
    }
    while at < end, at.pointee >= 0x20, at.pointee < 0x80, at.pointee != 0x22, at.pointee != 0x5C { at += 1 }
    return at
  }
}
