import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon
import HoistTestSupport

/// Cases with an input and the URL that follows from it: a client is made to ask, and what it asks is looked at.
func runKameleoonURLs(_ root: JSONValue, _ report: Report) {
  let clock = root["clockStartMs"]?.int64 ?? 0
  // Cases without properties of their own share a client.
  let common = KameleoonCase(configuration: Array("{}".utf8), clock: clock, isStrict: true, codes: [])
  forEachCase(root) { index, test in
    let kind = test["kind"]?.string ?? ""
    guard let asking = KameleoonCase.urls[kind] else { return report.skip(1, reason: "kind \(kind) is not played") }
    guard let input = test["input"], let expected = test["expected"] else { return }
    let actual = common.flatMap { asking($0, input) }
    report.check(
      "\(index) \(kind) \(input.canonicalText)",
      expected: expected.string.map { KameleoonCase.comparable(url: $0) } ?? expected.canonicalText,
      actual: actual.map { KameleoonCase.comparable(url: $0) } ?? "(none)")
  }
}

extension KameleoonCase {
  /// Makes a client ask. The one that is given has no properties of its own.
  typealias Asking = @Sendable (KameleoonCase, JSONValue) -> String?

  /// By the kinds of the vectors.
  static let urls: [String: Asking] = [
    "remoteData": { play, input in play.url { $0.ask(.data(key: input["key"]?.string.map { Array($0.utf8) }), completion: nil) } },
    "visitorData": { play, input in
      let filter = RemoteVisitorDataFilter(input["filter"])
      return play.url(of: input["visitorCode"]?.string ?? "") { visitor in
        _ = visitor.add([.uniqueIdentifier(input["isUniqueIdentifier"]?.bool ?? false)])
        return visitor.ask(.visitorData(filter, adds: true), completion: nil)
      }
    },
    "accessToken": { play, input in
      var properties: [String: String] = [:]
      if let domain = input["networkDomain"]?.string { properties["network_domain"] = domain }
      let configuration = #"{"configuration":{"dataApiDomain":"\#(input["dataApiDomain"]?.string ?? "")"}}"#
      let own = KameleoonCase(
        configuration: Array(configuration.utf8), clock: play.scheduler.unixMilliseconds, isStrict: true, codes: [],
        properties: properties)
      return own?.url("/oauth/token") { $0.ask(.data(key: nil), completion: nil) }
    },
  ]

  /// The first URL with that part which follows from what is asked.
  private func url(
    _ part: String = "siteCode", of code: String = "anybody", _ ask: (KameleoonVisitor) -> Status
  ) -> String? {
    let first = transport.requests.count
    guard let visitor = try? face.visitor(Array(code.utf8), waits: false), ask(visitor) == .ok else { return nil }
    settle()
    return transport.requests.dropFirst(first).map(\.url).first { url in
      url.contains(part) && (part != "siteCode" || !url.contains("/oauth/"))
    }
  }
}
