internal import HoistBase

/// Writes JSON text into the caller's memory, for code that must not allocate.
public enum JSONRawText {
  /// The most bytes a number takes.
  public static let maximumNumberBytes = 32

  /// The most bytes that a string of `count` bytes takes, quotes included.
  public static func maximumStringBytes(_ count: Int) -> Int { count * 6 + 2 }

  /// Writes a string with its quotes.
  /// - Parameters:
  ///   - text: valid UTF-8.
  ///   - target: has room for `maximumStringBytes`.
  /// - Returns: the bytes written.
  public static func writeString(_ text: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    target[0] = UInt8(ascii: "\"")
    var end = 1
    guard let start = text.baseAddress else { return writeQuote(to: target, at: 1) }
    var offset = 0
    while offset < text.count {
      if text.count &- offset >= 8 {
        let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if PlainBytes.standForThemselves(word) {
          UnsafeMutableRawPointer(target + end).storeBytes(of: word, as: UInt64.self)
          end &+= 8
          offset &+= 8
          continue
        }
      }
      let byte = start.load(fromByteOffset: offset, as: UInt8.self)
      offset &+= 1
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        target[end] = byte
        end &+= 1
      } else {
        end &+= writeEscape(byte, to: target + end)
      }
    }
    return writeQuote(to: target, at: end)
  }

  @inline(__always)
  private static func writeQuote(to target: UnsafeMutablePointer<UInt8>, at end: Int) -> Int {
    target[end] = UInt8(ascii: "\"")
    return end &+ 1
  }

  /// Writes a number of 64 bits in full.
  /// - Parameter target: has room for `maximumNumberBytes`.
  /// - Returns: the bytes written.
  public static func writeInteger(_ value: Int64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    writeDecimal(value, places: 0, to: target)
  }

  /// Writes a number that reads back as the same double; `null` for NaN and infinities.
  /// - Parameter target: has room for `maximumNumberBytes`.
  /// - Returns: the bytes written.
  public static func writeNumber(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
    guard value.isFinite else { return write("null", to: target) }
    if let whole = exact(value) { return writeDecimal(whole, places: 0, to: target) }
    // A quotient of two exact numbers is rounded just as a reader rounds the decimal text of it.
    if let hundredths = exact((value * 100).rounded()), Double(hundredths) / 100 == value {
      return hundredths % 10 == 0
        ? writeDecimal(hundredths / 10, places: 1, to: target) : writeDecimal(hundredths, places: 2, to: target)
    }
    var text = value.description
    return text.withUTF8 { bytes in
      for (index, byte) in bytes.prefix(maximumNumberBytes).enumerated() { target[index] = byte }
      return min(bytes.count, maximumNumberBytes)
    }
  }

  /// - Parameter target: has room for `maximumNumberBytes`.
  /// - Returns: the bytes written.
  public static func writeBoolean(_ value: Bool, to target: UnsafeMutablePointer<UInt8>) -> Int {
    write(value ? "true" : "false", to: target)
  }

  static func writeEscape(_ byte: UInt8, to target: UnsafeMutablePointer<UInt8>) -> Int {
    target[0] = UInt8(ascii: "\\")
    switch byte {
    case 0x22, 0x5C: target[1] = byte
    case 0x08: target[1] = UInt8(ascii: "b")
    case 0x0C: target[1] = UInt8(ascii: "f")
    case 0x0A: target[1] = UInt8(ascii: "n")
    case 0x0D: target[1] = UInt8(ascii: "r")
    case 0x09: target[1] = UInt8(ascii: "t")
    default:
      target[1] = UInt8(ascii: "u")
      target[2] = UInt8(ascii: "0")
      target[3] = UInt8(ascii: "0")
      target[4] = Hex.lowercaseDigit(byte >> 4)
      target[5] = Hex.lowercaseDigit(byte & 15)
      return 6
    }
    return 2
  }

  private static func exact(_ value: Double) -> Int64? {
    value.magnitude <= 0x1p53 ? Int64(exactly: value) : nil
  }

  private static func write(_ text: StaticString, to target: UnsafeMutablePointer<UInt8>) -> Int {
    target.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    return text.utf8CodeUnitCount
  }

  /// - Parameter places: how many digits stand after the point, at most two; at least one stands before it.
  private static func writeDecimal(_ number: Int64, places: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var end = 0
    if number < 0 {
      target[0] = UInt8(ascii: "-")
      end = 1
    }
    let magnitude = number.magnitude
    guard places > 0 else { return end + writeDigits(magnitude, atLeast: 1, to: target + end) }
    let scale: UInt64 = places == 1 ? 10 : 100
    end += writeDigits(magnitude / scale, atLeast: 1, to: target + end)
    target[end] = UInt8(ascii: ".")
    return end + 1 + writeDigits(magnitude % scale, atLeast: places, to: target + end + 1)
  }

  /// - Parameter count: with zeros in front where the number has fewer digits.
  @inline(__always)
  private static func writeDigits(_ number: UInt64, atLeast count: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let length = max(digitCount(of: number), count)
    var rest = number
    var at = length
    while at > 1 {
      at &-= 2
      let pair = rest % 100
      rest /= 100
      target[at] = 0x30 &+ UInt8(truncatingIfNeeded: pair / 10)
      target[at &+ 1] = 0x30 &+ UInt8(truncatingIfNeeded: pair % 10)
    }
    if at == 1 { target[0] = 0x30 &+ UInt8(truncatingIfNeeded: rest) }
    return length
  }

  @inline(__always)
  private static func digitCount(of number: UInt64) -> Int {
    var rest = number
    var count = 1
    while rest >= 10_000 {
      rest /= 10_000
      count &+= 4
    }
    return count &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
  }
}
