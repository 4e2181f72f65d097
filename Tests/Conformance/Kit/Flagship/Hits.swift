import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// The body of each hit when it is flushed alone (3.5).
func runHits(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let sent = send(
      test["hit"], of: test["visitorId"]?.string ?? "", anonymous: test["anonymousId"]?.string, root["envId"]?.string)
    let expected = test["expected"].map { normalizedBatch($0) } ?? "-"
    report.check(id, expected: expected, actual: sent.bodies.map { normalizedBatch($0) }.joined(separator: " ; "))
  }
}

/// Which hits are sent at all (3.5).
func runHitValidation(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let sent = send(test["hit"], of: "visitor", anonymous: nil, nil)
    let isSent = !sent.bodies.isEmpty
    let isTold = isSent == (sent.status == .ok)
    report.check(
      id, expected: test["expected"]?.canonicalText ?? "-",
      actual: isTold ? canonical { writer in writer.object { $0.member("sent", isSent) } } : "\(sent.status)")
  }
}

/// A hit that a visitor of a new client sends and flushes.
private func send(
  _ hit: JSONValue?, of visitorID: String, anonymous: String?, _ environment: String?
) -> (status: Status, bodies: [String]) {
  let world = FlagshipWorld(["env_id": environment ?? "c1ndrd07m0300ro0jf20"]) { _ in answer(200) }
  guard let world, let visitor = world.visitor(anonymous ?? visitorID) else { return (.state, []) }
  if anonymous != nil { _ = visitor.authenticate(as: Array(visitorID.utf8)) }
  // The consent hit of a new visitor goes first.
  world.flush()
  let before = world.posts("/").count
  guard let made = hit.flatMap({ make($0) }) else { return (.argument, []) }
  let status = visitor.send(made)
  world.flush()
  return (status, world.posts("/").dropFirst(before).map(\.text))
}

/// A vector's hit in the words of the library.
private func make(_ hit: JSONValue) -> Hit? {
  func text(_ name: String) -> [UInt8] { Array((hit.object?.member(name)?.string ?? "").utf8) }
  var made: Hit
  switch hit["type"]?.string {
  case "SCREEN": made = .screen(location: text("location"))
  case "PAGE": made = .page(location: text("location"))
  case "TRANSACTION": made = .transaction(id: text("transactionId"), affiliation: text("affiliation"))
  case "ITEM": made = .item(transactionID: text("transactionId"), name: text("name"), code: text("code"))
  case "EVENT":
    made = .event(hit["category"]?.string == "User_Engagement" ? .userEngagement : .actionTracking, action: text("action"))
  default: return nil
  }
  let texts: [(String, HitField)] = [
    ("label", .label), ("currency", .currency), ("paymentMethod", .paymentMethod), ("shippingMethod", .shippingMethod),
    ("couponCode", .couponCode), ("ip", .userIP), ("locale", .userLanguage), ("userIp", .userIP),
    ("userLanguage", .userLanguage), ("screenResolution", .screenResolution),
  ]
  for (name, field) in texts where hit.object?.member(name) != nil { try? made.set(field, text: text(name)) }
  if hit["type"]?.string == "ITEM", hit["category"] != nil { try? made.set(.itemCategory, text: text("category")) }
  let numbers: [(String, HitField)] = [("revenue", .revenue), ("shipping", .shipping), ("tax", .tax), ("price", .price)]
  for (name, field) in numbers { if let number = hit.object?.member(name)?.double { try? made.set(field, number: number) } }
  let integers: [(String, HitField)] = [
    ("itemCount", .itemCount), ("quantity", .quantity), ("session", .sessionNumber),
    ("sessionNumber", .sessionNumber), ("value", .value),
  ]
  for (name, field) in integers { if let whole = hit.object?.member(name)?.int64 { try? made.set(field, integer: whole) } }
  if let size = hit["resolution"]?.array, size.count == 2 {
    try? made.set(.screenResolution, text: Array("\(size[0].int64 ?? 0)x\(size[1].int64 ?? 0)".utf8))
  }
  return made
}

func normalizedBatch(_ body: String) -> String {
  (try? JSONDocument(parsing: body)).map { document in document.withRoot { normalizedBatch($0) } } ?? "(not JSON)"
}

/// A batch as one line: what may differ (order, `cid` and `ds` of items, the time) left out.
func normalizedBatch(_ body: JSONValue) -> String {
  canonical { writer in
    writer.object { writer in
      for (name, value) in members(body) where !(name == "h") {
        writer.key(utf8: name.utf8)
        writer.raw(value.source)
      }
      writer.key("h")
      writeItems(body["h"], to: &writer)
    }
  }
}

/// Items of a batch: without nulls, `cid` and `ds`; whether the time is one in its place.
func writeItems(_ items: JSONValue?, to writer: inout JSONWriter) {
  writer.array { writer in
    for item in items?.array?.map({ $0 }) ?? [] {
      writer.object { writer in
        for (name, value) in members(item) where !(name == "cid") && !(name == "ds") && !value.isNull {
          writer.key(utf8: name.utf8)
          let isTime = name == "qt"
          let isGood = value.string == "<int ms>" || (value.int64 ?? -1) >= 0
          if isTime { writer.bool(isGood) } else { writer.raw(value.source) }
        }
      }
    }
  }
}

extension FlagshipWorld {
  func posts(_ suffix: String) -> [HTTPRequest] { transport.requests.filter { $0.url.hasSuffix(suffix) } }

  /// Sends what waits, as the interval does.
  func flush() {
    scheduler.advance(milliseconds: 5_000)
    settle()
  }
}
