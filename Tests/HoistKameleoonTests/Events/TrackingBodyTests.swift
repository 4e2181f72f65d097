import HoistBase
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("The lines of a tracking request (2.5)") struct TrackingBodyTests {
  private func row(_ datum: TrackedDatum, _ identity: TrackingIdentity, isOwn: Bool = false) throws -> (
    subject: [UInt8], row: TrackedRow
  ) {
    let payload = TrackedRow.payload(datum, of: identity, hasConsent: true, nonce: 0xAB, isOwn: isOwn)
    return (identity.subject, try #require(TrackedRow(payload)))
  }

  private func identity(_ code: String, _ subject: String? = nil, mapped: Bool = false, agent: String = "") -> TrackingIdentity {
    TrackingIdentity(
      subject: Array((subject ?? code).utf8), code: Array(code.utf8), isMappingValue: mapped, userAgent: Array(agent.utf8))
  }

  private func lines(_ rows: [(subject: [UInt8], row: TrackedRow)], _ recipients: [PlainVisitor] = []) -> [String] {
    let body = TrackingBody(rows, to: recipients.map { TrackingRecipient($0) }).bytes
    return String(decoding: body, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("(KAM-58; no client)") func aVisitorsLinesComeInTheOrderOfKindsThenOfPlaces() throws {
    let anna = identity("an na", agent: "ua 1")
    let text = lines([
      try row(Tracked.conversion(1), anna), try row(Tracked.custom(9, "x", place: 1), anna),
      try row(Tracked.custom(4, "y", place: 0), anna), try row(Tracked.phone, anna), try row(Tracked.conversion(2), anna),
    ])
    let nonce = "nonce=00000000000000AB&eventType"
    #expect(
      text == [
        "\(nonce)=staticData&deviceType=PHONE&visitorCode=an%20na&userAgent=ua%201",
        "\(nonce)=customData&index=4&valuesCountMap=%7B%22y%22%3A1%7D&overwrite=true&visitorCode=an%20na",
        "\(nonce)=customData&index=9&valuesCountMap=%7B%22x%22%3A1%7D&overwrite=true&visitorCode=an%20na",
        "\(nonce)=conversion&goalId=1&revenue=0.0&negative=false&visitorCode=an%20na",
        "\(nonce)=conversion&goalId=2&revenue=0.0&negative=false&visitorCode=an%20na",
      ])
  }

  @Test("(KAM-57; no client)") func theLastOfAKindIsSentAtThePlaceOfTheFirst() throws {
    let anna = identity("anna")
    let text = lines([
      try row(Tracked.custom(1, "a", place: 0), anna), try row(Tracked.custom(2, "b", place: 1), anna),
      try row(Tracked.custom(1, "c", place: 5), anna), try row(Tracked.phone, anna), try row(Tracked.noDevice, anna),
      try row(Tracked.conversion(1), anna), try row(Tracked.conversion(1), anna),
    ])
    #expect(text.count == 4)
    #expect(text[0].contains("index=1&valuesCountMap=%7B%22c%22") && text[1].contains("index=2"))
    #expect(text[2].contains("conversion") && text[3].contains("conversion"))
  }

  @Test("An activity is left out where something was recorded while the request was made (KAM-58; no client)")
  func anActivityIsForWhoHasNothingElse() throws {
    let (anna, ben) = (identity("anna"), identity("ben"))
    let text = lines([
      try row(.activity, anna), try row(.activity, ben), try row(Tracked.conversion(1), anna),
    ])
    #expect(text.count == 2 && text[0].contains("conversion") && text[0].hasSuffix("visitorCode=anna"))
    #expect(text[1].contains("activity") && text[1].hasSuffix("visitorCode=ben"))
  }

  @Test("(KAM-67; no client)") func whoeverIsDueFirstGetsWhatLinkedVisitorsShare() throws {
    let user = PlainVisitor("user", subject: "anon", isMappingValue: true)
    let anon = PlainVisitor("anon")
    let mapping = Tracked.custom(3, "user", isMapping: true)
    let rows = [
      try row(Tracked.phone, anon.trackingIdentity), try row(mapping, anon.trackingIdentity, isOwn: true),
      try row(Tracked.conversion(1), user.trackingIdentity),
    ]
    let text = lines(rows, [user, anon])
    #expect(text.count == 3)
    #expect(text[0].hasSuffix("deviceType=PHONE&mappingValue=user"))
    #expect(text[1].contains("conversion") && text[1].hasSuffix("&mappingValue=user"))
    #expect(text[2].hasSuffix("mappingIdentifier=true&visitorCode=anon"))
    // Nobody has opened them: each row tells of itself.
    #expect(lines(rows).map { $0.hasSuffix("mappingValue=user") } == [false, false, true])
    // What was known last of a visitor holds for all its lines.
    let late = [try row(Tracked.phone, identity("user")), try row(Tracked.conversion(1), user.trackingIdentity)]
    #expect(lines(late).map { $0.hasSuffix("mappingValue=user") } == [true, true])
  }
}
