import ConformanceKit
import Testing

@Suite("Vectors recorded from Flagship's own kit hold for campaigns and flags (FS-07, FS-76, FS-78; no client)")
struct FlagVectorTests {
  /// Files in the checkout.
  @Test(arguments: [
    "allocation", "campaigns", "decision_response", "flag_values", "hash", "targeting", "targeting_groups",
  ])
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
