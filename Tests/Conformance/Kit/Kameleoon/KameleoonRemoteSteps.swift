import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon
import HoistTestSupport

extension KameleoonCase {
  /// What the service is asked for visitors.
  static let remoteOperations: [String: Operation] = [
    "getRemoteVisitorData": { play, step in
      play.ask(step, .visitorData(RemoteVisitorDataFilter(step["filter"]), adds: step["addData"]?.bool ?? true)) {
        writer, answer in
        writer.array { writer in for datum in answer.data { writer.returned(datum) } }
      }
    },
    "getRemoteData": { play, step in
      play.ask(step, .data(key: step["key"]?.string.map { Array($0.utf8) }), anybody: true) { writer, answer in
        if let body = answer.body { writer.raw(body) } else { writer.null() }
      }
    },
    "getVisitorWarehouseAudience": { play, step in
      let key = step["warehouseKey"]?.string.map { Array($0.utf8) }
      return play.ask(step, .warehouseAudience(key: key, index: step["customDataIndex"]?.int64 ?? 0)) { writer, answer in
        if let datum = answer.data.first { writer.returned(datum) } else { writer.null() }
      }
    },
  ]

  /// Whether Hoist does here what the vendor's SDK does not, without a tag at the case: a number of visits that the service
  /// does not take is brought into its range (KAM-49; protocols/kameleoon.md 2.7). Only `strict_vendor` sends it as it is.
  static func departs(_ step: JSONValue) -> Bool {
    guard let amount = step["filter"]?["previousVisitAmount"]?.int64 else { return false }
    return !(1...25).contains(amount)
  }

  /// - Parameter anybody: whether the step need not name a visitor.
  private func ask(
    _ step: JSONValue, _ question: RemoteQuestion, anybody: Bool = false,
    _ write: @escaping (inout JSONWriter, RemoteAnswer) -> Void
  ) -> StepOutcome {
    let body = { (visitor: KameleoonVisitor) -> StepOutcome in
      self.listen(to: step)
      let first = self.transport.requests.count
      let told = Locked<RemoteAnswer?>(nil)
      let status = visitor.ask(question) { told.value = $0 }
      self.settle()
      guard status == .ok, let answer = told.value else { return StepOutcome(error: status == .ok ? .timeout : status) }
      guard answer.status == .ok else { return StepOutcome(error: answer.status) }
      var outcome = StepOutcome("returned") { write(&$0, answer) }
      outcome.requests = self.requests(since: first, step)
      return outcome
    }
    guard anybody, step["visitorCode"] == nil else { return withVisitor(step, body) }
    do throws(Status) { return body(try face.visitor(Array("anybody".utf8), waits: false)) } catch {
      return StepOutcome(error: error)
    }
  }
}

extension RemoteVisitorDataFilter {
  /// By the names of the vectors.
  init(_ filter: JSONValue?) {
    self.init()
    let names: [(String, Parts)] = [
      ("currentVisit", .currentVisit), ("customData", .customData), ("pageViews", .pageViews), ("geolocation", .geolocation),
      ("device", .device), ("browser", .browser), ("operatingSystem", .operatingSystem), ("conversions", .conversions),
      ("experiments", .experiments), ("kcs", .kcs), ("visitorCode", .visitorCode), ("cbs", .cbs),
      ("personalization", .personalization),
    ]
    for (key, value) in members(filter) {
      if key.string == "previousVisitAmount" { previousVisitAmount = value.int64 ?? 1 }
      guard let part = names.first(where: { $0.0 == key.string })?.1 else { continue }
      if value.bool == true { parts.insert(part) } else { parts.remove(part) }
    }
  }
}

extension JSONWriter {
  /// A datum as the vectors list what was returned: without `overwrite`, and null for a title or a version that is missing.
  fileprivate mutating func returned(_ datum: VisitorDatum) {
    switch datum {
    case .customData(let data):
      object { writer in
        writer.member("type", "CustomData")
        writer.key("index")
        writer.int(data.index)
        writer.key("values")
        writer.array { writer in for value in data.values { writer.string(String(decoding: value, as: UTF8.self)) } }
      }
    case .pageView(let page):
      object { writer in
        writer.member("type", "PageView")
        writer.member("url", String(decoding: page.url, as: UTF8.self))
        writer.key("title")
        if let title = page.title { writer.string(String(decoding: title, as: UTF8.self)) } else { writer.null() }
      }
    case .browser(let browser) where browser.version == nil:
      object { writer in
        writer.member("type", "Browser")
        writer.member(
          "browser", ["CHROME", "INTERNET_EXPLORER", "FIREFOX", "SAFARI", "OPERA", "OTHER"][Int(browser.kind.rawValue)])
        writer.key("version")
        writer.null()
      }
    case .geolocation(let place):
      object { writer in
        writer.member("type", "Geolocation")
        writer.member("country", String(decoding: place.country, as: UTF8.self))
        writer.optional("region", place.region)
        writer.optional("city", place.city)
      }
    default: raw(datum.json)
    }
  }

  private mutating func optional(_ name: String, _ text: [UInt8]) {
    key(name)
    if text.isEmpty { null() } else { string(String(decoding: text, as: UTF8.self)) }
  }
}
