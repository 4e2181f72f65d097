import Glibc
import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Reports of usage and of troubleshooting (protocols/flagship.md 6.4)", .serialized)
struct TelemetryTests {
  /// A visitor whose usage is reported on the day of the rig's clock.
  private func reportedVisitor(_ rig: FlagshipRig) -> String {
    let now = rig.scheduler.unixMilliseconds
    return (0..<100_000).lazy.map { "visitor-\($0)" }.first {
      Sampling.isUsageWanted(of: Array($0.utf8), on: Sampling.Day(at: now))
    } ?? "none"
  }

  private func rig(_ properties: [String: String] = [:], body: String = #"{"campaigns":[]}"#) throws -> FlagshipRig {
    try FlagshipRig(properties) { $0.url.contains("/campaigns") ? .status(200, body) : .status(200) }
  }

  private func reports(_ rig: FlagshipRig, _ path: String) -> [HTTPRequest] {
    rig.transport.requests.filter { $0.url == "https://events.flagship.io/\(path)" }
  }

  private func values(_ request: HTTPRequest?) -> [String: String] {
    guard let request, let document = try? JSONDocument(parsing: request.body ?? []) else { return [:] }
    return document.withRoot { root in
      var values: [String: String] = [:]
      for member in root["cv"]?.object.map({ Array($0) }) ?? [] { values[member.key.string] = member.value.string ?? "(no text)" }
      return values
    }
  }

  @Test("A visitor that is drawn reports how the client is set up, at each fetch (FS-25; ready)")
  func usage() throws {
    let rig = try rig(["timeout_ms": "1500", "log_level": "info"])
    let visitor = try rig.visitor(reportedVisitor(rig))
    _ = rig.fetch(visitor)
    let request = try #require(reports(rig, "analytics").first)
    #expect(request.method == "POST")
    let values = values(request)
    #expect(values["label"] == "SDK_CONFIG")
    #expect(values["version"] == "1")
    #expect(values["logLevel"] == "INFO")
    #expect(values["envId"] == FlagshipRig.environment)
    #expect(values["sdk.status"] == "SDK_INITIALIZED")
    #expect(values["sdk.config.mode"] == "DECISION_API")
    #expect(values["sdk.config.timeout"] == "1500")
    #expect(values["sdk.config.pollingTime"] == "60000")
    #expect(values["sdk.config.logLevel"] == "info")
    #expect(values["sdk.config.usingCustomVisitorCache"] == "false")
    #expect(values["sdk.config.trackingManager.strategy"] == "CONTINUOUS_CACHING")
    #expect(values["sdk.config.trackingManager.batchIntervals"] == "5000")
    #expect(values["sdk.config.trackingManager.poolMaxSize"] == "10")
    #expect(values["timeZone"] == "UTC")
    #expect(values.values.allSatisfy { $0 != "(no text)" })
    let body = request.text
    #expect(body.hasPrefix(#"{"t":"USAGE","cid":"\#(FlagshipRig.environment)","ds":"APP","vid":""#))
    #expect(!body.contains(text(visitor.id)))
    _ = rig.fetch(visitor)
    #expect(reports(rig, "analytics").count == 2)
  }

  @Test("Before the start and in panic nothing is reported (FS-25, 5.1; before start, panic)")
  func quietWhileNothingIsOn() throws {
    let early = try rig(["autostart": "false"])
    #expect(early.fetch(try early.visitor(reportedVisitor(early))) != .ok)
    early.scheduler.run()
    #expect(early.transport.requests.isEmpty)
    let panic = try rig(body: #"{"campaigns":[],"panic":true}"#)
    #expect(panic.fetch(try panic.visitor(reportedVisitor(panic))) == .flagshipPanic)
    panic.scheduler.run()
    #expect(reports(panic, "analytics").isEmpty)
  }

  @Test("Other visitors report nothing")
  func undrawn() throws {
    let rig = try rig()
    let now = rig.scheduler.unixMilliseconds
    let id = (0..<100).lazy.map { "other-\($0)" }.first { !Sampling.isUsageWanted(of: Array($0.utf8), on: Sampling.Day(at: now)) }
    _ = rig.fetch(try rig.visitor(id ?? ""))
    #expect(reports(rig, "analytics").isEmpty)
  }

  @Test("About two in a thousand are drawn, each day others")
  func sampling() {
    func drawn(_ now: Int64) -> Set<Int> {
      Set((0..<50_000).filter { Sampling.isUsageWanted(of: Array("v\($0)".utf8), on: Sampling.Day(at: now)) })
    }
    let (today, tomorrow) = (drawn(1_700_000_000_000), drawn(1_700_100_000_000))
    #expect(60...140 ~= today.count)
    #expect(today != tomorrow)
    // murmur3("visitor" + "20231114") of the reference implementation's bytes, computed once.
    #expect(
      Sampling.isUsageWanted(of: Array("visitor".utf8), on: Sampling.Day(at: 1_700_000_000_000))
        == (Murmur3.hash32("visitor20231114") % 1000 <= 1))
  }

