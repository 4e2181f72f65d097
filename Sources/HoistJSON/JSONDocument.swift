internal import CJansson

/// Owns one reference to an immutable jansson tree. Any thread may read and release it.
///
/// The text is read by a parser of this module, not by jansson's: one pass that accepts what services
/// send and jansson refuses, and needs half the time. It takes RFC 8259 and also
/// - a UTF-8 byte-order mark at the start;
/// - integers beyond 64 bits, as doubles;
/// - numbers beyond the range of a double, as the greatest finite one of their sign;
/// - `\u0000` in strings and member names;
/// - surrogates without their partner, as U+FFFD.
///
/// Invalid UTF-8, NaN, Infinity and whatever exceeds `JSONLimits` are refused. Of members of the same name
/// the last one counts.
public final class JSONDocument: @unchecked Sendable {
  private let json: UnsafeMutablePointer<json_t>

  private init(owning json: UnsafeMutablePointer<json_t>) { self.json = json }

  deinit { json_decref(json) }

  /// - Parameter bytes: borrowed for the call.
  public convenience init(
    parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits = .standard
  ) throws(JSONFailure) {
    self.init(owning: try Self.tree(of: bytes, limits))
  }

  public convenience init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONFailure) {
    self.init(owning: try bytes.withUnsafeBytes { Self.parse($0, limits) }.get())
  }

  public convenience init(parsing text: String, limits: JSONLimits = .standard) throws(JSONFailure) {
    var text = text
    self.init(owning: try text.withUTF8 { Self.parse(UnsafeRawBufferPointer($0), limits) }.get())
  }

  private static func parse(
    _ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits
  ) -> Result<UnsafeMutablePointer<json_t>, JSONFailure> {
    do throws(JSONFailure) { return .success(try tree(of: bytes, limits)) } catch { return .failure(error) }
  }

  private static func tree(
    of bytes: UnsafeRawBufferPointer, _ limits: JSONLimits
  ) throws(JSONFailure) -> UnsafeMutablePointer<json_t> {
    var parser = JSONParser(try JSONScanner(bytes, limits), JSONTree())
    try parser.readDocument()
    guard let root = parser.sink.root else { throw .outOfMemory }
    return json_incref(root)
  }

  /// Lends the root for the length of `body`; what is kept of it longer needs `JSONDocument(retaining:)`.
  public func withRoot<Result, Failure: Error>(
    _ body: (JSONValue) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(JSONValue(json))
  }
}

extension JSONDocument {
  /// A deep copy, as a `json_t *` that belongs to the caller. Nil when memory ran out.
  public func copiedPointer() -> OpaquePointer? { json_deep_copy(json).map { OpaquePointer($0) } }
}

extension JSONFailure {
  static let outOfMemory = JSONFailure(.outOfMemory, "out of memory while building a JSON tree")
}
