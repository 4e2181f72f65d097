import HoistBase
import Testing

@testable import HoistFlagship

@Suite("What is kept of a visitor (FS-100, FS-102, FS-103, protocols/flagship.md 6.1; no client)") struct CachedVisitorTests {
  private static let page =
    #"{"version":1,"data":{"visitorId":"user-42","anonymousId":null,"consent":true,"context":{"vip":true},"campaigns":["#
    + #"{"campaignId":"camp1","campaignName":"Checkout","variationGroupId":"vg1","variationGroupName":"All","#
    + #""variationId":"va2","variationName":"Green","isReference":false,"type":"ab","slug":"","activated":false,"#
    + #""flags":{"btnColor":"green"}}],"assignationHistory":{"vg1":"va2"}}}"#

  private func read(_ text: String, of id: String? = nil) throws -> CachedVisitor {
    try CachedVisitor(json: Array(text.utf8), of: id.map { Array($0.utf8) })
  }

  @Test func theFormOfTheProtocolIsReadAndWritten() throws {
    let record = try read(Self.page, of: "user-42")
    #expect(record.visitorID == Array("user-42".utf8))
    #expect(record.hasConsented && record.anonymousID == nil)
    #expect(record.assignments == [.init(groupID: Array("vg1".utf8), variationID: Array("va2".utf8))])
    #expect(String(decoding: record.json, as: UTF8.self) == Self.page)
  }

  @Test func bothNamesOfTheMapAreRead() throws {
    let record = try read(
      #"{"version":1,"data":{"assignmentsHistory":{"a":"1","b":"2"},"assignationHistory":{"b":"3","c":4,"d":""}}}"#)
    #expect(
      record.assignments.map { String(decoding: $0.groupID + [61] + $0.variationID, as: UTF8.self) } == ["b=3", "a=1"])
  }

  @Test func whatIsMissingIsEmpty() throws {
    let record = try read(#"{"version":1,"data":{}}"#, of: "v")
    #expect(
      String(decoding: record.json, as: UTF8.self)
        == #"{"version":1,"data":{"visitorId":"v","anonymousId":null,"consent":false,"context":{},"campaigns":[],"#
        + #""assignationHistory":{}}}"#)
  }

  @Test(arguments: [
    #"{"version":2,"data":{}}"#, #"{"version":"1","data":{}}"#, #"{"data":{}}"#, #"{"version":1.5,"data":{}}"#,
  ])
  func otherVersionsAreNotUsed(_ text: String) {
    #expect(throws: CachedVisitor.Failure.foreignVersion) { try read(text) }
  }

  @Test(arguments: [
    "", "{", "[]", "null", "\u{0}", #"{"version":1}"#, #"{"version":1,"data":[]}"#, #"{"version":1,"data":null}"#,
  ])
  func garbageIsNotUsed(_ text: String) {
    #expect(throws: CachedVisitor.Failure.self) { try read(text) }
  }

  @Test func garbageInsideIsEmpty() throws {
    let record = try read(
      #"{"version":1,"data":{"visitorId":7,"anonymousId":[],"consent":"yes","context":[1],"campaigns":{},"assignationHistory":[]}}"#,
      of: "v")
    #expect(try record == read(#"{"version":1,"data":{}}"#, of: "v"))
  }

  @Test func theRecordOfAnotherVisitorIsNotUsed() {
    #expect(throws: CachedVisitor.Failure.foreignVisitor) { try read(Self.page, of: "user-43") }
  }

  @Test func idsOfAnyKindComeBackAsTheyWere() throws {
    let record = CachedVisitor(
      visitorID: Array("a\"'\u{0}é😀".utf8), anonymousID: Array("\\".utf8), hasConsented: false, context: Array("{}".utf8),
      campaigns: Array("[]".utf8), assignments: [.init(groupID: Array("g\n".utf8), variationID: Array("v\t".utf8))])
    #expect(try CachedVisitor(json: record.json, of: record.visitorID) == record)
  }

  @Test("Whatever a host's cache hands over, nothing but a failure comes of it (FS-24; no client)")
  func tornRecordsNeverTrap() {
    let whole = Array(Self.page.utf8)
    for count in stride(from: 0, to: whole.count, by: 3) { _ = try? CachedVisitor(json: Array(whole[..<count]), of: nil) }
    for index in stride(from: 0, to: whole.count, by: 5) {
      var torn = whole
      torn[index] = 0xFF
      #expect(throws: CachedVisitor.Failure.self) { try CachedVisitor(json: torn, of: nil) }
    }
  }
}
