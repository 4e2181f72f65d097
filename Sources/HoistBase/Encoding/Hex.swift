/// Base 16 (RFC 4648 section 8), written in lower case, read in either case.
public enum Hex {
  public static func encode(_ source: some ByteSource) -> String {
    source.withBytes { bytes in
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count &* 2)
      for byte in bytes {
        text.append(lowercaseDigit(byte &>> 4))
        text.append(lowercaseDigit(byte & 15))
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// - Returns: nil for an odd count of digits or anything that is no digit.
  public static func decode(_ source: some ByteSource) -> [UInt8]? {
    source.withBytes { text in
      guard text.count % 2 == 0 else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count / 2)
      var index = 0
      while index &+ 1 < text.count {
        guard let high = ASCII.hexValue(text[index]), let low = ASCII.hexValue(text[index &+ 1])
        else { return nil }
        bytes.append(high &<< 4 | low)
        index &+= 2
      }
      return bytes
    }
  }

  /// The digit of a value from 0 to 15.
  static func lowercaseDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x57 &+ value }
  public static func uppercaseDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }
}
