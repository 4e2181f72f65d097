import HoistJSON

extension JSONValue {
  /// Compact text with members in order: equal for equal values.
  var canonicalText: String {
    (try? text(order: .sorted)).map { String(decoding: $0, as: UTF8.self) } ?? "(not JSON)"
  }

  /// Compact text that says the same, `1.0` included.
  var source: [UInt8] { (try? text(wholeDoubles: .withFraction)) ?? [] }

  /// The text of a vector's id, whatever its type.
  var idText: String { string ?? canonicalText }
}

extension JSONWriter {
  mutating func member(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }
}

/// The value that a piece of code writes, as canonical text.
func canonical(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  write(&writer)
  guard let document = try? JSONDocument(parsing: writer.bytes) else { return "(not JSON)" }
  return document.withRoot { $0.canonicalText }
}
