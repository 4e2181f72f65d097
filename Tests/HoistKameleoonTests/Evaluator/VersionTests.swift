import HoistBase
import Testing

@testable import HoistKameleoon

@Suite("Versions, as conditions compare them (protocols/kameleoon.md 3.12)")
struct VersionTests {
  @Test(
    "A pre-release or build part is cut off (KAM-B20; no client); older SDKs of the vendor know no such version",
    arguments: [
      ("1.2-beta", [1, 2, 0]), ("1.2.3-rc.1+5", [1, 2, 3]), ("4+build", [4, 0, 0]), ("1.2.3", [1, 2, 3]), ("-1.2", [-1, 2, 0]),
    ] as [(String, [Int64])])
  func preReleases(text: String, parts: [Int64]) {
    #expect(text.withBytes { DottedVersion($0)?.parts } == parts)
    let hasPart = text.dropFirst().contains { $0 == "-" || $0 == "+" }
    #expect((text.withBytes { DottedVersion($0, isStrict: true)?.parts } == nil) == hasPart)
  }

  @Test("What is no number makes it none", arguments: ["", "a", "1..2", "1.a", "1.2.x", "1,2", "-beta"])
  func noVersion(text: String) {
    #expect(text.withBytes { DottedVersion($0)?.parts } == nil)
  }
}
