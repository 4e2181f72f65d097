internal import HoistBase
internal import HoistJSON

/// A body in the parts that may go on their own.
struct ForwardedBody {
  /// More are not told apart.
  private static let mostElements = 10_000

  private(set) var elements: [[UInt8]]
  private var head: [UInt8] = []
  private var tail: [UInt8] = []
  private var separator = UInt8(ascii: ",")

  /// A body that is not of that form is one part.
  init(_ body: [UInt8], _ division: BodyDivision) throws(JSONFailure) {
    elements = [body]
    switch division {
    case .none: break
    case .lines:
      separator = UInt8(ascii: "\n")
      divide(body.split(separator: separator).map { Array($0) })
    case .elements: try divide(body) { $0 }
    case .elementsOf(let name): try divide(body) { $0[name] }
    }
  }

  private mutating func divide(_ found: [[UInt8]]) {
    if 1...Self.mostElements ~= found.count { elements = found }
  }

  /// - Parameter list: finds the array in the root.
  private mutating func divide(_ body: [UInt8], _ list: (JSONNode) -> JSONNode?) throws(JSONFailure) {
    var parts: (head: [UInt8], elements: [[UInt8]], tail: [UInt8])?
    _ = try JSONNode.judge(body) { root in
      guard let whole = root.source, let array = list(root)?.array else { return false }
      let sources = array.map(\.source)
      guard !sources.contains(where: { $0 == nil }), let first = sources.first?.flatMap(\.baseAddress),
        let last = sources.last ?? nil, let end = last.baseAddress.map({ $0 + last.count }), let start = whole.baseAddress
      else { return false }
      parts = (
        Array(whole[..<(first - start)]), sources.compactMap { $0.map { Array($0) } }, Array(whole[(end - start)...])
      )
      return true
    }
    guard let parts, parts.elements.count <= Self.mostElements else { return }
    (head, elements, tail) = parts
  }

  /// A body of some of the parts.
  func joined(_ parts: [ArraySlice<UInt8>]) -> [UInt8] {
    var body = head
    body.reserveCapacity(parts.reduce(head.count + tail.count) { $0 + $1.count + 1 })
    for (place, part) in parts.enumerated() {
      if place > 0 { body.append(separator) }
      body += part
    }
    return body + tail
  }

  /// Without its parts, which the caller keeps.
  mutating func forgetElements() { elements = [] }
}
