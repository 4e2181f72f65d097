/// A digest that only a holder of the key can make (RFC 2104), by SHA-256.
public enum HMACSHA256 {
  public static func hash(key: ByteView, _ message: ByteView) -> SHA256.Digest {
    var block = [UInt8](repeating: 0, count: 64)
    func fill(_ bytes: ByteView) { for (index, byte) in bytes.enumerated() { block[index] = byte } }
    if key.count > block.count { SHA256.hash(key).withBytes(fill) } else { fill(key) }
    var inner = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    var outer = SHA256()
    outer.update(block.map { $0 ^ 0x5C })
    outer.update(inner.finish())
    return outer.finish()
  }
}
