import ConformanceKit
import Glibc
import Testing

@Suite("Vectors of throttling and of waiting identifies hold (LD-13, LD-21; no client)") struct LifeVectorTests {
  /// Beside the checkout, where there are any.
  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(4)
    return parts.joined(separator: "/") + "/../shared/conformance/launchdarkly"
  }()

  private static var isThere: Bool { access(folder, R_OK) == 0 }

  @Test(.enabled(if: isThere), arguments: ["throttle", "identify_queue"])
  func sharedVectors(_ name: String) {
    let outcome = Conformance.run("launchdarkly", ["\(Self.folder)/\(name).json"])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }
}
