import HoistBase
import HoistTestSupport
import Testing

/// G2: nothing that comes from outside can trap. Valid texts are damaged at random and given to every
/// parser; what one of them still accepts must make sense.
@Suite struct GarbageTests {
  private static let samples = [
    "2026-01-05T10:00:00.123+02:00", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sunday, 06-Nov-94 08:49:37 GMT", "120", "-12.5e-10", "infinity", "18446744073709551615",
    "1.2.3-rc.1+build.5", "192.168.1.0/255.255.255.0", "2001:db8::1.2.3.4/120",
    "https://user:pw@[::1]:8443/a%20b/c?d=e#f", "http://flags.example.com/api?x=1",
    "ΟΔΟΣ Straße İ", "",
  ]
  private static let pieces =
    Array("0123456789.:-+/%@[]?#eETZ =\u{7F}".utf8) + [0, 0x80, 0xC3, 0xFF]

  private func damaged(_ generator: inout SeededGenerator) -> [UInt8] {
    let sample = Self.samples.randomElement(using: &generator) ?? ""
    var bytes = Array(sample.utf8)
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let piece = Self.pieces.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.insert(piece, at: place)
      case 1 where place < bytes.count: bytes.remove(at: place)
      case 2 where place < bytes.count: bytes[place] = piece
      default: bytes.insert(contentsOf: bytes[..<place], at: place)
      }
    }
    return bytes
  }

  @Test(arguments: 0..<4)
  func damagedTextsAreReadOrRefused(seed: UInt64) {
    var generator = SeededGenerator(seed: 100 + seed)
    for _ in 0..<5_000 {
      let bytes = damaged(&generator)
      let now = Int64(bitPattern: generator.next())
      let cap = Int64.random(in: 0 ... .max, using: &generator)
      if let instant = RFC3339.parse(bytes) {
        #expect(-62_167_305_600...253_402_387_199 ~= instant.seconds)
      }
      if let date = HTTPDate.parse(bytes, nowUnixSeconds: now) { #expect(date < 1 << 60) }
      if let wait = RetryAfter.milliseconds(bytes, nowUnixMilliseconds: now, capMilliseconds: cap) {
        #expect(0...cap ~= wait)
      }
      if DecimalParser.parse(bytes, []) != nil {
        #expect(DecimalParser.parse(bytes, .rust) != nil)
      }
      if let version = SemanticVersion(bytes) {
        #expect(version.prereleaseOffset + version.prereleaseCount <= bytes.count)
        #expect(SemanticVersion.order(bytes, bytes) == .equal)
      }
      if let address = IPAddress(bytes) { #expect(CIDR(bytes)?.contains(address) == true) }
      if let url = try? URLText(bytes) {
        #expect((try? URLText(url.text)) == url)
        #expect(!url.redacted.contains("@") || url.path.contains("@"))
      }
      #expect(UTF8Text.isValid(FullLowercase.text(bytes)))
      if case .value(let value) = IntegerParser.parse(bytes, as: Int16.self, signs: .plusOrMinus) {
        #expect(DecimalParser.parse(bytes, .rust) == Double(value))
      }
    }
  }
}
