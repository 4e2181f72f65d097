internal import HoistBase
internal import HoistJSON

/// A rule's audience expression for people: `"us" OR ("adults" AND "mobile")` (protocols/optimizely.md 7).
enum AudienceText {
  /// - Parameter names: of audiences, by id; an id that is unknown stands for itself.
  static func text(of conditions: ConditionsDefinition?, _ names: [BytesKey: ByteView]) -> String {
    switch conditions {
    case .json(let tree): (try? JSONNode.parse(tree) { text(of: $0, names, depth: 0) }) ?? ""
    case .text(let id): name(of: id, names)
    case nil: ""
    }
  }

  private static func name(of id: ByteView, _ names: [BytesKey: ByteView]) -> String {
    "\"" + String(decoding: names[BytesKey(id)] ?? id, as: UTF8.self) + "\""
  }

  private static func text(of node: JSONNode, _ names: [BytesKey: ByteView], depth: Int) -> String {
    guard let list = node.array else { return node.utf8.map { name(of: ByteView($0), names) } ?? "" }
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
