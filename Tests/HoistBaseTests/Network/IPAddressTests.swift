import HoistBase
import HoistTestSupport
import Testing

/// protocols/unleash.md C.7 (UNL-95; no client).
@Suite struct IPAddressTests {
  @Test(arguments: [
    ("0.0.0.0", UInt64(0)), ("127.0.0.1", 0x7F00_0001), ("255.255.255.255", 0xFFFF_FFFF),
    ("1.2.3.4", 0x0102_0304),
  ])
  func version4(text: String, expected: UInt64) throws {
    let address = try #require(IPAddress(text))
    #expect(address.family == .v4)
    #expect(address.high == 0)
    #expect(address.low == expected)
  }

  @Test(arguments: [
    ("::", UInt64(0), UInt64(0)), ("::1", 0, 1), ("1::", 0x0001_0000_0000_0000, 0),
    ("2001:db8::1", 0x2001_0DB8_0000_0000, 1), ("2001:DB8:0:0::1", 0x2001_0DB8_0000_0000, 1),
    ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
    ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
    ("::1:2:3:4:5:6:7", 0x0000_0001_0002_0003, 0x0004_0005_0006_0007),
    ("1:2::7:8", 0x0001_0002_0000_0000, 0x0000_0000_0007_0008),
    ("::1.2.3.4", 0, 0x0102_0304), ("::ffff:1.2.3.4", 0, 0xFFFF_0102_0304),
    ("1:2:3:4:5:6:1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0006_0102_0304),
    ("1:2:3:4:5::1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0000_0102_0304),
    ("fe80::0001", 0xFE80_0000_0000_0000, 1),
    ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .max, .max),
  ])
  func version6(text: String, high: UInt64, low: UInt64) throws {
    let address = try #require(IPAddress(text))
    #expect(address.family == .v6)
    #expect(address.high == high)
    #expect(address.low == low)
  }

  @Test(arguments: [
    "", " ", "host", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "01.2.3.4",
    "1.2.3.04",
    "00.0.0.0", "256.1.1.1", "1.2.3.256", "1.2.3.1000", "-1.2.3.4", "+1.2.3.4", "1.2.3.4 ",
    " 1.2.3.4",
    "1.2.3.4:80", "1.2.3.4/8", "0x1.2.3.4", "1,2,3,4", "١.2.3.4", "1.2.3.4\u{0}",
  ])
  func whatIsNoVersion4IsRefused(text: String) { #expect(IPAddress(text) == nil) }

  @Test(arguments: [
    ":", ":::", "1:", ":1", ":1::", "::1:", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
    "1::2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "12345::", "00001::", "g::",
    "::1%lo",
    "[::1]", "::1/64", "1.2.3.4::", "::01.2.3.4", "::1.2.3", "::1.2.3.4.5", "::1.2.3.4:5",
    "::256.2.3.4",
    "1:2:3:4:5:6::1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "::1 ", " ::1",
  ])
  func whatIsNoVersion6IsRefused(text: String) { #expect(IPAddress(text) == nil) }

  @Test func longTextIsRefused() {
    #expect(IPAddress(String(repeating: "1", count: 100_000)) == nil)
    #expect(IPAddress(String(repeating: "1:", count: 100_000)) == nil)
    #expect(IPAddress(ByteView(start: nil, count: 0)) == nil)
  }

  @Test func mappedAddressesAreNotThoseTheyMap() {
    #expect(IPAddress("::ffff:1.2.3.4") != IPAddress("1.2.3.4"))
    #expect(IPAddress("::1.2.3.4") != IPAddress("1.2.3.4"))
  }

  @Test func everyAddressIsReadAsItIsWritten() {
    var generator = SeededGenerator(seed: 16)
    for _ in 0..<2_000 {
      let (high, low) = (generator.next(), generator.next())
      let groups = [high, low].flatMap { half in
        [48, 32, 16, 0].map { (shift: UInt64) in String(half >> shift & 0xFFFF, radix: 16) }
      }
      let address = IPAddress(groups.joined(separator: ":"))
      #expect(address?.high == high)
      #expect(address?.low == low)
      let parts = [24, 16, 8, 0].map { (shift: UInt64) in String(low >> shift & 0xFF) }
      #expect(IPAddress(parts.joined(separator: "."))?.low == low & 0xFFFF_FFFF)
    }
  }
}