  @Test("The property and the environment variable end it (FS-25; ready)")
  func optOut() throws {
    let off = try rig(["usage_tracking": "false"])
    _ = off.fetch(try off.visitor(reportedVisitor(off)))
    #expect(reports(off, "analytics").isEmpty)
    setenv(Telemetry.optOutVariable, "1", 1)
    defer { unsetenv(Telemetry.optOutVariable) }
    let out = try rig()
    _ = out.fetch(try out.visitor(reportedVisitor(out)))
    #expect(reports(out, "analytics").isEmpty)
  }

  @Test("An address of the host's own is not told")
  func ownAddress() throws {
    let rig = try rig(["decision.url": "http://secret.internal/v2"])
    _ = rig.fetch(try rig.visitor(reportedVisitor(rig)))
    let report = try #require(reports(rig, "analytics").first)
    #expect(values(report)["sdk.config.decisionApiUrl"] == "custom")
    #expect(!report.text.contains("secret"))
  }

  /// An answer that opens the window of troubleshooting around the rig's clock.
  private func window(
    _ rig: FlagshipRig, traffic: Int, from: Int64 = -3_600_000, to: Int64 = 3_600_000, campaign: String = ""
  ) -> String {
    #"{"campaigns":[\#(campaign)],"extras":{\#(settings(rig, traffic: traffic, from: from, to: to))}}"#
  }

  /// The same as a member of the bucketing file.
  private func settings(_ rig: FlagshipRig, traffic: Int, from: Int64 = -3_600_000, to: Int64 = 3_600_000) -> String {
    let now = rig.scheduler.unixMilliseconds
    let (start, end) = (RFC3339.text(unixMilliseconds: now + from), RFC3339.text(unixMilliseconds: now + to))
    let settings = #"{"startDate":"\#(start)","endDate":"\#(end)","timezone":"UTC","traffic":\#(traffic)}"#
    return #""accountSettings":{"troubleshooting":\#(settings)}"#
  }

  @Test("While the account asks for it, fetches and changes of identity are reported, with the visitor (FS-203; ready)")
  func troubleshooting() throws {
    let rig = try rig()
    rig.transport.setResponder { [body = window(rig, traffic: 100)] in
      $0.url.contains("/campaigns") ? .status(200, body) : .status(200)
    }
    let visitor = try rig.visitor("troubled") { $0.context = [Attribute(name: Array("vip".utf8), value: .bool(true))] }
    _ = rig.fetch(visitor)
    _ = visitor.authenticate(as: Array("known".utf8))
    rig.scheduler.run()
    _ = visitor.unauthenticate()
    rig.scheduler.run()
    let all = reports(rig, "troubleshooting").map { values($0) }.filter { $0["label"] != "HTTP_CALL" }
    #expect(all.map { $0["label"] } == ["VISITOR_FETCH_CAMPAIGNS", "VISITOR_AUTHENTICATE", "VISITOR_UNAUTHENTICATE"])
    #expect(all.first?["visitor.visitorId"] == "troubled")
    #expect(all.first?["visitor.anonymousId"] == "null")
    #expect(all.first?["visitor.context.[vip]"] == "true")
    #expect(all.dropFirst().first?["visitor.visitorId"] == "known")
    #expect(all.dropFirst().first?["visitor.anonymousId"] == "troubled")
  }

  @Test("Outside of the window, beyond its traffic and without consent nothing is reported (FS-203; ready, no consent)")
  func silence() throws {
    let rig = try rig()
    for body in [
      window(rig, traffic: 100, from: -7_200_000, to: -3_600_000), window(rig, traffic: 100, from: 3_600_000, to: 7_200_000),
      window(rig, traffic: -1),
    ] {
      rig.transport.setResponder { $0.url.contains("/campaigns") ? .status(200, body) : .status(200) }
      _ = rig.fetch(try rig.visitor("troubled"))
      #expect(reports(rig, "troubleshooting").isEmpty)
    }
    rig.transport.setResponder { [body = window(rig, traffic: 100)] in
      $0.url.contains("/campaigns") ? .status(200, body) : .status(200)
    }
    _ = rig.fetch(try rig.visitor("troubled", consent: false))
    #expect(reports(rig, "troubleshooting").isEmpty)
  }

