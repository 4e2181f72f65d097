import ConformanceKit
import HoistTestSupport
import Testing

@Suite("The vendor's fetches and addresses, as recorded, hold (KAM-02, KAM-06, KAM-16, KAM-20, KAM-43, KAM-B07, KAM-B09)")
struct FetchVectorTests {
  private static let folder = "conformance/kameleoon"

  @Test(.enabled(if: SharedFolder.bytes("\(folder)/fetch.json") != nil, "the vectors are not here"), arguments: ["fetch", "urls"])
  func vectors(_ name: String) {
    let outcome = Conformance.run("kameleoon", [SharedFolder.path("\(Self.folder)/\(name).json")])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 5)
  }
}
