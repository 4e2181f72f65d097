/// Bytes that need no escape in a JSON string.
enum PlainBytes {
  /// - Returns: the first quote, backslash, control character or byte beyond ASCII, or `end`. Eight bytes a step.
  @inline(__always)
  static func end(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var at = start
    while end - at >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
      let marks = controlsAndEscapes(word) | word & highs
      // A borrow can mark bytes above the first special one, never below it.
      if marks != 0 { return at + marks.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < end, at.pointee >= 0x20, at.pointee < 0x80, at.pointee != 0x22, at.pointee != 0x5C { at += 1 }
    return at
  }

  /// Whether none of eight bytes has to be escaped when it is written; those beyond ASCII have not.
  @inline(__always)
  static func standForThemselves(_ word: UInt64) -> Bool { controlsAndEscapes(word) == 0 }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// The highest bit of each byte that is a quote, a backslash or a control character; of others only above such a one.
  @inline(__always)
  private static func controlsAndEscapes(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)) & highs
  }
}
