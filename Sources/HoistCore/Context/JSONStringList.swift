internal import HoistJSON

/// A list of texts as a JSON array.
enum JSONStringList {
  static func text(of list: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for text in list { writer.string(text) }
    writer.endArray()
    return writer.bytes
  }
}
