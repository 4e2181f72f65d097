import ConformanceKit
import Testing

@Suite("Vectors recorded from Flagship's own kit hold for hits and exposures (FS-71, FS-79, FS-90 to FS-99; ready)")
struct HitVectorTests {
  /// Files in the checkout.
  @Test(arguments: ["wire_activate", "wire_hits", "hit_validation"])
  func ownVectors(_ name: String) {
    let outcome = Conformance.run("flagship", ["\(Self.folder)/vectors/flagship/\(name).json"])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }

  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(2)
    return parts.joined(separator: "/") + "/Conformance"
  }()
}
