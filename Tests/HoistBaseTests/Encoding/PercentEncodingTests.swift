import HoistBase
import Testing

@Suite struct PercentEncodingTests {
  /// protocols/unleash.md B.2.
  @Test(arguments: [
    ("gold plus", "gold%20plus"), ("properties[tier]", "properties%5Btier%5D"),
    ("AZaz09-._~", "AZaz09-._~"), ("a+b&c=d", "a%2Bb%26c%3Dd"), ("é", "%C3%A9"),
    ("🚀", "%F0%9F%9A%80"), ("100%", "100%25"), ("", ""), ("\u{0}\u{7F}", "%00%7F"),
    ("(p)!*'", "%28p%29%21%2A%27"), ("a/b?c#d", "a%2Fb%3Fc%23d"),
  ])
  func allButUnreservedIsEncoded(text: String, expected: String) {
    #expect(PercentEncoding.encode(text) == expected)
  }

  /// protocols/kameleoon.md 3.1.
  @Test func componentsKeepFiveMarksMore() {
    #expect(PercentEncoding.encode("(p)!*' /é", keeping: .component) == "(p)!*'%20%2F%C3%A9")
  }

  @Test func everyByteIsKeptOrEncoded() {
    for byte in UInt8.min...UInt8.max {
      let encoded = PercentEncoding.encode([byte])
      let isKept = ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte)
      #expect(
        Array(encoded.utf8) == (isKept ? [byte] : Array("%\(Hex.encode([byte]).uppercased())".utf8))
      )
    }
  }
}
