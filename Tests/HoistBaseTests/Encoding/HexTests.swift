import HoistBase
import Testing

@Suite struct HexTests {
  @Test func bytesAreWrittenInLowerCase() {
    #expect(Hex.encode([0x00, 0x0F, 0xA0, 0xFF] as [UInt8]) == "000fa0ff")
    #expect(Hex.encode("") == "")
  }
}
