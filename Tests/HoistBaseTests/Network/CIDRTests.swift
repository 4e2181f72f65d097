import HoistBase
import HoistTestSupport
import Testing

/// protocols/unleash.md C.7 (UNL-95; no client); the forms of the prefix were checked against the engine.
@Suite struct CIDRTests {
  private func contains(_ range: String, _ address: String) throws -> Bool {
    try #require(CIDR(range)).contains(#require(IPAddress(address)))
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("192.168.1.77/24", "192.168.1.5", true), ("192.168.1.77/24", "192.168.2.5", false),
    ("0.0.0.0/0", "255.255.255.255", true), ("1.2.3.4/32", "1.2.3.4", true),
    ("1.2.3.4/32", "1.2.3.5", false), ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4", "1.2.3.5", false),
    ("128.0.0.0/1", "127.255.255.255", false), ("128.0.0.0/1", "128.0.0.1", true),
    ("1.2.3.0/255.255.255.0", "1.2.3.99", true), ("1.2.3.0/255.255.255.0", "1.2.4.0", false),
    ("1.2.3.0/0.0.0.0", "9.9.9.9", true), ("10.0.0.0/+8", "10.1.2.3", true),
    ("10.0.0.0/0000008", "10.1.2.3", true),
  ])
  func version4(range: String, address: String, expected: Bool) throws {
    #expect(try contains(range, address) == expected)
  }

  @Test(arguments: [
    ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
    ("::/0", "ffff::", true), ("::1", "::1", true), ("::1", "::2", false), ("::1/128", "::1", true),
    ("fe80::/10", "febf::1", true), ("fe80::/10", "fec0::", false),
    ("1:2:3:4::/64", "1:2:3:4:ffff::", true),
    ("1:2:3:4::/64", "1:2:3:5::", false), ("1:2:3:4:8000::/65", "1:2:3:4:ffff::", true),
    ("1:2:3:4:8000::/65", "1:2:3:4:7fff::", false), ("1:2:3:4::/63", "1:2:3:5::", true),
    ("::ffff:1.2.3.0/120", "::ffff:1.2.3.9", true),
  ])
  func version6(range: String, address: String, expected: Bool) throws {
    #expect(try contains(range, address) == expected)
  }

  @Test func familiesDoNotMatchEachOther() throws {
    #expect(try !contains("::/0", "1.2.3.4"))
    #expect(try !contains("0.0.0.0/0", "::1"))
    #expect(try !contains("::ffff:1.2.3.0/120", "1.2.3.4"))
    #expect(try !contains("1.2.3.0/24", "::ffff:1.2.3.4"))
  }

  @Test(arguments: [
    "", "/", "/8", "junk", "1.2.3", "1.2.3.4/", "1.2.3.0/33", "1.2.3.0/256", "1.2.3.0/-1",
    "1.2.3.0/ 8",
    "1.2.3.0/24 ", " 1.2.3.0/24", "1.2.3.0/8/8", "1.2.3.0/+", "1.2.3.0/0x8", "1.2.3.0/255.0.255.0",
    "1.2.3.0/0.0.0.255", "1.2.3.0/::", "256.1.1.1", "2001:db8::/129", "::/255.0.0.0", "::/::",
    "fe80::1%eth0", "1.2.3.0/99999999999999999999", "1.2.3.0\\8",
  ])
  func unreadableEntriesAreNoRange(text: String) { #expect(CIDR(text) == nil) }

  @Test func everyPrefixLengthIsABoundary() throws {
    let zero = try #require(IPAddress("0.0.0.0"))
    for bits in 1...32 {
      let range = try #require(CIDR("255.255.255.255/\(bits)"))
      let lowest = UInt32.max << UInt32(32 - bits)
      let below = lowest - 1
      func text(_ address: UInt32) -> String {
        let parts = [24, 16, 8, 0].map { (shift: UInt32) in String(address >> shift & 0xFF) }
        return parts.joined(separator: ".")
      }
      #expect(try range.contains(#require(IPAddress(text(lowest)))))
      #expect(try !range.contains(#require(IPAddress(text(below)))))
      #expect(!range.contains(zero))
      #expect(range == CIDR("255.255.255.255/\(text(lowest))"))
    }
    let ones = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    for bits in 1...128 {
      let range = try #require(CIDR("\(ones)/\(bits)"))
      #expect(range.network.high == (bits >= 64 ? .max : UInt64.max << UInt64(64 - bits)))
      #expect(range.network.low == (bits <= 64 ? 0 : UInt64.max << UInt64(128 - bits)))
    }
  }
}
