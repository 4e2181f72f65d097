internal import HoistBase
internal import HoistJSON

/// The part of a tracking request's line that describes a datum: `eventType=…&name=value…` (2.5, 2.6). The request adds
/// the nonce and the visitor.
struct EventLine {
  private(set) var bytes: [UInt8] = []

  init(_ type: StaticString) {
    bytes.reserveCapacity(96)
    append("eventType=")
    append(type)
  }

  /// The visitor of a line and the browser.
  static func append(_ name: StaticString, _ value: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "&"))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "="))
    PercentEncoding.append(value, to: &bytes, keeping: .component)
  }

  /// A parameter without a value is left out (2.1).
  mutating func add(_ name: StaticString, _ value: [UInt8]) {
    if !value.isEmpty { Self.append(name, value, to: &bytes) }
  }

  /// A name of the service's own.
  mutating func add(_ name: StaticString, name value: StaticString) {
    begin(name)
    append(value)
  }

  mutating func add(_ name: StaticString, integer: Int64) {
    begin(name)
    bytes.append(contentsOf: String(integer).utf8)
  }

  /// With a point, as the vendor's SDK writes numbers: `10.0`. What is no number is left out.
  mutating func add(_ name: StaticString, number: Double) {
    guard number.isFinite else { return }
    var text: [UInt8] = []
    JSONNumberText.append(number, to: &text, .python)
    add(name, text)
  }

  mutating func add(_ name: StaticString, flag: Bool) {
    begin(name)
    bytes.append(contentsOf: flag ? "true".utf8 : "false".utf8)
  }

  private mutating func begin(_ name: StaticString) {
    bytes.append(UInt8(ascii: "&"))
    append(name)
    bytes.append(UInt8(ascii: "="))
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension EventLine {
  /// `{"value":1,…}`: each value once, in the order in which it came first.
  static func counts(of values: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 32)
    writer.beginObject()
    var told = Set<[UInt8]>(minimumCapacity: values.count)
    for value in values where told.insert(value).inserted {
      value.withUnsafeBufferPointer { writer.key(utf8: $0) }
      writer.int(Int64(1))
    }
    writer.endObject()
    return writer.bytes
  }

  /// `{"index":["value",…],…}`: the first of an index counts.
  /// - Parameter data: those with a name have been given the index it stands for, or are passed over.
  static func metadata(_ data: [CustomData]) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 32)
    writer.beginObject()
    var told = Set<Int64>(minimumCapacity: data.count)
    for datum in data where datum.index >= 0 && told.insert(datum.index).inserted {
      writer.key(String(datum.index))
      writer.array { list in
        for value in datum.values { value.withUnsafeBufferPointer { list.string(utf8: $0) } }
      }
    }
    writer.endObject()
    return told.isEmpty ? [] : writer.bytes
  }

  static func indices(_ indices: [Int64]) -> [UInt8] {
    guard !indices.isEmpty else { return [] }
    var writer = JSONWriter(reservingCapacity: 16)
    writer.array { list in for index in indices { list.int(index) } }
    return writer.bytes
  }
}
