import HoistBase
import Testing

@Suite struct UUIDv4Tests {
  @Test func versionAndVariantAreFixed() {
    #expect(UUIDv4(from: ListedEntropy([0])).text == "00000000-0000-4000-8000-000000000000")
    #expect(UUIDv4(from: ListedEntropy([.max])).text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
  }

  @Test func theTwoDrawsAreItsDigits() {
    let uuid = UUIDv4(from: ListedEntropy([0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210]))
    #expect(uuid.text == "01234567-89ab-4def-bedc-ba9876543210")
    #expect(uuid.uppercaseText == "01234567-89AB-4DEF-BEDC-BA9876543210")
    #expect(uuid.digits == "0123456789ab4defbedcba9876543210")
  }

  @Test func noTwoAreAlike() {
    let entropy = SystemEntropy()
    #expect(Set((0..<1_000).map { _ in UUIDv4(from: entropy) }).count == 1_000)
  }
}
