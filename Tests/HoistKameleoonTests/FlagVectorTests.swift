import ConformanceKit
import HoistTestSupport
import Testing

@Suite(
  "Vectors recorded from Kameleoon's own SDK hold for flags (KAM-21 to KAM-40, KAM-B01 to KAM-B03, KAM-B05, KAM-B06, KAM-B10, KAM-B24; no client)"
)
struct FlagVectorTests {
  @Test(
    .enabled(if: SharedFolder.bytes("conformance/kameleoon/hash.json") != nil),
    arguments: ["hash", "evaluation", "random_configurations", "api", "targeting"])
  func vectors(_ name: String) {
    let outcome = Conformance.run("kameleoon", [SharedFolder.path("conformance/kameleoon/\(name).json")])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 0)
  }
}
