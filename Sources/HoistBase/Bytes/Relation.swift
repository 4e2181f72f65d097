/// What a rule asks of the order of two values.
@frozen public enum Relation: UInt8, BitwiseCopyable, Sendable {
  case equal, less, lessOrEqual, greater, greaterOrEqual

  @inlinable
  public func allows(_ order: Ordering) -> Bool {
    switch self {
    case .equal: order == .equal
    case .less: order == .less
    case .lessOrEqual: order != .greater
    case .greater: order == .greater
    case .greaterOrEqual: order != .less
    }
  }
}
