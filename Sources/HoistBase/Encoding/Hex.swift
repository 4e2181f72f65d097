/// Writes base 16 (RFC 4648 section 8), in lower case.
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

  /// The digit of a value from 0 to 15.
  public static func lowercaseDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x57 &+ value }
  public static func uppercaseDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }
}
