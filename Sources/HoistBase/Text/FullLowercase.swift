/// Unicode full lower case, without a locale, as Rust's `str::to_lowercase` has it
/// (protocols/unleash.md C.4): mappings to several code points (`İ` to `i` and U+0307), and the one
/// mapping that depends on its surroundings, the final sigma (Unicode 3.13, table 3-17).
public enum FullLowercase {
  public static func text(_ source: some ByteSource) -> String {
    source.withBytes { bytes in withLowercased(bytes) { String(decoding: $0, as: UTF8.self) } }
  }

  /// Runs `body` with the lower case of `bytes`; without an allocation when they are ASCII, and
  /// without a copy when nothing changes. Invalid UTF-8 is repaired first.
  public static func withLowercased<Result>(
    _ bytes: ByteView, _ body: (ByteView) -> Result
  ) -> Result {
    guard UTF8Text.isASCII(bytes) else { return mapped(bytes).withBytes(body) }
    guard bytes.contains(where: ASCII.isUppercase) else { return body(bytes) }
    return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { copy in
      for index in 0..<bytes.count { copy[index] = ASCII.lowercased(bytes[index]) }
      return body(ByteView(copy))
    }
  }

  private static func mapped(_ bytes: ByteView) -> [UInt8] {
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
