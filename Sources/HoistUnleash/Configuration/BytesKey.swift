internal import HoistBase

/// Borrowed bytes as a dictionary's key.
struct BytesKey: Hashable {
  let hash: UInt64
  let bytes: ByteView

  init(_ bytes: ByteView) {
    hash = Hash64.hash(bytes)
    self.bytes = bytes
  }

  static func == (left: BytesKey, right: BytesKey) -> Bool {
    left.hash == right.hash && left.bytes.hasSameBytes(as: right.bytes)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A pattern and how it is matched.
struct ExpressionKey: Hashable {
  let pattern: BytesKey
  let foldsCase: Bool
}
