internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A value of a flag, laid out for reading.
struct ValueRecord: BitwiseCopyable {
  /// `.none` for null; numbers are doubles.
  var kind: ValueKind = .none
  /// The number, cut toward zero, is one of 64 bits.
  var isInteger = false
  /// JSON text; "null" for null.
  var json = TextReference.none
  /// A string's bytes.
  var text = TextReference.none
  /// A number cut toward zero; booleans as 0 and 1.
  var integer: Int64 = 0
  var number: Double = 0

  var isNull: Bool { kind == .none }
}

extension SnapshotBuilder {
  /// - Parameters:
  ///   - node: nil for null.
  ///   - writer: for text that is made here.
  mutating func value(_ node: JSONNode?, _ writer: inout JSONWriter) -> ValueRecord {
    var record = ValueRecord()
    writer.removeAll()
    switch node?.kind ?? .null {
    case .null: writer.null()
    case .bool:
      record.kind = .bool
      record.integer = node?.bool == true ? 1 : 0
      writer.bool(record.integer == 1)
    case .int, .double:
      record.kind = .double
      record.number = node?.double ?? 0
      if let whole = Int64(exactly: record.number.rounded(.towardZero)) { (record.integer, record.isInteger) = (whole, true) }
      writer.double(record.number)
    case .string:
      record.kind = .string
      record.text = text(node?.bytes ?? .noBytes)
      writer.string(node?.bytes ?? .noBytes)
    case .array, .object:
      record.kind = .json
      if let node { record.json = json(node, &writer) }
      return record
    }
    record.json = text(writer.bytes)
    return record
  }

  /// An object or an array as it was sent.
  mutating func json(_ node: JSONNode, _ writer: inout JSONWriter) -> TextReference {
    if let source = node.source { return text(source) }
    writer.removeAll()
    writer.value(node)
    return text(writer.bytes)
  }
}

extension Evaluation {
  /// The value as the caller wants it, without coercion from one type of JSON to another (4.2.2).
  /// - Returns: false for a value of another type.
  @inline(__always)
  mutating func take(_ value: ValueRecord, _ base: UnsafeRawPointer) -> Bool {
    let kind = value.kind
    switch want {
    case .json:
      self.kind = .json
      text = value.json.bytes(base)
    case .bool:
      guard kind == .bool else { return false }
      self.kind = .bool
      integer = value.integer
    case .string:
      guard kind == .string else { return false }
      if options & VariationOptions.migration != 0, MigrationStage(value.text.bytes(base)) == nil { return false }
      self.kind = .string
      text = value.text.bytes(base)
    case .double:
      guard kind == .double else { return false }
      self.kind = .double
      number = value.number
    case .int:
      // Cut toward zero by the vendor's call, for which that is no error; beyond 64 bits it is (LD-52, ruling A16).
      guard kind == .double, value.isInteger,
        options & VariationOptions.cutsFractions != 0 || Double(value.integer) == value.number
      else { return false }
      self.kind = .int
      integer = value.integer
    case .any:
      self.kind = value.isNull ? .json : kind
      integer = value.integer
      number = value.number
      text = kind == .string ? value.text.bytes(base) : value.json.bytes(base)
    }
    return true
  }
}
