internal import CJansson

/// What a value is.
public enum JSONKind: UInt8, BitwiseCopyable, Sendable {
  case null, bool, int, double, string, array, object
}

/// A look into a document: one pointer, no reference count.
///
/// Borrowed: valid while the `JSONDocument` it came from lives; `JSONDocument.withRoot` sees to that for the length of
/// a closure, and `JSONDocument(retaining:)` keeps a part for longer. Reading is safe from any thread as long as the
/// tree is not changed, and nothing here does.
public struct JSONValue: @unchecked Sendable {
  let json: UnsafeMutablePointer<json_t>

  init(_ json: UnsafeMutablePointer<json_t>) { self.json = json }

  init?(_ json: UnsafeMutablePointer<json_t>?) {
    guard let json else { return nil }
    self.json = json
  }

  /// - Parameter pointer: a `json_t *` that outlives the view.
  public init(borrowing pointer: OpaquePointer) { json = UnsafeMutablePointer(pointer) }

  public var kind: JSONKind {
    switch json.pointee.type {
    case JSON_OBJECT: .object
    case JSON_ARRAY: .array
    case JSON_STRING: .string
    case JSON_INTEGER: .int
    case JSON_REAL: .double
    case JSON_TRUE, JSON_FALSE: .bool
    default: .null
    }
  }

  public var isNull: Bool { json.pointee.type == JSON_NULL }

  /// Nil for JSON's null, for services to which null and absent are one.
  public var unlessNull: JSONValue? { isNull ? nil : self }

  public var bool: Bool? {
    switch json.pointee.type {
    case JSON_TRUE: true
    case JSON_FALSE: false
    default: nil
    }
  }

  /// An integer as written; `1.0` and integers beyond 64 bits are no integers but doubles.
  public var int64: Int64? {
    json.pointee.type == JSON_INTEGER ? Int64(json_integer_value(json)) : nil
  }

  /// Any number. Integers beyond 2^53 are rounded.
  public var double: Double? {
    switch json.pointee.type {
    case JSON_INTEGER: Double(json_integer_value(json))
    case JSON_REAL: json_real_value(json)
    default: nil
    }
  }

  /// A copy of a string; `utf8` copies nothing.
  public var string: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

  /// A string's bytes, borrowed from the document. Valid UTF-8; a NUL byte follows the last one,
  /// and there may be others among them.
  public var utf8: UnsafeBufferPointer<UInt8>? {
    guard json.pointee.type == JSON_STRING, let text = json_string_value(json) else { return nil }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: json_string_length(json))
  }

  public var array: JSONArray? { json.pointee.type == JSON_ARRAY ? JSONArray(json) : nil }

  public var object: JSONObject? { json.pointee.type == JSON_OBJECT ? JSONObject(json) : nil }

  /// A member, if this is an object that has it.
  public subscript(key: StaticString) -> JSONValue? { object?[key] }
}

/// Whether two byte sequences are the same text. `String ==` compares by canonical equivalence instead.
func sameBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
  left.count == right.count && left.elementsEqual(right)
}
