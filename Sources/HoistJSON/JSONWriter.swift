internal import HoistBase

/// Writes compact JSON into a byte array: `begin…`, `key`, values, `end…`, in the order of the text.
///
/// Commas and colons come by themselves. That containers are closed and members named is the caller's part.
public struct JSONWriter: Sendable {
  /// How a double without a fraction is written.
  public enum WholeDoubles: Sendable {
    /// `1`, as JavaScript does; up to 2^53, beyond which the exponent form takes over.
    case asIntegers
    /// `1.0`
    case withFraction
  }

  public private(set) var bytes: [UInt8] = []
  public let wholeDoubles: WholeDoubles
  /// Whether a text was not UTF-8.
  private(set) var hasRepaired = false
  private var needsComma = false

  public init(wholeDoubles: WholeDoubles = .asIntegers, reservingCapacity capacity: Int = 0) {
    self.wholeDoubles = wholeDoubles
    bytes.reserveCapacity(capacity)
  }

  /// Begins a new text in the memory of the old one.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// The text so far, as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public mutating func beginObject() { begin("{") }
  public mutating func endObject() { end("}") }
  public mutating func beginArray() { begin("[") }
  public mutating func endArray() { end("]") }

  public mutating func object<Failure: Error>(
    _ members: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    beginObject()
    try members(&self)
    endObject()
  }

  public mutating func array<Failure: Error>(
    _ elements: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    beginArray()
    try elements(&self)
    endArray()
  }

  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func key(utf8 name: UnsafeBufferPointer<UInt8>) {
    string(utf8: name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A member whose value `body` writes.
  public mutating func member<Failure: Error>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try body(&self)
  }

  public mutating func null() { scalar("null") }
  public mutating func bool(_ value: Bool) { scalar(value ? "true" : "false") }
  public mutating func int(_ value: some BinaryInteger) {
    if let value = Int64(exactly: value) { int(value) } else { scalar(String(value)) }
  }

  public mutating func int(_ value: Int64) {
    comma()
    append(atMost: JSONRawText.maximumNumberBytes) { JSONRawText.writeInteger(value, to: $0) }
  }

  /// The shortest text that reads back as the same double; null for NaN and infinities.
  public mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    if wholeDoubles == .asIntegers, value.magnitude <= 0x1p53, let whole = Int64(exactly: value) {
      return int(whole)
    }
    scalar(value.description)
  }

  public mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { quote($0) }
  }

  /// - Parameter value: borrowed for the call. Malformed UTF-8 is repaired with U+FFFD.
  public mutating func string(utf8 value: UnsafeBufferPointer<UInt8>) {
    if let start = value.baseAddress, PlainBytes.end(from: start, to: start + value.count) == start + value.count {
      return quotePlain(value)
    }
    if UTF8Text.isValid(ByteView(value)) { return quote(value) }
    hasRepaired = true
    string(String(decoding: value, as: UTF8.self))
  }

  /// A value that is JSON text already; not looked at.
  public mutating func raw(_ json: some Sequence<UInt8>) {
    comma()
    bytes.append(contentsOf: json)
  }

  /// Punctuation and names that are JSON text already, commas included; not looked at.
  public mutating func verbatim(_ json: StaticString) {
    guard json.hasPointerRepresentation, json.utf8CodeUnitCount > 0 else { return }
    let text = UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount)
    bytes.append(contentsOf: text)
    switch text[text.count - 1] {
    case UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "["): needsComma = false
    default: needsComma = true
    }
  }

  private mutating func begin(_ bracket: Unicode.Scalar) {
    comma()
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = false
  }

  private mutating func end(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = true
  }

  private mutating func scalar(_ text: String) {
    comma()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func quotePlain(_ text: UnsafeBufferPointer<UInt8>) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies runs of bytes that need no escape at once.
  private mutating func quote(_ text: UnsafeBufferPointer<UInt8>) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    if let start = text.baseAddress {
      let end = start + text.count
      var run = start
      var at = start
      while true {
        at = PlainBytes.end(from: at, to: end)
        guard at < end else { break }
        if at.pointee < 0x80 {
          bytes.append(contentsOf: UnsafeBufferPointer(start: run, count: at - run))
          escape(at.pointee)
          run = at + 1
        }
        at += 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(start: run, count: end - run))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) { append(atMost: 6) { JSONRawText.writeEscape(byte, to: $0) } }

  private mutating func append(atMost count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { room in
      guard let start = room.baseAddress else { return }
      bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: write(start)))
    }
  }
}
