internal import HoistBase
internal import HoistJSON

/// Why a document of the service is not taken. `message` is one line that names the flag, the member and what
/// was expected there, without the document's values.
public struct UnleashDocumentFailure: Error, Sendable, Equatable, CustomStringConvertible {
  public let message: String
  public init(_ message: String) { self.message = message }
  public var description: String { message }
}

/// A member that is not what it must be; its path grows on the way out.
struct Misfit: Error {
  var path: String
  var expected: String

  init(_ path: StaticString, _ expected: String) {
    self.path = path.description
    self.expected = expected
  }

  func within(_ member: StaticString, _ index: Int) -> Misfit {
    var copy = self
    copy.path = "\(member)[\(index)]" + (path.isEmpty || path.hasPrefix("[") ? path : "." + path)
    return copy
  }

  func within(_ member: StaticString) -> Misfit {
    var copy = self
    copy.path = path.isEmpty ? member.description : "\(member).\(path)"
    return copy
  }

  /// - Parameter subject: e.g. `flag "checkout"`; empty for the document itself.
  func failure(_ subject: String) -> UnleashDocumentFailure {
    UnleashDocumentFailure(
      (subject.isEmpty ? "" : subject + ": ") + "\(path.isEmpty ? "it" : path) must be \(expected)")
  }
}

/// The shapes that members of a document have: what the vendor's types take, and no more (B.6).
enum Shape {
  static func text(_ value: JSONValue, _ member: StaticString) throws(Misfit) -> ByteView {
    guard let text = value.utf8 else { throw Misfit(member, "a text") }
    return ByteView(text)
  }

  static func optionalText(_ value: JSONValue, _ member: StaticString) throws(Misfit) -> ByteView? {
    if value.isNull { return nil }
    guard let text = value.utf8 else { throw Misfit(member, "a text or null") }
    return ByteView(text)
  }

  static func bool(_ value: JSONValue, _ member: StaticString) throws(Misfit) -> Bool {
    guard let flag = value.bool else { throw Misfit(member, "true or false") }
    return flag
  }

  static func optionalBool(_ value: JSONValue, _ member: StaticString) throws(Misfit) -> Bool? {
    if value.isNull { return nil }
    guard let flag = value.bool else { throw Misfit(member, "true, false or null") }
    return flag
  }

  static func int32(_ value: JSONValue, _ member: StaticString) throws(Misfit) -> Int32 {
    guard let number = value.int64, let short = Int32(exactly: number) else {
      throw Misfit(member, "an integer of 32 bits")
    }
    return short
  }

  static func unsigned(_ value: JSONValue, _ member: StaticString) throws(Misfit) -> UInt32 {
    guard let number = value.int64, let short = UInt32(exactly: number) else {
      throw Misfit(member, "an unsigned integer of 32 bits")
    }
    return short
  }

  /// A date as leniently as the vendor reads it, or null.
  static func optionalDate(_ value: JSONValue, _ member: StaticString) throws(Misfit) {
    if value.isNull { return }
    guard let text = value.utf8, LenientDate.parse(ByteView(text)) != nil else {
      throw Misfit(member, "a date or null")
    }
  }

  static func object(_ value: JSONValue) throws(Misfit) -> JSONObject {
    guard let object = value.object else { throw Misfit("", "an object") }
    return object
  }

  /// Every element of an array, read by `read`; `limit` bounds their number.
  @inline(__always)
  static func list<Element>(
    _ value: JSONValue, _ member: StaticString, limit: Int, _ read: (JSONValue) throws(Misfit) -> Element
  ) throws(Misfit) -> [Element] {
    guard let array = value.array else { throw Misfit(member, "an array") }
    guard array.count <= limit else { throw Misfit(member, "an array of at most \(limit) elements") }
    if array.count == 0 { return [] }
    var elements: [Element] = []
    elements.reserveCapacity(array.count)
    for (index, element) in array.enumerated() {
      do throws(Misfit) { elements.append(try read(element)) } catch { throw error.within(member, index) }
    }
    return elements
  }

  /// As `list`, and null is the empty list.
  @inline(__always)
  static func optionalList<Element>(
    _ value: JSONValue, _ member: StaticString, limit: Int, _ read: (JSONValue) throws(Misfit) -> Element
  ) throws(Misfit) -> [Element] {
    value.isNull ? [] : try list(value, member, limit: limit, read)
  }

  static func texts(_ value: JSONValue, _ member: StaticString, limit: Int) throws(Misfit) -> [ByteView] {
    try list(value, member, limit: limit) { element throws(Misfit) in try text(element, "") }
  }

  static func optionalTexts(_ value: JSONValue, _ member: StaticString, limit: Int) throws(Misfit) -> [ByteView] {
    value.isNull ? [] : try texts(value, member, limit: limit)
  }
}
