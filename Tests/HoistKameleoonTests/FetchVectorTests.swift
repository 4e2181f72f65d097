import ConformanceKit
import HoistTestSupport
import Testing

@Suite(
  "The vendor's fetches and addresses, as recorded, hold (KAM-02, KAM-06, KAM-16, KAM-20, KAM-43, KAM-B07, KAM-B09; starting, ready, failing)"
)
struct FetchVectorTests {
  private static let folder = "conformance/kameleoon"

  @Test(
    .enabled(if: SharedFolder.bytes("\(folder)/fetch.json") != nil, "the vectors are not here"), arguments: ["fetch", "urls"])
  func vectors(_ name: String) {
    let outcome = Conformance.run("kameleoon", [SharedFolder.path("\(Self.folder)/\(name).json")])
    #expect(outcome.failed == 0 && outcome.skipped == 0, "\(outcome.lines.joined(separator: "\n"))")
    #expect(outcome.passed > 5)
  }

  @Test("A case is played for the site that it names, and one without a name for the one of its file")
  func sites() {
    let base = "https://data.kameleoon.io/map/map?siteCode="
    let root = #"""
      {"siteCode":"site-of-file","cases":[
       {"kind":"remoteData","input":{"siteCode":"site-1","key":"k"},"expected":"\#(base)site-1&key=k"},
       {"kind":"configuration","input":{"siteCode":"site 2"},"expected":"https://sdk-config.kameleoon.eu/v3/site%202"},
       {"kind":"remoteData","input":{"key":"k"},"expected":"\#(base)site-of-file&key=k"}]}
      """#
    let steps = #"""
      {"cases":[{"siteCode":"site-3","steps":[{"op":"fetchConfiguration","status":500,"expect":{"ready":false,"requests":[
       {"method":"GET","url":"https://sdk-config.kameleoon.eu/v3/site-3"},{"method":"GET","url":"https://sdk-config.kameleoon.eu/v3/site-3"}]}}]}]}
      """#
    for (text, count) in [(root, 3), (steps, 1)] {
      let outcome = Conformance.run("kameleoon", text: text)
      #expect(outcome.passed == count && outcome.failed == 0, "\(outcome.lines.joined(separator: "\n"))")
    }
  }
}
