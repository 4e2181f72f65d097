import HoistBase
import HoistJSON
import Testing

@testable import HoistFlagship

@Suite("What a hit says (FS-71, FS-90 to FS-99; no client)") struct HitTests {
  private func members(_ hit: borrowing Hit) -> String {
    var writer = JSONWriter()
    writer.object { HitValue.write(hit.content.fields, to: &$0) }
    return writer.text
  }
  private func flaw(_ hit: borrowing Hit) -> String? { hit.content.flaw?.message }
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("A screen has its location (FS-92; no client)") func screen() {
    #expect(members(.screen("loginScreen")) == #"{"dl":"loginScreen"}"#)
  }

  @Test(
    "A page's location must be a URL (FS-93; no client)",
    arguments: [
      ("https://www.example.com/a?b=c", true), ("app+x://host", true), ("http://user@host:80/", true), ("", false),
      ("not a url", false), ("/relative", false), ("https://", false), ("https:///path", false), ("://host", false),
      ("1a://host", false), ("http://ho st/", false), ("http://user@/", false), ("http://:80", false), ("http:host", false),
      ("file:///usr/share/a.html", true), ("FILE:///a", true), ("file://host/a", true), ("file://", false), ("files:///a", false),
    ]) func page(location: String, isSent: Bool)
  {
    #expect((flaw(.page(location)) == nil) == isSent)
  }

  @Test("A transaction says all that it has (FS-94, FS-95; no client)") func transaction() throws {
    var hit = Hit.transaction(id: bytes("T1"), affiliation: bytes("basket"))
    try hit.set(.revenue, number: 15.5)
    try hit.set(.shipping, number: 3)
    try hit.set(.tax, number: 0)
    try hit.set(.currency, text: bytes("EUR"))
    try hit.set(.paymentMethod, text: bytes("PayPal"))
    try hit.set(.shippingMethod, text: bytes("Fedex"))
    try hit.set(.itemCount, integer: 3)
    try hit.set(.couponCode, text: bytes("C0\"DE"))
    #expect(
      members(hit)
        == #"{"tid":"T1","ta":"basket","tr":15.5,"ts":3,"tt":0,"tc":"EUR","pm":"PayPal","sm":"Fedex","icn":3,"tcc":"C0\"DE"}"#)
  }

  @Test("An item says only what was set (FS-96, FS-97; no client)") func item() throws {
    var hit = Hit.item(transactionID: bytes("T1"), name: bytes("shoe"), code: bytes("sku"))
    #expect(members(hit) == #"{"tid":"T1","in":"shoe","ic":"sku"}"#)
    try hit.set(.price, number: 19.5)
    try hit.set(.quantity, integer: 1)
    try hit.set(.itemCategory, text: bytes("shoes"))
    #expect(members(hit) == #"{"tid":"T1","in":"shoe","ic":"sku","ip":19.5,"iq":1,"iv":"shoes"}"#)
  }

  @Test("A currency is three capital letters, and nothing is counted below nothing (FS-95, FS-97; no client)") func soundness()
    throws
  {
    for (currency, isSound) in [("EUR", true), ("eur", false), ("EURO", false), ("", false), ("E R", false)] {
      var hit = Hit.transaction(id: bytes("T1"), affiliation: bytes("basket"))
      try hit.set(.currency, text: bytes(currency))
      #expect((flaw(hit) == nil) == isSound, "\(currency)")
      try hit.set(.currency, text: bytes("NOK"))
      #expect(flaw(hit) == nil, "what is set again counts")
      try hit.set(.itemCount, integer: -1)
      #expect(flaw(hit) == "the item count of a hit of kind transaction must not be negative")
    }
    var item = Hit.item(transactionID: bytes("T1"), name: bytes("shoe"), code: bytes("sku"))
    try item.set(.quantity, integer: -1)
    #expect(flaw(item) == "the quantity of a hit of kind item must not be negative")
    try item.set(.quantity, integer: 0)
    #expect(flaw(item) == nil)
  }

  @Test("An event has a category with a blank in it (FS-98, FS-99; no client)") func event() throws {
    var hit = Hit.event(.userEngagement, action: bytes("sub é"))
    try hit.set(.label, text: bytes("lab"))
    try hit.set(.value, integer: 91)
    #expect(members(hit) == #"{"ec":"User Engagement","ea":"sub é","el":"lab","ev":91}"#)
    #expect(members(.action("x")) == #"{"ec":"Action Tracking","ea":"x"}"#)
    try hit.set(.value, integer: -1)
    #expect(flaw(hit) == "the value of a hit of kind event must not be negative")
    try hit.set(.value, integer: 0)
    #expect(flaw(hit) == nil)
  }

  @Test("Every hit takes what is common, and sends what the vendor sends (FS-90, FS-91; no client)") func common() throws {
    var hit = Hit.screen("s")
    try hit.set(.userIP, text: bytes("127.0.0.1"))
    try hit.set(.screenResolution, text: bytes("750x1334"))
    try hit.set(.screenColorDepth, text: bytes("24-bit"))
    try hit.set(.userLanguage, text: bytes("fr"))
    try hit.set(.sessionNumber, integer: 12)
    try hit.set(.sessionTimestamp, integer: 1_700_000_000)
    try hit.set(.sessionEventNumber, integer: 3)
    #expect(members(hit) == #"{"dl":"s","uip":"127.0.0.1","sr":"750x1334","sd":"24-bit","ul":"fr","sn":12}"#)
    var event = Hit.action("x")
    try event.set(.location, text: bytes("here"))
    #expect(members(event) == #"{"ec":"Action Tracking","ea":"x","dl":"here"}"#)
  }

  @Test func whatIsSetAgainReplacesWhatWasSet() throws {
    var hit = Hit.screen("a")
    try hit.set(.userLanguage, text: bytes("fr"))
    try hit.set(.location, text: bytes("b"))
    #expect(members(hit) == #"{"dl":"b","ul":"fr"}"#)
    try hit.set(.location, text: bytes(""))
    #expect(flaw(hit) == "a hit of kind screen needs a location that is not empty")
  }

  @Test("A value takes the place of a former one of any length", arguments: [0, 1, 254, 255, 1_000])
  func replaced(length: Int) throws {
    let text = String(repeating: "x", count: length)
    for former in ["", "y", String(repeating: "y", count: 300)] {
      var hit = Hit.event(.userEngagement, action: former)
      try hit.set(.value, integer: 1)
      try hit.set(.label, text: "l")
      try hit.set(.action, text: text)
      try hit.set(.value, integer: .max)
      hit.set(.actionTracking)
      #expect(members(hit) == "{\"ec\":\"Action Tracking\",\"ea\":\"\(text)\",\"ev\":9223372036854775807,\"el\":\"l\"}")
    }
  }

  @Test func onlyAnEventHasACategory() {
    var hit = Hit.screen("a")
    hit.set(.actionTracking)
    #expect(throws: HitFlaw(message: "a hit of kind screen has no category")) { try hit.set(.eventCategory, text: "x") }
    var event = Hit.action("a")
    #expect(throws: HitFlaw(message: "the category of a hit is of another type")) { try event.set(.eventCategory, text: "x") }
    #expect(members(hit) == #"{"dl":"a"}"#)
  }

  @Test("What is recorded of a hit comes out as it went in (3.5)", arguments: [nil, "", String(repeating: "a", count: 255)])
  func recorded(anonymousID: String?) throws {
    let hit = Hit.action("x")
    let visitorID = String(repeating: "v", count: 300)
    let identity = VisitorIdentity(visitorID: bytes(visitorID), anonymousID: anonymousID.map(bytes))
    let item = RecordedHit.withHead(.event, of: identity, .fields) { head, subject in
      #expect(Array(subject) == bytes(visitorID) && head.place(of: subject) != nil)
      let record = Array(head) + Array(hit.content.fields)
      return record.withUnsafeBytes { RecordedHit($0)?.item(environmentID: "e", isQA: false) }
    }
    let text = item.map { String(decoding: $0, as: UTF8.self) }
    let ids = anonymousID.map { "\"vid\":\"\($0)\",\"cuid\":\"\(visitorID)\"" } ?? "\"vid\":\"\(visitorID)\""
    #expect(text == "{\"t\":\"EVENT\",\"cid\":\"e\",\"ds\":\"APP\",\(ids),\"ec\":\"Action Tracking\",\"ea\":\"x\"}")
  }

  @Test func whatIsRequiredMustNotBeEmpty() {
    let empty: [UInt8] = []
    #expect(flaw(.screen("")) == "a hit of kind screen needs a location that is not empty")
    #expect(flaw(.action("")) == "a hit of kind event needs a action that is not empty")
    #expect(flaw(.transaction(id: empty, affiliation: bytes("a"))) != nil)
    #expect(flaw(.transaction(id: bytes("t"), affiliation: empty)) != nil)
    #expect(flaw(.item(transactionID: empty, name: bytes("n"), code: bytes("c"))) != nil)
    #expect(flaw(.item(transactionID: bytes("t"), name: empty, code: bytes("c"))) != nil)
    #expect(
      flaw(.item(transactionID: bytes("t"), name: bytes("n"), code: empty))
        == "a hit of kind item needs a code that is not empty")
  }

  @Test func whatAHitDoesNotHaveIsRefused() {
    var hit = Hit.screen("a")
    #expect(throws: HitFlaw(message: "a hit of kind screen has no price")) { try hit.set(.price, number: 1) }
    var item = Hit.item(transactionID: [1], name: [1], code: [1])
    #expect(throws: HitFlaw(message: "the price must be a finite number")) { try item.set(.price, number: .infinity) }
    #expect(throws: HitFlaw(message: "the price of a hit is of another type")) { try item.set(.price, integer: 1) }
    #expect(members(hit) == #"{"dl":"a"}"#)
  }
}
