/// Borrowed bytes as a dictionary's key; they outlive the dictionary.
public struct BytesKey: Hashable {
  public let hash: UInt64
  public let bytes: ByteView

  public init(_ bytes: ByteView) {
    hash = Hash64.hash(bytes)
    self.bytes = bytes
  }

  public static func == (left: BytesKey, right: BytesKey) -> Bool {
    left.hash == right.hash && left.bytes.hasSameBytes(as: right.bytes)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
