/// Why a caller gets a flag's value, or what it named as default (4.5).
public enum FlagReading: Sendable, Equatable {
  case value
  /// The value is null: the default, and the visitor counts.
  case null
  /// The value is of another type: the default, and the visitor counts.
  case otherType
  /// There is no such flag: the default, and nobody counts.
  case unknown
}

extension FlagValue {
  /// - Parameter wanted: the type of the default; nil where there is none.
  @inline(__always)
  public func answer(for wanted: FlagKind?) -> FlagReading {
    guard let wanted else { return .value }
    if kind == wanted { return .value }
    if kind == .null { return .null }
    return wanted == .double && double != nil ? .value : .otherType
  }
}
