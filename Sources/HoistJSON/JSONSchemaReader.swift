public import HoistBase

/// A member that is not what it must be; its path grows on the way out.
public struct JSONDecodingError: Error {
  private var path: String
  private let expected: String

  public init(_ path: StaticString, _ expected: String) {
    self.path = path.description
    self.expected = expected
  }

  @usableFromInline
  init(_ path: StaticString, _ expected: StaticString) { self.init(path, expected.description) }

  @usableFromInline
  init(_ path: StaticString, atMost limit: Int) { self.init(path, "an array of at most \(limit) elements") }

  /// - Parameter index: of the element, where the member is an array.
  public func within(_ member: StaticString, _ index: Int? = nil) -> JSONDecodingError {
    var copy = self
    let outer = index.map { "\(member)[\($0)]" } ?? member.description
    copy.path = outer + (path.isEmpty || path.hasPrefix("[") || outer.isEmpty ? path : "." + path)
    return copy
  }

  /// One line: `strategies[0].name must be a text`.
  public var message: String { "\(path.isEmpty ? "it" : path) must be \(expected)" }
}

/// What a value must be, and how it is read as that.
@frozen
public struct JSONSchemaReader<Value> {
  @usableFromInline let expected: StaticString
  @usableFromInline let expectedOrNull: StaticString
  @usableFromInline let read: (JSONNode) -> Value?

  /// - Parameters:
  ///   - expected: completes "must be".
  ///   - read: nil for a value of another shape.
  @inlinable
  public init(_ expected: StaticString, orNull expectedOrNull: StaticString, _ read: @escaping (JSONNode) -> Value?) {
    self.expected = expected
    self.expectedOrNull = expectedOrNull
    self.read = read
  }
}

extension JSONSchemaReader where Value == ByteView {
  @inlinable public static var text: JSONSchemaReader { JSONSchemaReader("a text", orNull: "a text or null") { $0.bytes } }
}

extension JSONSchemaReader where Value == Bool {
  @inlinable public static var bool: JSONSchemaReader {
    JSONSchemaReader("true or false", orNull: "true, false or null") { $0.bool }
  }
}

extension JSONSchemaReader where Value == Int32 {
  @inlinable public static var int32: JSONSchemaReader {
    JSONSchemaReader("an integer of 32 bits", orNull: "an integer of 32 bits or null") { $0.int64.flatMap { Int32(exactly: $0) } }
  }
}

extension JSONSchemaReader where Value == UInt32 {
  @inlinable public static var uint32: JSONSchemaReader {
    JSONSchemaReader("an unsigned integer of 32 bits", orNull: "an unsigned integer of 32 bits or null") {
      $0.int64.flatMap { UInt32(exactly: $0) }
    }
  }
}

/// Strict reading; of members of one name the last counts.
extension JSONNode {
  /// The value itself, as messages call `member`.
  @inlinable
  public func read<Value>(
    as shape: JSONSchemaReader<Value>, _ member: StaticString = ""
  ) throws(JSONDecodingError) -> Value {
    guard let value = shape.read(self) else { throw JSONDecodingError(member, shape.expected) }
    return value
  }

  /// A member that must be there.
  public func needed(_ member: StaticString) throws(JSONDecodingError) -> JSONNode {
    guard kind == .object else { throw JSONDecodingError("", "an object") }
    guard let value = self[member] else { throw JSONDecodingError(member, "there") }
    return value
  }

  @inlinable
  public func needed<Value>(_ member: StaticString, _ shape: JSONSchemaReader<Value>) throws(JSONDecodingError) -> Value {
    try needed(member).read(as: shape, member)
  }

  /// A member that may be null or missing.
  @inlinable
  public func optional<Value>(_ member: StaticString, _ shape: JSONSchemaReader<Value>) throws(JSONDecodingError) -> Value? {
    guard let value = self[member]?.unlessNull else { return nil }
    guard let read = shape.read(value) else { throw JSONDecodingError(member, shape.expectedOrNull) }
    return read
  }

  /// A member of its own kind that may be null or missing; failures of what is in it say so.
  @inlinable
  public func optional<Value>(
    _ member: StaticString, _ read: (JSONNode) throws(JSONDecodingError) -> Value
  ) throws(JSONDecodingError) -> Value? {
    guard let value = self[member]?.unlessNull else { return nil }
    do throws(JSONDecodingError) { return try read(value) } catch { throw error.within(member) }
  }

  /// The elements of an array, each read by `read`.
  /// - Parameter limit: how many there may be.
  @inlinable
  public func elements<Element>(
    _ member: StaticString = "", limit: Int = .max, _ read: (JSONNode) throws(JSONDecodingError) -> Element
  ) throws(JSONDecodingError) -> [Element] {
    guard let array else { throw JSONDecodingError(member, "an array") }
    guard array.count <= limit else { throw JSONDecodingError(member, atMost: limit) }
    var elements: [Element] = []
    elements.reserveCapacity(array.count)
    for element in array {
      do throws(JSONDecodingError) { elements.append(try read(element)) } catch { throw error.within(member, elements.count) }
    }
    return elements
  }

  /// The elements of a member; none where it is null or missing.
  @inlinable
  public func list<Element>(
    _ member: StaticString, limit: Int = .max, _ read: (JSONNode) throws(JSONDecodingError) -> Element
  ) throws(JSONDecodingError) -> [Element] {
    try self[member]?.unlessNull?.elements(member, limit: limit, read) ?? []
  }

  @inlinable
  public func list<Element>(
    _ member: StaticString, limit: Int = .max, of shape: JSONSchemaReader<Element>
  ) throws(JSONDecodingError) -> [Element] {
    try list(member, limit: limit) { element throws(JSONDecodingError) in try element.read(as: shape) }
  }
}
