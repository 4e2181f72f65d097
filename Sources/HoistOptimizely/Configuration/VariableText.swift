internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A variable's text as a value of its type (protocols/optimizely.md 4.10).
enum VariableText {
  case string
  case integer(Int64)
  case double(Double)
  case boolean(Bool)
  /// Compact text of an object.
  case json([UInt8])

  /// - Returns: nil when the text is none of that type.
  static func read(_ text: ByteView, as type: VariableType) -> VariableText? {
    switch type {
    case .string: .string
    case .integer: IntegerParser.parse(text, as: Int64.self, signs: .plusOrMinus).value.map { .integer($0) }
    case .double:
      DecimalParser.parse(text, [.plusSign, .leadingZeros, .bareFraction, .bareWhole])
        .flatMap { $0.isFinite ? .double($0) : nil }
    case .boolean: text.reads("true") ? .boolean(true) : text.reads("false") ? .boolean(false) : nil
    case .json: object(text).map { .json($0) }
    }
  }

  private static func object(_ text: ByteView) -> [UInt8]? {
    let compact = try? JSONNode.parse(text) { root -> [UInt8]? in
      guard root.object != nil else { return nil }
      // Only one of several members of the same name counts: a tree handles that.
      guard !root.hasRepeatedNames else { return treeText(text) }
      var writer = JSONWriter(wholeDoubles: .withFraction, reservingCapacity: text.count)
      writer.value(root)
      return writer.bytes
    }
    return compact ?? nil
  }

  private static func treeText(_ text: ByteView) -> [UInt8]? {
    let document = try? JSONDocument(parsing: text)
    return document?.withRoot { try? $0.text(wholeDoubles: .withFraction) }
  }

  /// - Parameter text: what the value was read from.
  func write(to writer: inout JSONWriter, _ text: ByteView) {
    switch self {
    case .string: writer.string(text)
    case .integer(let whole): writer.int(whole)
    case .double(let number): writer.double(number)
    case .boolean(let truth): writer.bool(truth)
    case .json(let object): writer.raw(object)
    }
  }

  func record(_ text: ByteView, _ builder: inout SnapshotBuilder) -> VariableValue {
    switch self {
    case .string: VariableValue(text: builder.text(text))
    case .integer(let whole): VariableValue(text: builder.text(text), integer: whole, number: Double(whole))
    case .double(let number): VariableValue(text: builder.text(text), number: number)
    case .boolean(let truth): VariableValue(text: builder.text(text), integer: truth ? 1 : 0)
    case .json(let object): VariableValue(text: builder.text(object))
    }
  }
}
