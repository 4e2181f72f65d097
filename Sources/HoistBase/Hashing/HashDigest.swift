/// What a cryptographic hash returns. It lends its bytes, so `Hex.encode(digest)` and
/// `Base64.encode(digest)` work.
@frozen public struct HashDigest<let byteCount: Int>: Sendable, Equatable, ByteSource {
  let storage: InlineArray<byteCount, UInt8>

  init(_ storage: InlineArray<byteCount, UInt8>) { self.storage = storage }

  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    storage.span.withUnsafeBytes { body($0) }
  }

  /// The eight bytes from `8 * index` on as a number, the first byte highest; 0 past the end.
  public func bigEndianWord(_ index: Int) -> UInt64 {
    withBytes { bytes in
      guard index >= 0, index < bytes.count / 8 else { return 0 }
      return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self))
    }
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.withBytes { one in right.withBytes { one.hasSameBytes(as: $0) } }
  }
}
