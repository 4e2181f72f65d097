internal import CJansson

/// The elements of an array, borrowed as `JSONValue` is.
public struct JSONArray: RandomAccessCollection, @unchecked Sendable {
  let json: UnsafeMutablePointer<json_t>
  public let endIndex: Int

  init(_ json: UnsafeMutablePointer<json_t>) {
    self.json = json
    endIndex = json_array_size(json)
  }

  public var startIndex: Int { 0 }

  /// - Returns: for an index out of bounds, the array itself as a view: no trap, and never reached by
  ///   iteration. Use `element(at:)` for an index from outside.
  public subscript(index: Int) -> JSONValue { element(at: index) ?? JSONValue(json) }

  public func element(at index: Int) -> JSONValue? {
    index < 0 ? nil : JSONValue(json_array_get(json, index))
  }
}

/// The members of an object in the order of the text, borrowed as `JSONValue` is.
///
/// Of members of the same name only the last one's value is there, in the first one's place.
public struct JSONObject: Sequence, @unchecked Sendable {
  let json: UnsafeMutablePointer<json_t>

  init(_ json: UnsafeMutablePointer<json_t>) { self.json = json }

  public var count: Int { json_object_size(json) }

  public subscript(key: StaticString) -> JSONValue? {
    guard key.hasPointerRepresentation else { return nil }
    let start = UnsafeRawPointer(key.utf8Start).assumingMemoryBound(to: CChar.self)
    return JSONValue(json_object_getn(json, start, key.utf8CodeUnitCount))
  }

  public func member(_ key: UnsafeBufferPointer<UInt8>) -> JSONValue? {
    guard let start = key.baseAddress else { return JSONValue(json_object_getn(json, "", 0)) }
    return JSONValue(
      json_object_getn(json, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), key.count))
  }

  public func member(_ key: String) -> JSONValue? {
    var key = key
    return key.withUTF8 { member($0) }
  }

  public func makeIterator() -> Iterator { Iterator(json) }

  public struct Iterator: IteratorProtocol {
    private let json: UnsafeMutablePointer<json_t>
    private var upcoming: UnsafeMutableRawPointer?

    init(_ json: UnsafeMutablePointer<json_t>) {
      self.json = json
      upcoming = json_object_iter(json)
    }

    public mutating func next() -> (key: JSONKey, value: JSONValue)? {
      guard let here = upcoming, let key = json_object_iter_key(here), let value = json_object_iter_value(here)
      else { return nil }
      upcoming = json_object_iter_next(json, here)
      let bytes = UnsafeBufferPointer(
        start: UnsafeRawPointer(key).assumingMemoryBound(to: UInt8.self), count: json_object_iter_key_len(here))
      return (JSONKey(utf8: bytes), JSONValue(value))
    }
  }
}

/// A member's name, borrowed from the document.
public struct JSONKey: @unchecked Sendable {
  /// Valid UTF-8, followed by a NUL byte.
  public let utf8: UnsafeBufferPointer<UInt8>

  /// A copy.
  public var string: String { String(decoding: utf8, as: UTF8.self) }

  /// Compares bytes.
  public static func == (key: JSONKey, name: StaticString) -> Bool {
    name.hasPointerRepresentation
      && sameBytes(key.utf8, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }
}
