import ConformanceKit
import HoistTestSupport
import Testing

@Suite("Vectors recorded from LaunchDarkly's own kit hold (LD-71, LD-72, LD-83; no client)") struct VectorTests {
  /// Every file in the checkout.
  @Test(arguments: ["attribute_refs", "context_hash", "context_parse", "redaction", "request_context"])
  func ownVectors(_ name: String) {
    let outcome = Conformance.run("launchdarkly", ["\(Self.folder)/vectors/launchdarkly/\(name).json"])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }

  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(2)
    return parts.joined(separator: "/") + "/Conformance"
  }()
}
