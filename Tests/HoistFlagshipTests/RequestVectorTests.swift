import ConformanceKit
import Testing

@Suite("Vectors recorded from Flagship's own kit hold for requests (FS-03, FS-06, FS-07, FS-42; ready, panic)")
struct RequestVectorTests {
  /// Files in the checkout.
  @Test(arguments: ["wire_decision_request", "wire_bucketing"])
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
