/// A JSON value: read from a text of the library's, or built to be printed. Members keep their order, numbers their digits.
enum JSON {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSON])
  case object([(name: String, value: JSON)])

  var isNull: Bool { if case .null = self { true } else { false } }
  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }
  var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
  var members: [(name: String, value: JSON)]? { if case .object(let members) = self { members } else { nil } }

  /// The elements of an array; none of anything else.
  var elements: [JSON] { array ?? [] }

  /// The member of an object. Names are compared by their bytes.
  subscript(_ name: String) -> JSON? {
    members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// JSON text on one line.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): Self.quoted(text)
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case _ where Display.steers(scalar):
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
  init(stringLiteral text: String) { self = .string(text) }
  init(booleanLiteral bool: Bool) { self = .bool(bool) }
  init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { (name: $0.0, value: $0.1) }) }

  /// null for no text.
  init(_ text: String?) { self = text.map { .string($0) } ?? .null }
}
