public import HoistBase

/// Codes that visitors are known by (protocols/kameleoon.md 4.1).
public enum VisitorCode {
  /// In code points (KAM-11).
  public static let maximumLength = 255
  /// Longer ones are taken, though the service's documentation knows none (section 7, A13).
  static let documentedLength = 100
  private static let generatedLength = 16
  private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

  /// - Parameter code: UTF-8.
  public static func isValid(_ code: [UInt8]) -> Bool { (1...maximumLength).contains(length(of: code)) }

  /// In code points.
  static func length(of code: [UInt8]) -> Int { UTF8Text.countCodePoints(code) }

  /// KAM-12
  public static func generate(_ entropy: some Entropy) -> [UInt8] {
    var code: [UInt8] = []
    while code.count < generatedLength {
      var word = entropy.next()
      // Six bits at a time; those beyond the alphabet are thrown away, so that all characters are equally likely.
      for _ in 0..<10 where code.count < generatedLength {
        let index = Int(word & 63)
        word >>= 6
        if index < alphabet.count { code.append(alphabet[index]) }
      }
    }
    return code
  }

  /// The code that a web page has left, in a header `Cookie` or a part of one (KAM-B27); nil for none that is valid.
  public static func inCookies(_ header: [UInt8]) -> [UInt8]? {
    guard var code = WebCookie.value(of: "kameleoonVisitorCode", in: header) else { return nil }
    // The mark that scripts in the page have written.
    let mark = Array("_js_".utf8)
    if code.starts(with: mark) { code.removeFirst(mark.count) }
    return isValid(code) ? code : nil
  }
}

/// Cookies as a browser sends them.
enum WebCookie {
  /// Percent-decoded; nil where there is none, or its text is no UTF-8.
  static func value(of name: StaticString, in header: [UInt8]) -> [UInt8]? {
    for part in header.split(separator: UInt8(ascii: ";")) {
      let pair = part.drop { $0 == 0x20 || $0 == 0x09 }
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
      guard name.withBytes({ $0.elementsEqual(pair[..<equals]) }) else { continue }
      let value = decoded(pair[(equals + 1)...])
      return value.withBytes { UTF8Text.isValid($0) } ? value : nil
    }
    return nil
  }

  /// A sign that is no escape stays as it is.
  static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = ASCII.hexValue(rest[rest.startIndex]),
        let low = ASCII.hexValue(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
