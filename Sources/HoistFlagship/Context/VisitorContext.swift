internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A visitor's context as the host and the SDK set it (protocols/flagship.md 4.6). A value; the pairs `fs_…` are not in
/// it: they are added to its frozen form.
struct VisitorContext: Sendable, Equatable {
  /// Why a pair is not taken.
  enum Refusal: Error, Sendable, Equatable {
    case emptyKey
    /// FS-200
    case reserved([UInt8])
    /// Neither text nor boolean nor number.
    case unsupported([UInt8])
    case wrongType(PredefinedKey)
    case unusable([UInt8], EvaluationContext.Refusal)
    case tooMany

    var message: String {
      switch self {
      case .emptyKey: "a context key is empty"
      case .reserved(let key): "context key \"\(Self.shown(key))\" is set by the SDK alone"
      case .unsupported(let key): "the value of context key \"\(Self.shown(key))\" is no text, boolean or number"
      case .wrongType(let key): "context key \"\(key.name)\" takes \(key.type.name)"
      case .unusable(let key, let refusal):
        "the pair of context key \"\(Self.shown(key))\" is refused: \(Self.words(of: refusal))"
      case .tooMany: "the context has \(VisitorContext.maximumPairs) pairs, the most there can be"
      }
    }

    private static func words(of refusal: EvaluationContext.Refusal) -> String {
      switch refusal {
      case .invalidUTF8: "it is not valid UTF-8"
      case .nameTooLong: "the key is longer than \(EvaluationContext.maximumNameBytes) bytes"
      case .valueTooLarge: "the value is larger than \(EvaluationContext.maximumValueBytes) bytes"
      case .tooManyAttributes: "there are too many"
      case .notFinite: "the number is not finite"
      }
    }

    private static func shown(_ key: [UInt8]) -> String { String(decoding: key.prefix(80), as: UTF8.self) }
  }

  /// The reserved pairs are in a frozen context, too.
  static let maximumPairs = EvaluationContext.maximumAttributes - 4

  /// Up to this many a linear search is used instead of a table.
  private static let fewPairs = 16

  /// In the order of setting.
  private(set) var pairs: [Attribute] = []
  /// Places by key; empty for few pairs.
  private var places: [[UInt8]: Int] = [:]

  /// FS-59 to FS-61. What was there under the key stays when the pair is refused.
  mutating func set(_ key: [UInt8], _ value: AttributeValue) throws(Refusal) {
    if key.isEmpty { throw .emptyKey }
    if key.withBytes({ ReservedKey.isOne($0) }) { throw .reserved(key) }
    // Null, lists and objects are refused whatever the key.
    guard Self.isScalar(value) else { throw .unsupported(key) }
    if let predefined = key.withBytes({ PredefinedKey(named: $0) }), !predefined.takes(value) { throw .wrongType(predefined) }
    do { try EvaluationContext.check(key, value) } catch { throw .unusable(key, error) }
    try put(key, value)
  }

  private mutating func put(_ key: [UInt8], _ value: AttributeValue) throws(Refusal) {
    if let place = place(of: key) {
      pairs[place].value = value
      return
    }
    if pairs.count >= Self.maximumPairs { throw .tooMany }
    pairs.append(Attribute(name: key, value: value))
    index()
  }

  private func place(of key: [UInt8]) -> Int? {
    places.isEmpty ? pairs.firstIndex { $0.name == key } : places[key]
  }

  /// Enters the last pairs into the table, once there are more than a few.
  private mutating func index() {
    guard pairs.count > Self.fewPairs else { return }
    while places.count < pairs.count { places[pairs[places.count].name] = places.count }
  }

  /// Pairs of predefined keys that pass every check.
  /// - Returns: false where the keys may be set already, or there is no room; then nothing is set.
  mutating func append(predefined new: [Attribute]) -> Bool {
    let isOther = pairs.allSatisfy { pair in pair.name.withBytes { !PredefinedKey.isPossible($0) } }
    guard isOther, pairs.count + new.count <= Self.maximumPairs else { return false }
    pairs += new
    index()
    return true
  }

  /// Several pairs at once: those that are refused are left out, and `refused` is called for each.
  mutating func set(_ new: some Sequence<Attribute>, refused: (Refusal) -> Void) {
    for pair in new {
      do throws(Refusal) { try set(pair.name, pair.value) } catch { refused(error) }
    }
  }

  private static func isScalar(_ value: AttributeValue) -> Bool {
    switch value {
    case .bool, .int, .double, .string: true
    case .null, .date, .strings, .json: false
    }
  }

  static func == (left: VisitorContext, right: VisitorContext) -> Bool { left.pairs == right.pairs }
}

extension VisitorContext {
  /// The pairs of a JSON object, in its order; nil when the text is none. Arrays and objects come as JSON, to be refused
  /// with their keys.
  static func pairs(ofJSON text: ByteView) -> [Attribute]? {
    guard let document = try? JSONDocument(parsing: text) else { return nil }
    return document.withRoot { root in
      root.object.map { object in object.map { Attribute(name: Array($0.key.utf8), value: value($0.value)) } }
    }
  }

  private static func value(_ value: JSONValue) -> AttributeValue {
    switch value.kind {
    case .bool: .bool(value.bool ?? false)
    case .int: .int(value.int64 ?? 0)
    case .double: .double(value.double ?? 0)
    case .string: .string(value.utf8.map { Array($0) } ?? [])
    case .null: .null
    case .array, .object: .json([])
    }
  }
}

/// A context as requests and the host's `getContext` have it: a JSON object (FS-63, FS-128).
enum ContextText {
  static func json(_ context: FrozenContext) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 64 + context.attributeCount * 32)
    writer.object { writer in
      for index in 0..<context.attributeCount {
        let attribute = context.attribute(at: index).pointee
        writer.key(attribute.nameBytes)
        switch attribute.kind {
        case .string, .date: writer.string(attribute.textBytes)
        case .null, .bool, .int, .double, .strings, .json: writer.raw(attribute.textBytes)
        }
      }
    }
    return writer.bytes
  }
}
