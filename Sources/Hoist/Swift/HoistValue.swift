internal import HoistCore

/// A value of an attribute or of an event's property. Literals are taken as they are: `["plan": "pro", "age": 30]`.
public enum HoistValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case strings([String])
  /// Milliseconds since 1970-01-01T00:00:00Z.
  case date(unixMilliseconds: Int64)
  /// Any JSON, as text.
  case json(String)

  var attribute: AttributeValue {
    switch self {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .int(let whole): .int(whole)
    case .double(let real): .double(real)
    case .string(let text): .string(Array(text.utf8))
    case .strings(let list): .strings(list.map { Array($0.utf8) })
    case .date(let milliseconds): .date(milliseconds)
    case .json(let text): .json(Array(text.utf8))
    }
  }
}

extension HoistValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: String...) { self = .strings(elements) }
  public init(nilLiteral: ()) { self = .null }
}
