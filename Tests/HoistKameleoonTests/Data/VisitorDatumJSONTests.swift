import HoistBase
import Testing

@testable import HoistKameleoon

@Suite("Data as JSON have the limits that data have (KAM-61 to KAM-65; no client)") struct VisitorDatumJSONTests {
  private func list(_ count: Int, _ element: String) -> String {
    "[\(Array(repeating: element, count: count).joined(separator: ","))]"
  }

  private func cookies(_ count: Int) -> String {
    "{\"type\":\"Cookie\",\"cookies\":{\((0..<count).map { "\"\($0)\":\"\"" }.joined(separator: ","))}}"
  }

  private func isRead(_ json: String) -> Bool { VisitorDatum(json: bytes(json)) != nil }

  @Test func listsHaveAnEnd() {
    func values(_ count: Int) -> String { #"{"type":"CustomData","index":0,"values":\#(list(count, #""a""#))}"# }
    func referrers(_ count: Int) -> String { #"{"type":"PageView","url":"u","referrers":\#(list(count, "1"))}"# }
    func metadata(_ count: Int, _ values: Int) -> String {
      #"{"type":"Conversion","goalId":1,"metadata":\#(list(count, #"{"index":1,"values":\#(list(values, #""a""#))}"#))}"#
    }
    #expect(isRead(values(1_000)) && !isRead(values(1_001)))
    #expect(isRead(referrers(1_000)) && !isRead(referrers(1_001)))
    #expect(isRead(cookies(1_000)) && !isRead(cookies(1_001)))
    #expect(isRead(metadata(100, 1)) && !isRead(metadata(101, 1)) && !isRead(metadata(1, 1_001)))
  }

  @Test(arguments: [
    #"{"type":"Geolocation"}"#, #"{"type":"Geolocation","country":null,"city":"Paris"}"#, #"{"type":"Geolocation","country":7}"#,
    #"{"type":"CustomData","index":0,"values":["a",1]}"#, #"{"type":"CustomData","index":0,"values":"a"}"#,
    #"{"type":"PageView","url":"u","referrers":["1"]}"#, #"{"type":"Cookie","cookies":{"a":1}}"#,
    #"{"type":"Conversion","goalId":1,"metadata":[{"values":["a"]}]}"#,
  ])
  func whatADatumCannotBeMadeOfIsRefused(json: String) { #expect(!isRead(json)) }

  @Test(arguments: [
    VisitorDatum.geolocation(Geolocation(country: [], region: [0x72])), .pageView(PageView(url: [0x75], title: [])),
    .pageView(PageView(url: [0x75], title: nil)), .pageView(PageView(url: [0x75], title: [0x74])), .cookie([]),
    .customData(CustomData(index: 0, values: [])), .userAgent([]), .applicationVersion([]),
  ])
  func whatIsWrittenIsReadAgain(datum: VisitorDatum) { #expect(VisitorDatum(json: datum.json)?.json == datum.json) }
}
