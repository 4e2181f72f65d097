/// Numbers as JSON text: the shortest digits that read back as the same double, laid out as one of
/// the writers that services compare texts with.
public enum JSONNumberText {
  /// Where a writer turns to the form with an exponent, and how it writes that.
  public struct Style: Sendable, Equatable {
    /// Powers of ten just above the value between which no exponent is written: 0.05 has -1, 5 has
    /// 1, 50 has 2.
    fileprivate let plain: ClosedRange<Int>
    fileprivate let exponentPlus: Bool
    fileprivate let exponentDigits: Int

    /// Rust's serde_json: `1.0`, `0.00001`, `1e16`, `1e-6`.
    public static let rust = Style(plain: -4...16, exponentPlus: false, exponentDigits: 1)
    /// Python's json: `1.0`, `1e-05`, `1e+16`.
    public static let python = Style(plain: -3...16, exponentPlus: true, exponentDigits: 2)
  }

  /// - Returns: `null` for infinities and NaN, which JSON cannot say.
  public static func text(_ value: Double, _ style: Style = .rust) -> String {
    var text: [UInt8] = []
    append(value, to: &text, style)
    return String(decoding: text, as: UTF8.self)
  }

  public static func append(_ value: Double, to text: inout [UInt8], _ style: Style = .rust) {
    guard value.isFinite else { return text.append(contentsOf: "null".utf8) }
    let (digits, point) = shortestDigits(of: value.magnitude)
    if value.sign == .minus { text.append(0x2D) }
    if digits.isEmpty {
      text.append(contentsOf: "0.0".utf8)
    } else if style.plain.contains(point) {
      appendPlain(digits, point, to: &text)
    } else {
      appendWithExponent(digits, point - 1, to: &text, style)
    }
  }

  private static func appendPlain(_ digits: ArraySlice<UInt8>, _ point: Int, to text: inout [UInt8]) {
    if point <= 0 {
      text.append(contentsOf: "0.".utf8)
      text.append(contentsOf: repeatElement(0x30, count: -point))
      text.append(contentsOf: digits)
    } else if point >= digits.count {
      text.append(contentsOf: digits)
      text.append(contentsOf: repeatElement(0x30, count: point - digits.count))
      text.append(contentsOf: ".0".utf8)
    } else {
      text.append(contentsOf: digits.prefix(point))
      text.append(0x2E)
      text.append(contentsOf: digits.dropFirst(point))
    }
  }

  private static func appendWithExponent(
    _ digits: ArraySlice<UInt8>, _ exponent: Int, to text: inout [UInt8], _ style: Style
  ) {
    text.append(contentsOf: digits.prefix(1))
    if digits.count > 1 {
      text.append(0x2E)
      text.append(contentsOf: digits.dropFirst())
    }
    text.append(0x65)
    if exponent < 0 { text.append(0x2D) } else if style.exponentPlus { text.append(0x2B) }
    let power = String(exponent.magnitude)
    text.append(contentsOf: repeatElement(0x30, count: max(0, style.exponentDigits - power.count)))
    text.append(contentsOf: power.utf8)
  }

  /// The value is 0.DIGITS times 10 to the power `point`; no digits for zero. The digits are those
  /// of Swift's `description`, which are the shortest and, among those, the nearest.
  private static func shortestDigits(of value: Double) -> (digits: ArraySlice<UInt8>, point: Int) {
    var digits: [UInt8] = []
    var point: Int?
    var exponent = 0
    value.description.withBytes { text in
      var cursor = ByteCursor(text)
      while let byte = cursor.next() {
        if ASCII.isDigit(byte) {
          digits.append(byte)
        } else if byte == 0x2E {
          point = digits.count
        } else {  // the `e`
          let power = IntegerParser.parse(cursor.rest, as: Int.self, signs: .plusOrMinus)
          exponent = power.value ?? 0
          break
        }
      }
    }
    let leadingZeros = digits.prefix { $0 == 0x30 }.count
    let trimmed = digits.dropFirst(leadingZeros)
    let length = (trimmed.lastIndex { $0 != 0x30 } ?? leadingZeros - 1) + 1 - leadingZeros
    return (trimmed.prefix(length), (point ?? digits.count) + exponent - leadingZeros)
  }
}
