import ConformanceKit
import HoistTestSupport
import Testing

@Suite("Vectors recorded from Optimizely's own kit hold (OPT-60 to OPT-63, OPT-74 to OPT-77; no client)") struct VectorTests {
  /// Every file in the checkout.
  @Test(arguments: [
    "bucketing", "condition_trees", "conditions", "decide", "legacy_calls", "profiles", "track", "versions",
  ])
  func ownVectors(_ name: String) {
    let outcome = Conformance.run("optimizely", ["\(Self.folder)/vectors/optimizely/\(name).json"])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }

  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(2)
    return parts.joined(separator: "/") + "/Conformance"
  }()
}
