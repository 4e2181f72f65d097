import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("What other services know of visitors")
struct VisitorSegmentsTests {
  private static let segments =
    #"[{"visitor_id":"v","segment":"age","value":"30-40","partner":"mixpanel"},{"segment":"x"},7,{"visitor_id":"v","segment":"plan","value":"gold","partner":"segment"}]"#

  private func rig(_ body: String = segments, status: Int = 200) throws -> FlagshipRig {
    try FlagshipRig.bucketing(["third_party_segments": "true"]) { request in
      if request.url.hasSuffix("/bucketing.json") { return Bucketing.answer() }
      if request.url.contains("api-data-connector") { return .status(status, body) }
      return .status(200)
    }
  }

  private func asked(_ rig: FlagshipRig, _ host: String) -> [HTTPRequest] {
    rig.transport.requests.filter { $0.url.hasPrefix("https://\(host)") }
  }

  @Test("In bucketing mode a fetch asks for segments first, which become pairs of the context (FS-209; ready)")
  func thirdParties() throws {
    let rig = try rig()
    let heard = HeardFetches()
    let visitor = try rig.visitor("user 42", listener: heard)
    #expect(rig.fetch(visitor) == .ok)
    let request = try #require(asked(rig, "api-data-connector.flagship.io").first)
    #expect(request.url == "https://api-data-connector.flagship.io/accounts/\(FlagshipRig.environment)/segments/user%2042")
    #expect(request.method == "GET")
    #expect(text(visitor.contextText).contains(#""mixpanel::age":"30-40""#))
    #expect(text(visitor.contextText).contains(#""segment::plan":"gold""#))
    #expect(rig.take(heard) == ["FETCHING NONE", "FETCHED NONE"])
  }

  @Test("A segment whose value is no text is left out, which the log tells by name (FS-209; ready)")
  func valuesOfOtherTypes() throws {
    let body =
      #"[{"segment":"age","value":30,"partner":"mixpanel"},{"segment":"vip","value":null,"partner":"heap"},{"segment":"plan","value":"gold","partner":"segment"}]"#
    let rig = try rig(body)
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    #expect(text(visitor.contextText).contains(#""segment::plan":"gold""#))
    #expect(!text(visitor.contextText).contains("mixpanel"))
    let wanted = ["mixpanel::age", "heap::vip"].map {
      #"hoist[flagship]: segments of visitors: "\#($0)" is left out: its value is no text"#
    }
    #expect(rig.fetch(visitor) == .ok)
    #expect(rig.fetch(try rig.visitor("w")) == .ok)
    rig.settle { rig.log.messages(.warning).count >= 2 }
    #expect(rig.log.messages(.warning) == wanted, "once, however many fetches")
  }

  @Test("Elements that name no segment are left out, which the log tells (FS-209; ready)")
  func unnamedSegments() throws {
    let rig = try rig()
    #expect(rig.fetch(try rig.visitor("v")) == .ok)
    let wanted = "hoist[flagship]: segments of visitors: an element is left out: it names no partner or segment"
    rig.settle { rig.log.messages(.warning).contains(wanted) }
    #expect(rig.log.messages(.warning) == [wanted])
  }

  @Test("Without the property nobody is asked (FS-209; ready)")
  func off() throws {
    let rig = try FlagshipRig.bucketing { _ in Bucketing.answer() }
    #expect(rig.fetch(try rig.visitor("v")) == .ok)
    #expect(asked(rig, "api-data-connector").isEmpty)
  }

  @Test("What cannot be had or read spoils no fetch", arguments: [(500, "x"), (200, "{}"), (200, "["), (204, ""), (404, "")])
  func failures(status: Int, body: String) throws {
    let rig = try rig(body, status: status)
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    #expect(!text(visitor.contextText).contains("::"))
  }

  /// Services of an account with the emotion score.
  private func emotional(_ more: String = "", score: ScriptedTransport.Answer) throws -> FlagshipRig {
    try FlagshipRig(["emotion_score": "true"]) { request in
      if request.url.hasSuffix("/accountSettings.json") {
        return .status(200, #"{"accountSettings":{"eaiActivationEnabled":true,"eaiCollectEnabled":true}}"#)
      }
      if request.url.contains("uc-info") { return score }
      return request.url.contains("/campaigns") ? .status(200, #"{"campaigns":[]}"#) : .status(200)
    }
  }

  @Test("The emotion score goes into the context before a fetch, where the account has it (FS-207, FS-208; ready)")
  func emotionScore() throws {
    let rig = try emotional(score: .status(200, #"{"eai":{"eas":"Immediacy"}}"#))
    #expect(rig.transport.requests.first?.url == "https://cdn.flagship.io/\(FlagshipRig.environment)/accountSettings.json")
    #expect(rig.provider.account.current.usesEmotionScore)
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    let url = asked(rig, "uc-info.flagship.io").first?.url
    #expect(url == "https://uc-info.flagship.io/v1/segments/clients/\(FlagshipRig.environment)/visitors/v?partner=eai")
    let request = rig.transport.requests.first { $0.url.contains("/campaigns") }
    #expect(request?.text.contains(#""eai::eas":"Immediacy""#) == true)
  }

  @Test("Without a score the context stays as it is (FS-207; ready)")
  func noScore() throws {
    let rig = try emotional(score: .status(204))
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    #expect(!text(visitor.contextText).contains("eai::eas"))
  }

  @Test("Account settings are downloaded only where they are asked for (FS-208; starting)")
  func accountSettings() throws {
    let none = try FlagshipRig()
    #expect(none.transport.requests.isEmpty)
    let rig = try FlagshipRig(["account_settings": "true"]) { _ in .status(200, #"{"accountSettings":{"enabledXPC":true}}"#) }
    #expect(rig.provider.account.current.hasExperienceContinuity)
    let broken = try FlagshipRig(["account_settings": "true"]) { _ in .status(200, "[]") }
    #expect(broken.provider.account.current == AccountSettings())
  }

  @Test("What a host collects for the score is sent where the account wants it (FS-207; ready)")
  func collecting() throws {
    let rig = try emotional(score: .status(204))
    let ended = Locked<Status?>(nil)
    let segments = rig.provider.segments
    rig.client.onScheduler { _ in segments.collect(Array(#"{"t":"VISITOREVENT"}"#.utf8)) { ended.value = $0 } }
    rig.scheduler.run()
    #expect(ended.value == .ok)
    #expect(rig.transport.requests.last?.url == "https://events.flagship.io/emotionsai")
    let none = try FlagshipRig()
    let refused = Locked<Status?>(nil)
    let others = none.provider.segments
    none.client.onScheduler { _ in others.collect([]) { refused.value = $0 } }
    none.scheduler.run()
    #expect(refused.value == .unsupported)
  }
}
