import HoistBase
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("A datum as a row") struct TrackedRowTests {
  let identity = TrackingIdentity(
    subject: Array("anna".utf8), code: Array("zoë".utf8), isMappingValue: true, userAgent: Array("ua/1".utf8))

  @Test func aRowHasAllThatItWasMadeOf() throws {
    let payload = TrackedRow.payload(
      Tracked.exposure(100, 7, .targetedDelivery), of: identity, hasConsent: true, nonce: 0x0A1B_2C3D_4E5F_6071)
    let row = try #require(TrackedRow(payload))
    #expect(row.kind == .assignment && row.experimentID == 100 && row.key == Array("100".utf8))
    #expect(row.bits == [.hadConsent, .mappingValue] && TrackedRow.bits(of: payload) == row.bits)
    #expect(row.nonce == Array("0A1B2C3D4E5F6071".utf8))
    #expect(row.code == identity.code && row.userAgent == identity.userAgent)
    #expect(String(decoding: row.line, as: UTF8.self) == "eventType=experiment&id=100&variationId=7")
    #expect(row.slot != nil && !row.isWithdrawal)
    let alone = try #require(
      TrackedRow(TrackedRow.payload(Tracked.conversion(1), of: identity, hasConsent: false, nonce: 0, isOwn: true)))
    #expect(alone.slot == nil && alone.bits == [.mappingValue, .own, .unique])
    let mapping = Tracked.custom(3, "v", place: 9, isMapping: true)
    let linked = try #require(TrackedRow(TrackedRow.payload(mapping, of: identity, hasConsent: false, nonce: 0)))
    #expect(linked.bits == [.mappingValue, .mapping, .needsConsent] && linked.place == 9)
    let nothing = try #require(TrackedRow(TrackedRow.payload(Tracked.noDevice, of: identity, hasConsent: false, nonce: 0)))
    #expect(nothing.isWithdrawal)
  }

  @Test func aLineThatIsMadeLaterIsTheOneThatIsMadeAtOnce() throws {
    let metadata = [CustomData(index: 4, values: [bytes("ü")])]
    let data: [TrackedDatum] = [
      Tracked.exposure(100, 7, .experimentation), Tracked.custom(3, "a b", place: 9, isMapping: true),
      TrackedDatum(
        kind: .customData, key: bytes("0"), place: 0,
        content: .customData(
          CustomData(index: 0, values: [bytes(""), bytes("ü"), bytes("")], overwrites: false), isMapping: false)),
      TrackedDatum(
        kind: .customData, key: bytes("1"), place: 0, content: .customData(CustomData(index: 1, values: []), isMapping: false)),
      TrackedDatum(
        kind: .conversion, key: nil, place: 1,
        content: .conversion(Conversion(goalID: .max, revenue: -2.5, isNegative: true))),
      TrackedDatum(kind: .conversion, key: nil, place: 1, content: .conversion(Conversion(goalID: 1, metadata: metadata))),
    ]
    for datum in data {
      let row = try #require(TrackedRow(TrackedRow.payload(datum, of: identity, hasConsent: true, nonce: 1)))
      #expect(row.line == datum.line && row.place == datum.place && row.key == datum.key ?? [])
      #expect(row.code == identity.code && row.userAgent == identity.userAgent)
    }
  }

  @Test func whatCannotBeFinishedIsNoRow() {
    let recorded = TrackedRow.withRecord(Tracked.custom(1, "a"), of: identity, hasConsent: true, nonce: 1) {
      Array($0) + Array($1)
    }
    // It never leaves the process unfinished.
    #expect(TrackedRow(recorded) == nil)
    for length in 0..<40 { #expect(recorded.prefix(length).withUnsafeBytes { TrackedRow(TrackedRow.finished($0)) } == nil) }
  }

  @Test func whatAStoreGivesBackMayBeAnything() {
    let payload = TrackedRow.payload(Tracked.custom(1, "a"), of: identity, hasConsent: true, nonce: 1)
    let whole = TrackedRow(payload)?.line.count ?? 0
    for length in 0..<(payload.count - whole) { #expect(TrackedRow(Array(payload.prefix(length))) == nil) }
    for place in payload.indices {
      for byte in [0, 10, 32, 127, 255] as [UInt8] {
        var changed = payload
        changed[place] = byte
        // A line must not become two, nor a nonce something else.
        if let row = TrackedRow(changed) {
          #expect(!row.line.contains(10) && row.nonce.allSatisfy(ASCII.isAlphanumeric) && row.nonce.count == 16)
        }
      }
    }
  }
}
