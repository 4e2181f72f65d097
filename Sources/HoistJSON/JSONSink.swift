/// Receives the values that a `JSONParser` reads, one by one.
///
/// Containers are opened and closed in the order of the text; what is inside comes between.
protocol JSONSink: ~Copyable {
  /// How many containers are open.
  var depth: Int { get }
  /// Whether the innermost open container is an object; false when none is open.
  var isInObject: Bool { get }

  /// The name of the member that comes next: bytes of the text, or decoded ones that are good for this call only.
  mutating func name(_ name: UnsafeBufferPointer<UInt8>) throws(JSONFailure)
  /// - Parameter text: as that of `name`.
  mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(JSONFailure)
  mutating func number(_ number: JSONScanner.Number) throws(JSONFailure)
  mutating func bool(_ truth: Bool) throws(JSONFailure)
  mutating func null() throws(JSONFailure)
  /// - Parameter place: of the opening bracket.
  mutating func open(_ place: UnsafePointer<UInt8>, isObject: Bool) throws(JSONFailure)
  /// - Parameter place: after the closing bracket.
  mutating func close(_ place: UnsafePointer<UInt8>)
}
