/// Unicode full lower case, without a locale, as Rust's `str::to_lowercase` has it
/// (protocols/unleash.md C.4): mappings to several code points (`İ` to `i` and U+0307), and the one
/// mapping that depends on its surroundings, the final sigma (Unicode 3.13, table 3-17).
public enum FullLowercase {
  public static func text(_ source: some ByteSource) -> String {
    source.withBytes { bytes in withLowercased(bytes) { String(decoding: $0, as: UTF8.self) } }
  }

  /// Runs `body` with the lower case of `bytes`; without an allocation when they are short ASCII,
  /// and without a copy when nothing changes. Invalid UTF-8 is repaired first.
  @inlinable
  public static func withLowercased<Result>(
    _ bytes: ByteView, _ body: (ByteView) -> Result
  ) -> Result {
    switch change(of: bytes) {
    case .none: return body(bytes)
    case .letters:
      return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { copy in
        for index in 0..<bytes.count { copy[index] = ASCII.lowercased(bytes[index]) }
        return body(ByteView(copy))
      }
    case .mapping: return mapped(bytes).withBytes(body)
    }
  }

  @usableFromInline
  enum Change: Sendable {
    /// ASCII without capitals.
    case none
    /// ASCII.
    case letters
    case mapping
  }

  /// Eight bytes at a time: adding to a byte below 0x80 what `A` lacks to 0x80 sets its highest bit
  /// from `A` on, and never reaches the next byte.
  @usableFromInline
  static func change(of bytes: ByteView) -> Change {
    guard let base = bytes.baseAddress else { return .none }
    var offset = 0
    var capitals: UInt64 = 0
    while offset &+ 8 <= bytes.count {
      let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return .mapping }
      capitals |= (word &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(word &+ 0x2525_2525_2525_2525)
      offset &+= 8
    }
    var hasCapitals = capitals & 0x8080_8080_8080_8080 != 0
    while offset < bytes.count {
      let byte = base.load(fromByteOffset: offset, as: UInt8.self)
      if byte >= 0x80 { return .mapping }
      if ASCII.isUppercase(byte) { hasCapitals = true }
      offset &+= 1
    }
    return hasCapitals ? .letters : .none
  }

  @usableFromInline
  static func mapped(_ bytes: ByteView) -> [UInt8] {
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count &+ 8)
    for (index, scalar) in scalars.enumerated() {
      if scalar.isASCII {
        result.append(ASCII.lowercased(UInt8(truncatingIfNeeded: scalar.value)))
      } else if scalar == capitalSigma {
        let isFinal = endsWord(scalars[..<index].reversed()) && !endsWord(scalars[(index + 1)...])
        result.append(contentsOf: isFinal ? "ς".utf8 : "σ".utf8)
      } else {
        result.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
      }
    }
    return result
  }

  /// True when the first scalar that is not case-ignorable is a cased one.
  private static func endsWord(_ scalars: some Sequence<Unicode.Scalar>) -> Bool {
    scalars.first { !$0.properties.isCaseIgnorable }?.properties.isCased ?? false
  }

  private static let capitalSigma: Unicode.Scalar = "Σ"
}
