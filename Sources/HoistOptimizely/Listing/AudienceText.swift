internal import HoistBase
internal import HoistJSON

/// A rule's audience expression for people: `"us" OR ("adults" AND "mobile")` (protocols/optimizely.md 7).
enum AudienceText {
  /// - Parameter names: of audiences, by id; an id that is unknown stands for itself.
  static func text(of conditions: JSONDocument?, _ names: [BytesKey: ByteView]) -> String {
    conditions?.withRoot { text(of: $0, names, depth: 0) } ?? ""
  }

  private static func text(of node: JSONValue, _ names: [BytesKey: ByteView], depth: Int) -> String {
    guard let list = node.array else {
      guard let id = node.utf8.map({ ByteView($0) }) else { return "" }
      return "\"" + String(decoding: names[BytesKey(id)] ?? id, as: UTF8.self) + "\""
    }
    guard depth < Program.maximumDepth else { return "…" }
    let (operation, operands) = DatafileCompiler.parts(list)
    let texts = operands.map { operand in
      let text = text(of: operand, names, depth: depth + 1)
      return operand.array == nil ? text : "(\(text))"
    }
    if operation == .not { return "NOT " + (texts.first ?? "") }
    return texts.joined(separator: operation == .and ? " AND " : " OR ")
  }
}
