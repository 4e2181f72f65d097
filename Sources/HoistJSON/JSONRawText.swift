/// JSON text written into memory of the caller's, for those who may not allocate.
public enum JSONRawText {
  /// The most bytes a number takes.
  public static let maximumNumberBytes = 32

  /// The most bytes a string of so many bytes takes, quotes included.
  public static func maximumStringBytes(_ count: Int) -> Int { count * 6 + 2 }

  /// Writes a string with its quotes.
  /// - Parameters:
  ///   - text: valid UTF-8.
  ///   - target: has room for `maximumStringBytes`.
  /// - Returns: the bytes written.
  public static func writeString(_ text: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    target[0] = UInt8(ascii: "\"")
    var end = 1
    for byte in text {
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        target[end] = byte
        end &+= 1
      } else {
        end &+= writeEscape(byte, to: target + end)
      }
    }
    target[end] = UInt8(ascii: "\"")
    return end &+ 1
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
      target[4] = hexDigit(byte >> 4)
      target[5] = hexDigit(byte & 15)
      return 6
    }
    return 2
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x57 &+ value }

  private static func exact(_ value: Double) -> Int64? {
    value.magnitude <= 0x1p53 ? Int64(exactly: value) : nil
  }

  private static func write(_ text: StaticString, to target: UnsafeMutablePointer<UInt8>) -> Int {
    target.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    return text.utf8CodeUnitCount
  }

  /// - Parameter places: how many digits stand after the point; at least one stands before it.
  private static func writeDecimal(_ number: Int64, places: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var rest = number.magnitude
    var count = 0
    let start = number < 0 ? 1 : 0
    if number < 0 { target[0] = UInt8(ascii: "-") }
    // From the last digit to the first, at the end of the room.
    let tail = target + (maximumNumberBytes - 1)
    var last = tail
    repeat {
      if count == places, places > 0 {
        last.pointee = UInt8(ascii: ".")
        last -= 1
      }
      last.pointee = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
      last -= 1
      rest /= 10
      count += 1
    } while rest > 0 || count <= places
    let length = tail - last
    (target + start).update(from: last + 1, count: length)
    return start + length
  }
}
