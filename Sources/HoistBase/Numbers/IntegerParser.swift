/// Decimal integers, read whole: an optional sign and at least one digit, leading zeros allowed,
/// nothing else.
public enum IntegerParser {
  public enum Outcome<Value: Sendable>: Sendable {
    case value(Value)
    /// An integer, but not one that the type can hold.
    case overflow
    case malformed

    /// The number; nil for the other two.
    @inlinable public var value: Value? {
      if case .value(let value) = self { value } else { nil }
    }
  }

  public enum Signs: Sendable {
    case none
    /// `-` only, as JSON has it.
    case minus
    /// `+` or `-`, as Rust's integers have it.
    case plusOrMinus
    /// `+` only, as Rust's unsigned integers have it.
    case plus
  }

  @inlinable
  public static func parse<Value: FixedWidthInteger & Sendable>(
    _ bytes: ByteView, as type: Value.Type, signs: Signs = .none
  ) -> Outcome<Value> {
    var cursor = ByteCursor(bytes)
    var isNegative = false
    if signs == .minus || signs == .plusOrMinus { isNegative = cursor.take(0x2D) }
    if !isNegative, signs == .plus || signs == .plusOrMinus { _ = cursor.take(0x2B) }
    guard !cursor.isAtEnd else { return .malformed }
    var value: Value = 0
    var fits = true
    while let byte = cursor.next() {
      guard ASCII.isDigit(byte) else { return .malformed }
      guard fits else { continue }
      let digit = Value(truncatingIfNeeded: byte &- 0x30)
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowOfSum) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      fits = !overflow && !overflowOfSum
      value = sum
    }
    return fits ? .value(value) : .overflow
  }
}
