public import HoistBase
internal import HoistCore

/// A variable's value, converted to its type.
public enum OptimizelyValue {
  case string(ByteView)
  case integer(Int64)
  case double(Double)
  case boolean(Bool)
  /// Compact text of an object.
  case json(ByteView)
}

/// Why there is no value.
public enum OptimizelyVariableFailure: Error, Sendable, Equatable {
  case variableKeyInvalid, variableValueInvalid
}

/// The types that variables can be asked for.
public enum OptimizelyVariableType: UInt8, Sendable {
  case string, integer, double, boolean, json

  public var name: StaticString {
    switch self {
    case .string: "string"
    case .integer: "integer"
    case .double: "double"
    case .boolean: "boolean"
    case .json: "json"
    }
  }
}

extension OptimizelyDecision {
  /// The value of one variable; texts live as long as the snapshot.
  /// - Parameter type: what it must be; nil takes any.
  public func variable(
    _ key: some ByteSource, as type: OptimizelyVariableType? = nil
  ) throws(OptimizelyVariableFailure) -> OptimizelyValue {
    let variables = base.at(flag.pointee.variables)
    let index = key.withBytes { key in
      (0..<Int(flag.pointee.variableCount)).first { variables[$0].key.bytes(base).hasSameBytes(as: key) }
    }
    guard let index else { throw .variableKeyInvalid }
    let list = base.at(values.values)
    let value = list[index]
    guard value.isValid, type == nil || type?.rawValue == variables[index].type.rawValue else {
      throw .variableValueInvalid
    }
    switch variables[index].type {
    case .string: return .string(value.text.bytes(base))
    case .integer: return .integer(value.integer)
    case .double: return .double(value.number)
    case .boolean: return .boolean(value.integer != 0)
    case .json: return .json(value.text.bytes(base))
    }
  }

  /// The type of a variable, or nil when the flag has none of that key.
  public func typeOfVariable(_ key: some ByteSource) -> OptimizelyVariableType? {
    let variables = base.at(flag.pointee.variables)
    return key.withBytes { key in
      for index in 0..<Int(flag.pointee.variableCount) where variables[index].key.bytes(base).hasSameBytes(as: key) {
        return OptimizelyVariableType(rawValue: variables[index].type.rawValue)
      }
      return nil
    }
  }
}
