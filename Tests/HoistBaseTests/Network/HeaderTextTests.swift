import HoistBase
import Testing

/// reliability.md 6, "Header injection".
@Suite struct HeaderTextTests {
  @Test(arguments: ["Accept", "x-1_2", "!#$%&'*+-.^_`|~", "A"])
  func tokensAreNames(name: String) { #expect(HeaderText.isSafeName(name)) }

  @Test(arguments: [
    "", " ", "a b", "a:", "a\r", "a\n", "é", "a(b)", "a\"", "a/b", "a\u{0}", "[", "{", "@", "=",
    ";",
  ])
  func otherTextIsNoName(name: String) { #expect(!HeaderText.isSafeName(name)) }

  @Test(arguments: ["", "a b", "tab\tbed", "W/\"abc\"", "größe", "Bearer x.y-z~+/="])
  func printableTextIsAValue(value: String) { #expect(HeaderText.isSafeValue(value)) }

  @Test func everyControlCharacterButTheTabIsRefused() {
    for byte in UInt8.min...UInt8.max {
      let isSafe = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
      #expect(HeaderText.isSafeValue([0x61, byte, 0x62]) == isSafe)
    }
    #expect(!HeaderText.isSafeValue("x\r\nAuthorization: y"))
  }
}
