/// A text compared by its bytes: Swift's own equality treats canonically equivalent texts, which may be different keys
/// or persons, as equal.
struct ByteKey: Hashable, Sendable {
  let text: String
  init(_ text: String) { self.text = text }

  static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
