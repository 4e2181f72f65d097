internal import HoistBase

extension JSONScanner {
  enum Number {
    case int(Int64)
    case double(Double)
  }

  mutating func readNumber() throws(JSONFailure) -> Number {
    let first = at
    let isNegative = at.pointee == UInt8(ascii: "-")
    if isNegative { at += 1 }
    var digits = Digits()
    try readDigits(&digits, isWhole: true)
    var isWhole = true
    if at < end, at.pointee == UInt8(ascii: ".") {
      isWhole = false
      at += 1
      try readDigits(&digits, isWhole: false)
    }
    if at < end, at.pointee | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      try readExponent(&digits)
    }
    if isWhole, let value = digits.int(isNegative) { return .int(value) }
    if let value = digits.exactDouble { return .double(isNegative ? -value : value) }
    return .double(roundedDouble(from: first))
  }

  private mutating func readDigits(_ digits: inout Digits, isWhole: Bool) throws(JSONFailure) {
    let first = at
    while at < end, case let digit = at.pointee &- UInt8(ascii: "0"), digit < 10 {
      digits.append(digit)
      at += 1
    }
    guard at > first else { throw failure("expected a digit, found \(found)") }
    if isWhole {
      guard first.pointee != UInt8(ascii: "0") || at - first == 1 else {
        throw failure("a number starts with a needless 0", at: first)
      }
    } else {
      digits.exponent -= at - first
    }
  }

  private mutating func readExponent(_ digits: inout Digits) throws(JSONFailure) {
    at += 1
    var isNegative = false
    if at < end, at.pointee == UInt8(ascii: "+") || at.pointee == UInt8(ascii: "-") {
      isNegative = at.pointee == UInt8(ascii: "-")
      at += 1
    }
    let first = at
    var exponent = 0
    while at < end, case let digit = at.pointee &- UInt8(ascii: "0"), digit < 10 {
      // Enough to leave the range of the exact way; the other one reads the text itself.
      if exponent < 100_000 { exponent = exponent * 10 + Int(digit) }
      at += 1
    }
    guard at > first else { throw failure("expected a digit in the exponent, found \(found)") }
    digits.exponent += isNegative ? -exponent : exponent
  }

  /// Correctly rounded; beyond the range of a double, the greatest finite one.
  private func roundedDouble(from first: UnsafePointer<UInt8>) -> Double {
    let text = String(decoding: UnsafeBufferPointer(start: first, count: at - first), as: UTF8.self)
    let value = Double(text) ?? 0
    return min(max(value, -Double.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}

/// The decimal digits of a number as one integer, and the power of ten it is to be scaled by.
private struct Digits {
  private var value: UInt64 = 0
  private var overflows = false
  var exponent = 0

  @inline(__always)
  mutating func append(_ digit: UInt8) {
    let (tenfold, overflowsByTen) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflowsByOne) = tenfold.addingReportingOverflow(UInt64(digit))
    overflows = overflows || overflowsByTen || overflowsByOne
    value = sum
  }

  func int(_ isNegative: Bool) -> Int64? {
    if overflows { return nil }
    if !isNegative { return Int64(exactly: value) }
    return value <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- value) : nil
  }

  /// The value when one rounding yields it: both the digits and the power of ten are exact doubles.
  var exactDouble: Double? {
    overflows ? nil : DecimalParser.exact(value, exponent: Int64(exponent))
  }
}
