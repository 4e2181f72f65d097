import ConformanceKit
import Testing

@Suite("Vectors recorded from Unleash's engine hold (UNL-94 to UNL-99; no client)") struct VectorTests {
  /// Every kind has a file of its own making in the checkout.
  @Test(arguments: [
    "constraints_address", "constraints_date", "constraints_number", "constraints_pattern", "constraints_string",
    "constraints_version", "context_json", "custom_strategies", "delta", "dependencies", "distribution",
    "frontend_decode", "frontend_response", "hash", "lists", "random_states", "rollout", "segments", "state",
    "variants",
  ])
  func ownVectors(_ name: String) {
    let outcome = Conformance.run("unleash", ["\(Self.folder)/vectors/unleash/\(name).json"])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }

  @Test func aWrongExpectationIsCaught() {
    let outcome = Conformance.run("unleash", ["\(Self.folder)/vectors/unleash/none.json"])
    #expect(outcome.failed == 1)
    #expect(Conformance.run("nobody", []).failed == 1)
  }

  private static let folder: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(2)
    return parts.joined(separator: "/") + "/Conformance"
  }()
}
