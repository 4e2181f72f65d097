import ConformanceKit
import Glibc
import Testing

@Suite("Vectors of LaunchDarkly's flags hold (LD-25, LD-50 to LD-64, LD-76, LD-85; no client)") struct FlagVectorTests {
  /// Beside the checkout, where there are any.
  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/") + "/../shared/conformance/launchdarkly"
  }()

  private static var isThere: Bool { access(folder, R_OK) == 0 }

  @Test(.enabled(if: isThere), arguments: ["evaluation", "store_updates", "cache"])
  func sharedVectors(_ name: String) {
    let outcome = Conformance.run("launchdarkly", ["\(Self.folder)/\(name).json"])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }
}
