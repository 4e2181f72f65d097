/// Percent-encoding of UTF-8 bytes with upper-case digits (RFC 3986 section 2).
public enum PercentEncoding {
  /// Which bytes stay as they are; every other one becomes `%XX`.
  public enum Kept: Sendable {
    /// `A-Z a-z 0-9 - . _ ~` (RFC 3986 2.3).
    case unreserved
    /// These and `! * ' ( )`: JavaScript's `encodeURIComponent` (protocols/kameleoon.md 3.1).
    case component
  }

  public static func encode(_ source: some ByteSource, keeping kept: Kept = .unreserved) -> String {
    var text: [UInt8] = []
    append(source, to: &text, keeping: kept)
    return String(decoding: text, as: UTF8.self)
  }

  public static func append(
    _ source: some ByteSource, to text: inout [UInt8], keeping kept: Kept = .unreserved
  ) {
    source.withBytes { bytes in
      text.reserveCapacity(text.count &+ bytes.count)
      for byte in bytes {
        if isKept(byte, kept) {
          text.append(byte)
        } else {
          text.append(0x25)
          text.append(Hex.uppercaseDigit(byte &>> 4))
          text.append(Hex.uppercaseDigit(byte & 15))
        }
      }
    }
  }

  private static func isKept(_ byte: UInt8, _ kept: Kept) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    case 0x21, 0x27, 0x28, 0x29, 0x2A: kept == .component
    default: false
    }
  }
}