  @Test("Failures of the Decision API are reported, without its key (FS-203; failing)")
  func routeError() throws {
    let rig = try rig()
    rig.transport.setResponder { [body = window(rig, traffic: 100)] in
      $0.url.contains("/campaigns") ? .status(200, body) : .status(200)
    }
    let visitor = try rig.visitor("troubled")
    _ = rig.fetch(visitor)
    rig.transport.setResponder { $0.url.contains("/campaigns") ? .status(500, "broken") : .status(200) }
    _ = rig.fetch(visitor)
    let report = try #require(
      reports(rig, "troubleshooting").first { values($0)["label"] == "GET_CAMPAIGNS_ROUTE_RESPONSE_ERROR" })
    #expect(values(report)["http.response.code"] == "500")
    #expect(values(report)["http.response.body"] == "broken")
    #expect(values(report)["logLevel"] == "ERROR")
    #expect(!report.text.contains("the-api-key"))
  }

  @Test("Hits, exposures, refused batches and values that could not be had are reported (FS-203; failing)")
  func whatVisitorsDo() throws {
    let rig = try rig()
    let campaign = #"{"id":"c","variationGroupId":"g","variation":{"id":"va","modifications":{"type":"JSON","value":{"f":1}}}}"#
    let body = window(rig, traffic: 100, campaign: campaign)
    rig.transport.setResponder { request in
      if request.url.contains("/campaigns") { return .status(200, body) }
      return request.url.contains("/troubleshooting") ? .status(200) : .status(500, "broken")
    }
    let visitor = try rig.visitor("troubled")
    _ = rig.fetch(visitor)
    func flag(_ key: String) -> FlagshipFlag { key.withBytes { FlagshipFlag($0, of: visitor) } }
    _ = flag("f").int(fallback: 0, exposes: true)
    _ = flag("f").bool(fallback: true, exposes: false)
    _ = flag("other").int(fallback: 7, exposes: true)
    _ = flag("other").expose()
    _ = visitor.send(.event(.actionTracking, action: Array("buy".utf8)))
    rig.scheduler.advance(milliseconds: 5_000)
    for _ in 0..<10 { rig.scheduler.run() }
    let told = reports(rig, "troubleshooting").map { values($0) }
    func report(_ label: TroubleshootingLabel) throws -> [String: String] {
      try #require(told.first { $0["label"] == label.rawValue }, "\(label)")
    }
    #expect(try report(.sendActivate)["hit.vaid"] == "va")
    #expect(try report(.valueOfOtherType)["flag.defaultValue"] == "true")
    #expect(try report(.valueOfUnknownFlag)["flag.defaultValue"] == "7")
    #expect(try report(.exposureOfUnknownFlag)["flag.key"] == "other")
    #expect(try report(.sendHit)["hit.ea"] == "buy")
    #expect(try report(.hitsError)["http.response.code"] == "500")
    #expect(try report(.activateError)["http.request.method"] == "POST")
  }

  @Test(
    "An exposure before the value was read is reported, each answer of the service, and what went wrong without one (FS-203; ready, failing)"
  )
  func whatElseIsTold() throws {
    let rig = try rig()
    let campaign =
      #"{"id":"c","variationGroupId":"g","variation":{"id":"va","modifications":{"type":"JSON","value":{"f":1,"g":2}}}}"#
    let body = window(rig, traffic: 100, campaign: campaign)
    rig.transport.setResponder { $0.url.contains("/campaigns") ? .status(200, body) : .status(204) }
    let visitor = try rig.visitor("troubled")
    func told(_ label: TroubleshootingLabel) -> [[String: String]] {
      for _ in 0..<10 { rig.scheduler.run() }
      return reports(rig, "troubleshooting").map { values($0) }.filter { $0["label"] == label.rawValue }
    }
    func flag(_ key: String) -> FlagshipFlag { key.withBytes { FlagshipFlag($0, of: visitor) } }
    _ = rig.fetch(visitor)
    #expect(told(.httpCall).map { $0["http.request.method"] } == ["POST"])
    #expect(told(.httpCall).first?["http.response.code"] == "200")
    #expect(told(.httpCall).first?["logLevel"] == "INFO")

    _ = flag("f").int(fallback: 0, exposes: false)
    #expect(flag("f").expose() == .ok)
    #expect(told(.exposureBeforeValue).isEmpty)
    #expect(flag("g").expose() == .ok)
    #expect(told(.exposureBeforeValue).map { $0["flag.key"] } == ["g"])
    #expect(told(.exposureBeforeValue).first?["visitor.visitorId"] == "troubled")
    // Values of another fetch are others.
    _ = rig.fetch(visitor)
    #expect(flag("f").expose() == .ok)
    #expect(told(.exposureBeforeValue).map { $0["flag.key"] } == ["g", "f"])
    #expect(told(.httpCall).contains { $0["http.request.url"]?.hasSuffix("/activate") == true })

    #expect(told(.errorCaught).isEmpty)
    rig.transport.setResponder { request in
      request.url.contains("/campaigns") ? .failure(TransportFailure(.timeout, "nobody answered")) : .status(204)
    }
    _ = rig.fetch(visitor)
    #expect(told(.errorCaught).map { $0["error.message"] } == ["nobody answered"])
    #expect(told(.errorCaught).first?["logLevel"] == "ERROR")
  }

  @Test("Each answer is reported with the time it took, in milliseconds (FS-203; ready, failing)")
  func responseTimes() throws {
    let rig = try rig()
    let visitor = try rig.visitor("troubled")
    func time(_ path: String) -> String? {
      for _ in 0..<10 { rig.scheduler.run() }
      let told = reports(rig, "troubleshooting").map { values($0) }
      return told.last { $0["http.request.url"]?.contains(path) == true }?["http.response.time"]
    }
    let campaign = #"{"id":"c","variationGroupId":"g","variation":{"id":"va","modifications":{"type":"JSON","value":{"f":1}}}}"#
    let body = window(rig, traffic: 100, campaign: campaign)
    func pass(_ milliseconds: Int64, _ path: String, _ answer: ScriptedTransport.Answer) {
      for _ in 0..<10 { rig.scheduler.run() }
      rig.scheduler.advance(milliseconds: milliseconds)
      rig.transport.open.last { $0.request.url.contains(path) }?.complete(answer)
    }
    rig.transport.setResponder {
      $0.url.contains("/campaigns") || $0.url.hasSuffix("/activate") || $0.url.hasSuffix(".io/") ? nil : .status(200)
    }
    _ = visitor.fetch(completion: nil)
    pass(250, "/campaigns", .status(200, body))
    #expect(time("/campaigns") == "250")
    let flag = "f".withBytes { FlagshipFlag($0, of: visitor) }
    _ = flag.int(fallback: 0, exposes: true)
    pass(40, "/activate", .status(500))
    #expect(time("/activate") == "40")
    // What is left of the interval.
    rig.scheduler.advance(milliseconds: 5_000 - 250 - 40)
    pass(70, "events.flagship.io/", .status(204))
    #expect(time("events.flagship.io/") == "70")
  }

  @Test("So is each answer to a poll of the bucketing file (FS-203; starting)")
  func responseTimeOfTheFile() throws {
    let rig = try FlagshipRig.bucketing { $0.url.hasSuffix("/bucketing.json") ? nil : .status(200) }
    rig.scheduler.advance(milliseconds: 30)
    rig.transport.open.first?.complete(Bucketing.answer(Bucketing.file(more: "," + settings(rig, traffic: 100))))
    for _ in 0..<10 { rig.scheduler.run() }
    let told = reports(rig, "troubleshooting").map { values($0) }
    #expect(told.first { $0["label"] == "SDK_BUCKETING_FILE" }?["http.response.time"] == "30")
  }

  @Test("The level of a report follows its label (FS-203; no client)")
  func logLevels() {
    let levels = Dictionary(
      uniqueKeysWithValues: TroubleshootingLabel.allCases.map { ($0, TroubleshootingLabel.logLevel(of: $0.rawValue)) })
    #expect(levels[.fetchCampaigns] == "INFO")
    #expect(levels[.errorCaught] == "ERROR")
    #expect(levels[.valueOfUnknownFlag] == "WARNING")
    #expect(levels[.valueOfOtherType] == "WARNING")
  }
}
