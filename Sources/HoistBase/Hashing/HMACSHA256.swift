/// HMAC with SHA-256 (RFC 2104): a keyed hash for signed requests.
public struct HMACSHA256: Sendable {
  private var inner = SHA256()
  private var outer = SHA256()

  /// - Parameter key: any length; one of more than 64 bytes is replaced by its hash.
  public init(key: ByteView) {
    var block = InlineArray<64, UInt8>(repeating: 0)
    if key.count > 64 {
      SHA256.hash(key).withBytes { hashed in
        for index in 0..<hashed.count { block[index] = hashed[index] }
      }
    } else {
      for index in 0..<key.count { block[index] = key[index] }
    }
    inner.update(Self.masked(block, 0x36))
    outer.update(Self.masked(block, 0x5C))
  }

  @inlinable
  public init(key: some ByteSource) { self = key.withBytes { HMACSHA256(key: $0) } }

  public mutating func update(_ bytes: ByteView) { inner.update(bytes) }

  @inlinable
  public mutating func update(_ source: some ByteSource) { source.withBytes { update($0) } }

  /// The code of everything so far. The value can go on.
  public func finish() -> SHA256.Digest {
    var outer = outer
    outer.update(inner.finish())
    return outer.finish()
  }

  @inlinable
  public static func code(_ message: some ByteSource, key: some ByteSource) -> SHA256.Digest {
    var code = HMACSHA256(key: key)
    code.update(message)
    return code.finish()
  }

  private static func masked(_ block: InlineArray<64, UInt8>, _ mask: UInt8) -> HashDigest<64> {
    HashDigest(InlineArray { index in block[index] ^ mask })
  }
}
