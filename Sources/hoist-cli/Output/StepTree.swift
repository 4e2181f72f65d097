import HoistJSON

/// An explanation as an indented tree: an object of plain members is one line, deeper ones are a block.
enum StepTree {
  /// Explanations are not deeper; anything deeper is printed as JSON.
  private static let deepest = 32

  static func lines(of json: String, hasColor: Bool) -> [String] {
    guard let document = try? JSONDocument(parsing: json) else { return [json] }
    return document.withRoot { block($0, depth: 0, hasColor) }
  }

  private static func block(_ value: JSONValue, depth: Int, _ hasColor: Bool) -> [String] {
    let margin = String(repeating: "  ", count: depth)
    if let steps = value.array, !isPlain(value), depth < deepest {
      return steps.flatMap { block($0, depth: $0.array == nil ? depth : depth + 1, hasColor) }
    }
    guard let object = value.object, depth < deepest else { return [margin + plain(value)] }
    let members = Array(object)
    let flat = members.filter { isPlain($0.value) }
    var lines: [String] = []
    if !flat.isEmpty {
      lines.append(margin + flat.map { member($0.key.string, $0.value, hasColor) }.joined(separator: "  "))
    }
    for (key, value) in members where !isPlain(value) {
      lines.append(margin + "  " + key.string + ":")
      if let array = value.array {
        for element in array { lines += block(element, depth: depth + 2, hasColor) }
      } else {
        lines += block(value, depth: depth + 2, hasColor)
      }
    }
    return lines
  }

  private static func member(_ name: String, _ value: JSONValue, _ hasColor: Bool) -> String {
    let text = "\(Display.oneLine(name))=\(plain(value))"
    guard hasColor, let outcome = value.bool, ["holds", "enabled", "satisfied"].contains(name) else { return text }
    return (outcome ? Color.green : .red).apply(text)
  }

  private static func isPlain(_ value: JSONValue) -> Bool {
    if let array = value.array { return array.allSatisfy { $0.object == nil && $0.array == nil } }
    return value.object == nil
  }

  private static func plain(_ value: JSONValue) -> String {
    if let array = value.array, isPlain(value) { return "[" + array.map { plain($0) }.joined(separator: ", ") + "]" }
    if let bool = value.bool { return bool ? "yes" : "no" }
    if value.isNull { return "-" }
    let json = (try? value.text()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return Display.oneLine(value.string ?? json)
  }
}
