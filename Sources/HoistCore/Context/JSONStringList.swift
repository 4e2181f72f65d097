internal import HoistJSON

/// A list of texts as a JSON array.
enum JSONStringList {
  static func text(of list: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for text in list { text.withUnsafeBufferPointer { writer.string(utf8: $0) } }
    }
    return writer.bytes
  }
}
