import ConformanceKit
import Testing

@Suite("Vectors recorded from Flagship's own kit hold for visitors (FS-59, FS-60, FS-68, FS-69, FS-109…FS-127, FS-200)")
struct VisitorVectorTests {
  /// Files in the checkout.
  @Test(arguments: ["context", "xpc"])
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
