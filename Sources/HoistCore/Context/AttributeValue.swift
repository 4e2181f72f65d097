/// A typed attribute of an evaluation context.
public enum AttributeValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string([UInt8])
  /// Milliseconds since 1970-01-01T00:00:00Z.
  case date(Int64)
  case strings([[UInt8]])
  /// Any JSON, as compact text.
  case json([UInt8])
}

/// What kind of attribute a frozen one is; `AttributeValue` in one byte.
@frozen
public enum AttributeKind: UInt8, Sendable {
  case null = 0, bool, int, double, string, date, strings, json
}

extension AttributeValue {
  /// A frozen attribute's value; lists come back as JSON.
  init(_ attribute: FrozenAttribute) {
    switch attribute.kind {
    case .null: self = .null
    case .bool: self = .bool(attribute.integer != 0)
    case .int: self = .int(attribute.integer)
    case .double: self = .double(attribute.number)
    case .string: self = .string(Array(attribute.textBytes))
    case .date: self = .date(attribute.integer)
    case .strings, .json: self = .json(Array(attribute.textBytes))
    }
  }
}
