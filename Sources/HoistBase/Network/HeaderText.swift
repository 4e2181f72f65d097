/// Whether text may become part of an HTTP header. Refusing line ends here is what keeps a value
/// from adding headers of its own.
public enum HeaderText {
  /// A token (RFC 9110 5.6.2): at least one letter, digit or ``!#$%&'*+-.^_`|~``.
  public static func isSafeName(_ source: some ByteSource) -> Bool {
    source.withBytes { bytes in
      bytes.count > 0 && bytes.allSatisfy { ASCII.isAlphanumeric($0) || isTokenMark($0) }
    }
  }

  /// No control character but the tab: no CR, LF, NUL, DEL. Bytes from 0x80 on may stand.
  public static func isSafeValue(_ source: some ByteSource) -> Bool {
    source.withBytes { bytes in
      bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
  }

  private static func isTokenMark(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}
