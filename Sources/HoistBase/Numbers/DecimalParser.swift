internal import Glibc

/// Decimal text to the nearest IEEE double, whatever the host's locale says. Never hexadecimal, no
/// blanks, no underscores, ASCII digits only. Too large reads as infinity, too small as zero.
public enum DecimalParser {
  /// What a grammar allows beyond JSON's `-?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?`.
  public struct Grammar: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `+5`
    public static let plusSign = Grammar(rawValue: 1)
    /// `007`
    public static let leadingZeros = Grammar(rawValue: 2)
    /// `.5`
    public static let bareFraction = Grammar(rawValue: 4)
    /// `5.`
    public static let bareWhole = Grammar(rawValue: 8)
    /// `inf`, `infinity` and `nan` in any case, with a sign
    public static let infinityAndNaN = Grammar(rawValue: 16)

    /// Rust's `f64::from_str` (protocols/unleash.md C.5).
    public static let rust: Grammar = [
      .plusSign, .leadingZeros, .bareFraction, .bareWhole, .infinityAndNaN,
    ]
  }

  /// - Returns: nil when the whole text is not one number of the grammar.
  public static func parse(_ bytes: ByteView, _ grammar: Grammar) -> Double? {
    if let number = shortWhole(bytes) { return number }
    var cursor = ByteCursor(bytes)
    let isNegative = cursor.take(0x2D)
    if !isNegative, grammar.contains(.plusSign) { _ = cursor.take(0x2B) }
    if grammar.contains(.infinityAndNaN), let value = word(cursor.rest) {
      return isNegative ? -value : value
    }
    guard let decimal = scan(&cursor, grammar), cursor.isAtEnd else { return nil }
    let magnitude = decimal.quickValue ?? slowValue(of: decimal)
    return isNegative ? -magnitude : magnitude
  }

  /// What most numbers are: a few digits, which every grammar has, and every double holds.
  @inline(__always)
  private static func shortWhole(_ bytes: ByteView) -> Double? {
    guard 1...15 ~= bytes.count, bytes[0] != 0x30 || bytes.count == 1 else { return nil }
    var whole: UInt64 = 0
    for byte in bytes {
      let digit = byte &- 0x30
      guard digit < 10 else { return nil }
      whole = whole &* 10 &+ UInt64(digit)
    }
    return Double(whole)
  }

  /// `digits` times ten to the power `exponent`, when both are exact doubles, so that one operation rounds once (William
  /// Clinger, "How to Read Floating Point Numbers Accurately").
  public static func exact(_ digits: UInt64, exponent: Int64) -> Double? {
    guard digits <= 1 &<< 53, -22...22 ~= exponent else { return nil }
    let factor = powersOfTen[Int(abs(exponent))]
    return exponent < 0 ? Double(digits) / factor : Double(digits) * factor
  }

  private static let powersOfTen: InlineArray<23, Double> = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  private static func word(_ bytes: ByteView) -> Double? {
    func reads(_ text: StaticString) -> Bool {
      text.withBytes { ASCII.equalsIgnoringCase(bytes, $0) }
    }
    if reads("inf") || reads("infinity") { return .infinity }
    return reads("nan") ? .nan : nil
  }

  private static func scan(_ cursor: inout ByteCursor, _ grammar: Grammar) -> ScannedDecimal? {
    var decimal = ScannedDecimal(whole: cursor.takeDigits())
    if decimal.whole.count > 1, decimal.whole[0] == 0x30, !grammar.contains(.leadingZeros) {
      return nil
    }
    let hasWhole = decimal.whole.count > 0
    guard hasWhole || grammar.contains(.bareFraction) else { return nil }
    if cursor.take(0x2E) {
      decimal.fraction = cursor.takeDigits()
      guard decimal.fraction.count > 0 || (hasWhole && grammar.contains(.bareWhole)) else {
        return nil
      }
    } else if !hasWhole {
      return nil
    }
    if cursor.take(0x65) || cursor.take(0x45) {
      let isNegative = cursor.take(0x2D)
      if !isNegative { _ = cursor.take(0x2B) }
      let digits = cursor.takeDigits()
      guard digits.count > 0 else { return nil }
      var exponent: Int64 = 0
      for digit in digits { exponent = min(exponent * 10 + Int64(digit &- 0x30), 1 << 56) }
      decimal.exponent = isNegative ? -exponent : exponent
    }
    return decimal
  }

  /// Correct for every decimal: hands the significant digits to the C library as `digits e exponent`.
  /// Without a point that text means the same in every locale.
  private static func slowValue(of decimal: ScannedDecimal) -> Double {
    var exponent = decimal.exponent - Int64(decimal.fraction.count)
    var significant = 0
    decimal.forEachSignificantDigit { _ in significant += 1 }
    guard significant > 0 else { return 0 }
    if exponent + Int64(significant) > 400 { return .infinity }
    if exponent + Int64(significant) < -400 { return 0 }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: digitLimit + 16) { text in
      var count = 0
      var isInexact = false
      decimal.forEachSignificantDigit { digit in
        if count < digitLimit {
          text[count] = CChar(bitPattern: digit)
          count += 1
        } else if digit != 0x30 {
          isInexact = true
        }
      }
      exponent += Int64(significant - count)
      if isInexact {  // one more digit, so that a tie is not mistaken for exact
        text[count] = 0x31
        count += 1
        exponent -= 1
      }
      text[count] = 0x65
      count += 1
      for byte in String(exponent).utf8 {
        text[count] = CChar(bitPattern: byte)
        count += 1
      }
      text[count] = 0
      guard let base = text.baseAddress else { return 0 }
      let hostError = errno
      defer { errno = hostError }
      return strtod(base, nil)
    }
  }

  /// 768 significant digits decide every tie between two doubles.
  private static var digitLimit: Int { 800 }
}

/// The parts of a number that follows the grammar.
private struct ScannedDecimal {
  let whole: ByteView
  var fraction = ByteView(start: nil, count: 0)
  /// Kept within 2^56 either way.
  var exponent: Int64 = 0

  init(whole: ByteView) { self.whole = whole }

  /// The digits from the first that is not 0 on.
  func forEachSignificantDigit(_ body: (UInt8) -> Void) {
    var isLeading = true
    for part in [whole, fraction] {
      for digit in part {
        if isLeading, digit == 0x30 { continue }
        isLeading = false
        body(digit)
      }
    }
  }

  var quickValue: Double? {
    var digits: UInt64 = 0
    for part in [whole, fraction] {
      for digit in part {
        digits = digits &* 10 &+ UInt64(digit &- 0x30)
        if digits > 1 &<< 53 { return nil }
      }
    }
    return digits == 0 ? 0 : DecimalParser.exact(digits, exponent: exponent - Int64(fraction.count))
  }
}

extension ByteCursor {
  /// Takes as many decimal digits as there are.
  fileprivate mutating func takeDigits() -> ByteView {
    let start = position
    take(while: ASCII.isDigit)
    return bytes.view(from: start, to: position)
  }
}
