import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon
import HoistTestSupport

/// Cases with an input and the URL that follows from it: a client is made to ask, and what it asks is looked at.
func runKameleoonURLs(_ root: JSONValue, _ report: Report) {
  let clock = root["clockStartMs"]?.int64 ?? 0
  // Cases of one site without properties of their own share a client.
  var clients: [String: KameleoonCase] = [:]
  func client(of site: String) -> KameleoonCase? {
    if let known = clients[site] { return known }
    clients[site] = KameleoonCase(
      site: site, configuration: Array(#"{"featureFlags":[]}"#.utf8), clock: clock, isStrict: true, codes: [])
    return clients[site]
  }
  forEachCase(root) { index, test in
    let kind = test["kind"]?.string ?? ""
    guard let input = test["input"], let expected = test["expected"] else { return }
    let id = "\(index) \(kind) \(input.canonicalText)"
    let common = client(of: KameleoonCase.site(of: test, in: root))
    if let check = KameleoonCase.checks[kind], let common {
      return report.check(id, expected: expected.canonicalText, actual: canonical { check(common, input, &$0) })
    }
    guard let asking = KameleoonCase.urls[kind] else { return report.skip(1, reason: "kind \(kind) is not played") }
    let actual = common.flatMap { asking($0, input) }
    report.check(
      id, expected: KameleoonCase.comparable(url: expected.string ?? ""),
      actual: actual.map { KameleoonCase.comparable(url: $0) } ?? "(none)")
  }
}

extension KameleoonCase {
  /// Makes a client ask. The one that is given has no properties of its own.
  typealias Asking = @Sendable (KameleoonCase, JSONValue) -> String?

  /// By the kinds of the vectors.
  static let urls: [String: Asking] = [
    "remoteData": { play, input in play.url { $0.ask(.data(key: input["key"]?.string.map { Array($0.utf8) }), completion: nil) }
    },
    "visitorData": { play, input in
      let filter = RemoteVisitorDataFilter(input["filter"])
      return play.url(of: input["visitorCode"]?.string ?? "") { visitor in
        _ = visitor.add([.uniqueIdentifier(input["isUniqueIdentifier"]?.bool ?? false)])
        return visitor.ask(.visitorData(filter, adds: true), completion: nil)
      }
    },
    "accessToken": { play, input in
      play.client(of: input)?.url("/oauth/token") { $0.ask(.data(key: nil), completion: nil) }
    },
    "tracking": { play, input in play.client(of: input)?.face.trackingAddress },
    "realTime": { play, input in play.client(of: input)?.face.streamAddress },
    "configuration": { play, input in play.client(of: input)?.face.configurationAddress(at: input["ts"]?.int64) },
  ]

  /// What is checked before anything is asked for.
  static let checks: [String: @Sendable (KameleoonCase, JSONValue, inout JSONWriter) -> Void] = [
    "networkDomain": { _, input, writer in
      if let domain = networkDomain(input.string ?? "") { writer.string(domain) } else { writer.null() }
    },
    "visitorCodeValid": { play, input, writer in
      writer.bool((try? play.face.visitor(Array((input.string ?? "").utf8), waits: false)) != nil)
    },
    "version": { _, input, writer in
      guard let parts = versionParts(input.string ?? "", isStrict: true) else { return writer.null() }
      writer.array { writer in for part in parts { writer.int(part) } }
    },
  ]

  /// A client with the properties that a case names, once it has its configuration.
  private func client(of input: JSONValue) -> KameleoonCase? {
    var properties: [String: String] = [:]
    if let domain = input["networkDomain"]?.string { properties["network_domain"] = domain }
    if let environment = input["environment"]?.string { properties["environment"] = environment }
    let configuration = #"{"configuration":{"dataApiDomain":"\#(input["dataApiDomain"]?.string ?? "")"}}"#
    return KameleoonCase(
      site: site, configuration: Array(configuration.utf8), clock: scheduler.unixMilliseconds, isStrict: true, codes: [],
      properties: properties)
  }

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
