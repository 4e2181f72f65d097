import HoistBase
import Testing

@testable import HoistKameleoon

/// The same code gives the same hash (KAM-30, protocols/kameleoon.md 3.2; no client).
@Suite struct BucketHashTests {
  @Test(arguments: [
    ("visitor", "42", 0x1.054679e8e0045p-2), ("visitor", "421700000000", 0x1.d327c44f8c5a6p-1),
    ("0123456789abcdef", "10", 0x1.a2da66785954cp-1), ("Zo\u{EB}", "12345", 0x1.f32834c6e63c8p-1),
    ("日本語ユーザー", "12345", 0x1.13f6e0cf2f637p-2), ("v73856", "1", 0x1.6f9dc44dfa20fp-17),
    ("visitor", "group", 0x1.4738c6775ca03p-2),
  ])
  func hashesAreThoseOfTheVendorToTheLastBit(code: String, suffix: String, expected: Double) {
    #expect(code.withBytes { code in suffix.withBytes { BucketHash.value(code, $0) } } == expected)
  }

  @Test func codesBeyondOneBlockAreHashedWhole() {
    let code = String(repeating: "x", count: 200)
    let digest = SHA256.hash(code + "7")
    let value = code.withBytes { code in "7".withBytes { BucketHash.value(code, $0) } }
    let expected = Double(digest.bigEndianWord(0)) * 0x1p-64
    #expect((value - expected).magnitude < 1e-15)
  }
}
