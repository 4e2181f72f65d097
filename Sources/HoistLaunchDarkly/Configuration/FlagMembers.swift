internal import HoistBase
internal import HoistJSON

/// Members as the service sends them: null is as good as missing, and anything else of a wrong type a failure of the whole.
extension JSONNode {
  private func member(_ name: StaticString, _ wanted: StaticString, _ fits: (JSONNode) -> Bool) throws(FlagFailure) -> JSONNode? {
    guard let member = self[name]?.unlessNull else { return nil }
    guard fits(member) else { throw FlagFailure("\"\(name)\" is no \(wanted)") }
    return member
  }

  /// It may be written `1.0`.
  func integer(_ name: StaticString) throws(FlagFailure) -> Int64? {
    try member(name, "integer") { $0.whole != nil }?.whole
  }

  private var whole: Int64? { int64 ?? double.flatMap { Int64(exactly: $0) } }

  /// False where it is missing.
  func truth(_ name: StaticString) throws(FlagFailure) -> Bool {
    try member(name, "boolean") { $0.kind == .bool }?.bool ?? false
  }

  /// Milliseconds since 1970, cut toward zero.
  func date(_ name: StaticString) throws(FlagFailure) -> Int64? {
    guard let number = try member(name, "number", { $0.double != nil })?.double else { return nil }
    return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }

  func text(_ name: StaticString) throws(FlagFailure) -> ByteView? {
    try member(name, "string") { $0.kind == .string }?.bytes
  }

  func object(_ name: StaticString) throws(FlagFailure) -> JSONNode? {
    try member(name, "object") { $0.kind == .object }
  }

  /// An array of strings.
  func texts(_ name: StaticString) throws(FlagFailure) -> JSONNode? {
    try member(name, "array of strings") { $0.array?.allSatisfy { $0.kind == .string } ?? false }
  }

  /// The elements of an array of objects; none where it is missing.
  func objects(_ name: StaticString) throws(FlagFailure) -> [JSONNode] {
    let list = try member(name, "array of objects") { $0.array?.allSatisfy { $0.kind == .object } ?? false }
    return list?.array.map { Array($0) } ?? []
  }

  /// The elements of an array of anything; nil where it is missing.
  func values(_ name: StaticString) throws(FlagFailure) -> [JSONNode]? {
    try array(name)?.array.map { Array($0) }
  }

  func array(_ name: StaticString) throws(FlagFailure) -> JSONNode? { try member(name, "array") { $0.kind == .array } }
}

extension JSONNode {
  /// Runs `body` with a whole message.
  static func withRoot<Result>(
    of text: ByteView, _ limits: JSONLimits, _ body: (JSONNode) throws(FlagFailure) -> Result
  ) throws(FlagFailure) -> Result {
    let result: Swift.Result<Result, FlagFailure>
    do throws(JSONFailure) {
      result = try JSONNode.parse(text, limits: limits) { node in
        Swift.Result { () throws(FlagFailure) in try body(node) }
      }
    } catch {
      throw FlagFailure(error)
    }
    return try result.get()
  }
}

/// A member without which there is no sense in the rest.
func required<Value>(_ value: Value?, _ name: StaticString) throws(FlagFailure) -> Value {
  guard let value else { throw FlagFailure("\"\(name)\" is missing") }
  return value
}
