import HoistBase
import Testing

@Suite struct HexTests {
  @Test func bytesAreWrittenInLowerCase() {
    #expect(Hex.encode([0x00, 0x0F, 0xA0, 0xFF] as [UInt8]) == "000fa0ff")
    #expect(Hex.encode("") == "")
  }

  @Test func bothCasesAreRead() {
    #expect(Hex.decode("00fFAb") == [0x00, 0xFF, 0xAB])
    #expect(Hex.decode("") == [])
  }

  @Test(arguments: ["0", "abc", "0g", "g0", " 00", "00 ", "0x00", "٠٠", "@`"])
  func garbageIsRefused(text: String) { #expect(Hex.decode(text) == nil) }

  @Test func everyByteComesBack() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
  }
}
