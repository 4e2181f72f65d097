import ConformanceKit
import HoistTestSupport
import Testing

@Suite(
  "Vectors recorded from Kameleoon's own SDK hold for tracking (KAM-28, KAM-41, KAM-42, KAM-58 to KAM-62, KAM-B08, KAM-B12, KAM-B19, KAM-B25; ready)"
)
struct TrackingVectorTests {
  @Test(.enabled(if: SharedFolder.bytes("conformance/kameleoon/tracking.json") != nil))
  func vectors() {
    let outcome = Conformance.run("kameleoon", [SharedFolder.path("conformance/kameleoon/tracking.json")])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }
}
