import ConformanceKit
import Glibc
import Testing

@Suite("Vectors of LaunchDarkly's rules and servers' events hold (LDS-12, LDS-20 to LDS-33, LDS-40 to LDS-48; no client)")
struct ServerVectorTests {
  private static let names = [
    "bucketing", "clauses", "parse_values", "evaluation", "malformed", "typed", "all_flags_state", "secure_mode_hash",
    "big_segments", "big_segment_hash", "store_updates", "events", "index_dedup", "migration_events",
  ]

  private static func folder(droppingLast count: Int) -> String {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(count)
    return parts.joined(separator: "/")
  }
  /// Beside the checkout, where there are any.
  private static let shared = folder(droppingLast: 4) + "/../shared/conformance/launchdarkly-server"

  @Test(arguments: names) func ownVectors(_ name: String) {
    check("\(Self.folder(droppingLast: 3))/Conformance/vectors/launchdarkly-server/\(name).json")
  }

  @Test(.enabled(if: access(shared, R_OK) == 0), arguments: names) func sharedVectors(_ name: String) {
    check("\(Self.shared)/\(name).json")
  }

  private func check(_ file: String) {
    let outcome = Conformance.run("launchdarkly-server", [file])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }
}
