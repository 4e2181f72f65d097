import ConformanceKit
import HoistTestSupport
import Testing

@Suite(
  "Vectors recorded from Flagship's own kit hold for visitors (FS-59, FS-60, FS-64 to FS-69, FS-109…FS-127, FS-200; ready, no consent)"
)
struct VisitorVectorTests {
  /// Files in the checkout.
  @Test(arguments: ["context", "wire_consent", "xpc"])
  func ownVectors(_ name: String) {
    let outcome = Conformance.run("flagship", ["\(Self.folder)/vectors/flagship/\(name).json"])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }

  /// Recorded by running the vendor's core for phones (FS-12, FS-36, FS-40 to FS-42, FS-45 to FS-55; starting, ready, failing, panic).
  @Test(.enabled(if: SharedFolder.bytes("conformance/flagship/fetch_status.json") != nil))
  func fetchStatusVectors() {
    let outcome = Conformance.run("flagship", [SharedFolder.path("conformance/flagship/fetch_status.json")])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }

  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(2)
    return parts.joined(separator: "/") + "/Conformance"
  }()
}
