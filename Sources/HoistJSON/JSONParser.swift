internal import CJansson

/// Reads a text into a jansson tree in one pass, without recursion.
///
/// Every container is attached to the one around it when it opens, so that the root owns all that was
/// built, whenever reading ends.
struct JSONParser {
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var at: UnsafePointer<UInt8>
  let limits: JSONLimits

  /// Decoded forms of a member name and of a string that hold escapes.
  private let nameText = DecodedText()
  private let stringText = DecodedText()

  private var root: UnsafeMutablePointer<json_t>?
  private var open: [Container] = []
  private var name = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var values = 0

  private struct Container {
    let json: UnsafeMutablePointer<json_t>
    let isObject: Bool
  }

  init(_ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits) {
    let text = bytes.bindMemory(to: UInt8.self)
    start = text.baseAddress ?? Self.emptyText
    end = start + text.count
    at = start
    self.limits = limits
  }

  /// - Returns: the root, one reference of it, for the caller.
  mutating func parse() throws(JSONFailure) -> UnsafeMutablePointer<json_t> {
    do throws(JSONFailure) {
      try readDocument()
    } catch {
      json_decref(root)
      throw error
    }
    guard let root else { throw failure("expected a value") }
    return root
  }

  private mutating func readDocument() throws(JSONFailure) {
    guard end - start <= limits.maximumBytes else {
      throw JSONFailure(.limit, "the text is longer than \(limits.maximumBytes) bytes")
    }
    skipByteOrderMark()
    skipSpace()
    guard at < end else { throw failure("the text is empty") }
    repeat { try readValue() } while try moreAfterValue()
    skipSpace()
    guard at == end else { throw failure("expected the end of the text after the document") }
  }

  /// Reads one value; a container only up to its first element, which is read next.
  private mutating func readValue() throws(JSONFailure) {
    while true {
      skipSpace()
      guard at < end else { throw failure("the text ends where a value is expected") }
      values += 1
      guard values <= limits.maximumValues else {
        throw failure("more than \(limits.maximumValues) values", .limit)
      }
      switch at.pointee {
      case UInt8(ascii: "{"):
        try enter(json_object(), isObject: true)
        if closes(with: UInt8(ascii: "}")) { return }
        try readName()
      case UInt8(ascii: "["):
        try enter(json_array(), isObject: false)
        if closes(with: UInt8(ascii: "]")) { return }
      default:
        return try attach(try readScalar())
      }
    }
  }

  private mutating func readScalar() throws(JSONFailure) -> UnsafeMutablePointer<json_t>? {
    switch at.pointee {
    case UInt8(ascii: "\""):
      let text = try readString(into: stringText)
      return text.withMemoryRebound(to: CChar.self) { json_stringn_nocheck($0.baseAddress, $0.count) }
    case UInt8(ascii: "t"):
      try skip("true")
      return json_true()
    case UInt8(ascii: "f"):
      try skip("false")
      return json_false()
    case UInt8(ascii: "n"):
      try skip("null")
      return json_null()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      switch try readNumber() {
      case .int(let value): return json_integer(json_int_t(value))
      case .double(let value): return json_real(value)
      }
    default:
      throw failure("expected a value, found \(found)")
    }
  }

  /// Leaves the containers that end here.
  /// - Returns: whether another value follows.
  private mutating func moreAfterValue() throws(JSONFailure) -> Bool {
    while let container = open.last {
      skipSpace()
      let close = container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
      if closes(with: close) { continue }
      guard at < end else { throw failure("the text ends inside an \(container.isObject ? "object" : "array")") }
      guard at.pointee == UInt8(ascii: ",") else {
        throw failure("expected ',' or '\(container.isObject ? "}" : "]")', found \(found)")
      }
      at += 1
      if container.isObject { try readName() }
      return true
    }
    return false
  }

  private mutating func readName() throws(JSONFailure) {
    skipSpace()
    guard at < end, at.pointee == UInt8(ascii: "\"") else {
      throw failure("expected a member name, found \(found)")
    }
    name = try readString(into: nameText)
    skipSpace()
    guard at < end, at.pointee == UInt8(ascii: ":") else {
      throw failure("expected ':' after the member name, found \(found)")
    }
    at += 1
  }

  private mutating func enter(_ json: UnsafeMutablePointer<json_t>?, isObject: Bool) throws(JSONFailure) {
    guard open.count < limits.maximumDepth else {
      json_decref(json)
      throw failure("nested deeper than \(limits.maximumDepth) levels", .limit)
    }
    try attach(json)
    guard let json else { return }
    open.append(Container(json: json, isObject: isObject))
    at += 1
  }

  private mutating func closes(with byte: UInt8) -> Bool {
    skipSpace()
    guard at < end, at.pointee == byte else { return false }
    open.removeLast()
    at += 1
    return true
  }

  /// Gives a new value to the container around it; jansson frees it when that fails.
  private mutating func attach(_ json: UnsafeMutablePointer<json_t>?) throws(JSONFailure) {
    guard let json else { throw .outOfMemory }
    guard let container = open.last else {
      root = json
      return
    }
    let failed =
      container.isObject
      ? name.withMemoryRebound(to: CChar.self) {
        json_object_setn_new_nocheck(container.json, $0.baseAddress, $0.count, json)
      }
      : json_array_append_new(container.json, json)
    guard failed == 0 else { throw .outOfMemory }
  }
}
