internal import HoistBase

/// A version as conditions compare it (protocols/kameleoon.md 3.12): three numbers; what is missing is 0, what follows
/// them is passed over, a pre-release or build part is cut off (KAM-B20).
struct DottedVersion: BitwiseCopyable {
  private var major: Int64 = 0
  private var minor: Int64 = 0
  private var patch: Int64 = 0

  /// nil for what is no version.
  /// - Parameter isStrict: no part is cut off, as in older SDKs of the vendor.
  init?(_ text: ByteView, isStrict: Bool = false) {
    let end = isStrict ? text.count : Self.endOfNumbers(text)
    var start = 0
    var place = 0
    while place < 3, start <= end {
      var stop = start
      while stop < end, text[stop] != UInt8(ascii: ".") { stop &+= 1 }
      guard
        let number = IntegerParser.parse(Self.trimmed(text.view(from: start, to: stop)), as: Int64.self, signs: .plusOrMinus)
          .value
      else { return nil }
      switch place {
      case 0: major = number
      case 1: minor = number
      default: patch = number
      }
      place &+= 1
      start = stop &+ 1
    }
  }

  /// Where a pre-release or build part begins: a sign behind a digit.
  private static func endOfNumbers(_ text: ByteView) -> Int {
    var place = 1
    while place < text.count {
      let isSign = text[place] == UInt8(ascii: "-") || text[place] == UInt8(ascii: "+")
      if isSign, ASCII.isDigit(text[place &- 1]) { return place }
      place &+= 1
    }
    return text.count
  }

  private static func trimmed(_ text: ByteView) -> ByteView {
    var (start, end) = (0, text.count)
    while start < end, text[start] == 0x20 { start &+= 1 }
    while end > start, text[end &- 1] == 0x20 { end &-= 1 }
    return text.view(from: start, to: end)
  }

  var parts: [Int64] { [major, minor, patch] }

  func order(against other: DottedVersion) -> Ordering {
    if major != other.major { return Ordering(of: major, against: other.major) }
    if minor != other.minor { return Ordering(of: minor, against: other.minor) }
    return Ordering(of: patch, against: other.patch)
  }
}

/// A browser's version: major and minor as one decimal number, so that 1.10 is 1.1.
enum BrowserVersion {
  static func number(_ text: ByteView) -> Double? {
    var end = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
    if end < text.count {
      end &+= 1
      while end < text.count, text[end] != UInt8(ascii: ".") { end &+= 1 }
    }
    return TextNumber.parse(text.view(from: 0, to: end), isStrict: false)
  }
}

/// Numbers in custom data, as `strtod` reads them but for hexadecimal ones.
enum TextNumber {
  /// - Parameter isStrict: `_` may stand between digits (section 7, A26).
  static func parse(_ text: ByteView, isStrict: Bool) -> Double? {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }
    var (start, end) = (0, text.count)
    while start < end, isBlank(text[start]) { start &+= 1 }
    while end > start, isBlank(text[end &- 1]) { end &-= 1 }
    let trimmed = text.view(from: start, to: end)
    guard isStrict, trimmed.contains(UInt8(ascii: "_")) else { return DecimalParser.parse(trimmed, .rust) }
    for index in 0..<trimmed.count where trimmed[index] == UInt8(ascii: "_") {
      let isBetween =
        index > 0 && index + 1 < trimmed.count && ASCII.isDigit(trimmed[index - 1]) && ASCII.isDigit(trimmed[index + 1])
      guard isBetween else { return nil }
    }
    return trimmed.filter { $0 != UInt8(ascii: "_") }.withBytes { DecimalParser.parse($0, .rust) }
  }
}
