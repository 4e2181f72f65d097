import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistKameleoon

/// Configurations as the service answers with them.
enum SiteAnswers {
  static let monday = "Mon, 05 Jan 2026 10:00:00 GMT"
  static let tuesday = "Tue, 06 Jan 2026 10:00:00 GMT"

  /// One flag of that name, on for everybody.
  static func configuration(_ flag: String = "f1", streams: Bool = false, dateModified: Int64? = nil, domain: String = "")
    -> String
  {
    """
    {"configuration":{"realTimeUpdate":\(streams),"dataApiDomain":"\(domain)"},\(dateModified.map { "\"dateModified\":\($0)," } ?? "")
    "customData":[],"segments":[],"featureFlags":[{"id":1,"featureKey":"\(flag)","defaultVariationKey":"off",
    "environmentEnabled":true,"variations":[{"key":"off","name":"Off","variables":[]},{"key":"on","name":"On","variables":[]}],
    "rules":[{"id":10,"order":0,"type":"TARGETED_DELIVERY","exposition":1.0,"experimentId":100,"respoolTime":null,
    "segmentId":null,"variationByExposition":[{"variationKey":"on","variationId":1,"exposition":1.0}]}]}]}
    """
  }

  static func answer(_ configuration: String = configuration(), _ lastModified: String? = monday) -> ScriptedTransport.Answer {
    HoistTestSupport.answer(200, configuration, lastModified.map { [HTTPHeader("Last-Modified", $0)] } ?? [])
  }
}

extension KameleoonRig {
  /// Fetches that events ask for begin so far apart.
  func passSecond() { scheduler.advance(milliseconds: 1_000) }

  /// Requests for the configuration, in order.
  var fetches: [HTTPRequest] { transport.requests.filter { $0.url.contains("/v3/") } }

  /// Whether the configuration that is served has that flag.
  func serves(_ flag: String) -> Bool { text(client.allFlags(nil)).contains("\"\(flag)\"") }

  /// Answers the fetch that is under way.
  func answerFetch(_ answer: ScriptedTransport.Answer = SiteAnswers.answer()) {
    transport.open.first { !$0.isStream }?.complete(answer)
    scheduler.run()
  }

  /// Runs what waits for the host.
  func deliver() {
    scheduler.run()
    while client.dispatch(limit: 100) > 0 {}
  }
}

extension KameleoonRig {
  /// How many lines of the log have that text.
  func logged(_ text: String) -> Int {
    deliver()
    return log.lines.count { $0.message.contains(text) }
  }
}
