/// An explanation as an indented tree: an object of plain members is one line, deeper ones are a block.
enum StepTree {
  static func lines(of value: JSON, hasColor: Bool) -> [String] { block(value, depth: 0, hasColor) }

  private static func block(_ value: JSON, depth: Int, _ hasColor: Bool) -> [String] {
    let margin = String(repeating: "  ", count: depth)
    if let steps = value.array, !isPlain(value) {
      return steps.flatMap { block($0, depth: $0.array == nil ? depth : depth + 1, hasColor) }
    }
    guard let members = value.members else { return [margin + plain(value)] }
    let flat = members.filter { isPlain($0.value) }
    var lines: [String] = []
    if !flat.isEmpty {
      lines.append(margin + flat.map { member($0.name, $0.value, hasColor) }.joined(separator: "  "))
    }
    for (name, value) in members where !isPlain(value) {
      lines.append(margin + "  " + name + ":")
      lines += (value.array ?? [value]).flatMap { block($0, depth: depth + 2, hasColor) }
    }
    return lines
  }

  private static func member(_ name: String, _ value: JSON, _ hasColor: Bool) -> String {
    let text = "\(Display.oneLine(name))=\(plain(value))"
    guard hasColor, let outcome = value.bool, ["holds", "enabled", "satisfied"].contains(name) else { return text }
    return (outcome ? Color.green : .red).apply(text)
  }

  private static func isPlain(_ value: JSON) -> Bool {
    value.members == nil && value.elements.allSatisfy { $0.members == nil && $0.array == nil }
  }

  private static func plain(_ value: JSON) -> String {
    if let array = value.array, isPlain(value) { return "[" + array.map { plain($0) }.joined(separator: ", ") + "]" }
    if let bool = value.bool { return bool ? "yes" : "no" }
    if value.isNull { return "-" }
    return Display.oneLine(value.string ?? value.text)
  }
}
