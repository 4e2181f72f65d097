public import HoistBase

/// Members of objects, name and value in one step.
extension JSONWriter {
  /// Null where there is none.
  public mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  public mutating func member(_ name: String, _ value: StaticString) {
    key(name)
    value.withUTF8Buffer { string(utf8: $0) }
  }

  public mutating func member(_ name: String, _ value: ByteView) {
    key(name)
    string(value)
  }

  public mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  public mutating func member(_ name: String, _ value: some BinaryInteger) {
    key(name)
    int(value)
  }

  public mutating func member(_ name: String, _ value: Double) {
    key(name)
    double(value)
  }

  /// Null where there is none.
  public mutating func member(_ name: String, orNull value: ByteView?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  /// - Parameter json: as `raw` takes it.
  public mutating func member(_ name: String, raw json: some Sequence<UInt8>) {
    key(name)
    raw(json)
  }

  public mutating func beginObject(_ name: String) {
    key(name)
    beginObject()
  }

  public mutating func beginArray(_ name: String) {
    key(name)
    beginArray()
  }

  public mutating func object<Failure: Error>(
    _ name: String, _ members: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try object(members)
  }

  public mutating func array<Failure: Error>(
    _ name: String, _ elements: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try array(elements)
  }

  /// - Parameter name: UTF-8, borrowed for the call.
  public mutating func key(_ name: ByteView) { key(utf8: name.bindMemory(to: UInt8.self)) }

  /// - Parameter value: as `string(utf8:)` takes it.
  public mutating func string(_ value: ByteView) { string(utf8: value.bindMemory(to: UInt8.self)) }
}
