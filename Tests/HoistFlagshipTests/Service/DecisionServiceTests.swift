import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("The Decision API is asked once for each fetch (protocols/flagship.md 3.1, 3.2)")
struct DecisionServiceTests {
  private static let request = DecisionRequest(
    visitorID: Array("user-42".utf8), anonymousID: nil, hasConsented: true, contextJSON: Array(#"{"vip":true}"#.utf8))

  /// What a fetch ended with.
  private final class Ending: Sendable {
    let results = LockedValue<[Result<DecisionAnswer, FetchFailure>]>([])
    var count: Int { results.withLock { $0.count } }
    var failure: FetchFailure? {
      guard case .failure(let failure)? = results.withLock({ $0.first }) else { return nil }
      return failure
    }
    var answer: DecisionAnswer? { results.withLock { $0.first }.flatMap { try? $0.get() } }
  }

  private func fetch(_ rig: FlagshipRig, _ request: DecisionRequest = request) -> Ending {
    let ending = Ending()
    rig.client.onScheduler { _ in
      rig.provider.decisions.fetch(request) { result in ending.results.withLock { $0.append(result) } }
    }
    rig.scheduler.run()
    return ending
  }

  @Test("The request is the service's: address, headers, body (FS-03, FS-06; ready)")
  func request() throws {
    let rig = try FlagshipRig()
    _ = fetch(rig)
    let request = try #require(rig.transport.requests.first)
    #expect(request.method == "POST")
    #expect(
      request.url
        == "https://decision.flagship.io/v2/\(FlagshipRig.environment)/campaigns?exposeAllKeys=true&extras%5B%5D=accountSettings")
    #expect(request.headers.value(of: "x-api-key") == "the-api-key")
    #expect(request.headers.value(of: "Content-Type") == "application/json")
    #expect(request.headers.value(of: "Accept") == "application/json")
    #expect(request.headers.value(of: "x-sdk-client") == "hoist")
    #expect(request.headers.value(of: "x-sdk-version") == HoistVersion.text)
    #expect(
      String(decoding: request.body ?? [], as: UTF8.self)
        == #"{"visitorId":"user-42","anonymousId":null,"visitor_consent":true,"trigger_hit":false,"context":{"vip":true}}"#)
  }

  @Test("The request has 2 s, or what the host says (FS-09; ready)")
  func timeout() throws {
    let rig = try FlagshipRig()
    _ = fetch(rig)
    #expect(rig.transport.requests.first?.timeoutMilliseconds == 2_000)
    let patient = try FlagshipRig(["timeout_ms": "5000"])
    _ = fetch(patient)
    #expect(patient.transport.requests.first?.timeoutMilliseconds == 5_000)
  }

  @Test("A server of one's own has no environment in its paths (FS-211; ready)")
  func selfHosted() throws {
    let rig = try FlagshipRig(["decision.url": "http://flags.local:8080/v2/", "decision.self_hosted": "true"])
    _ = fetch(rig)
    #expect(
      rig.transport.requests.first?.url
        == "http://flags.local:8080/v2/campaigns?exposeAllKeys=true&extras%5B%5D=accountSettings")
  }

  @Test("A decision group is sent as such; without one the body has no such key (FS-214; ready)")
  func decisionGroup() throws {
    let rig = try FlagshipRig(["decision_group": "family \"7\""])
    _ = fetch(rig)
    let body = try JSONDocument(parsing: rig.transport.requests.first?.body ?? [])
    #expect(body.withRoot { $0["decision_group"]?.string } == "family \"7\"")
  }

  @Test("Answers move the SDK's status between initialized and panic, and that is told (FS-42; panic)")
  func panic() throws {
    let rig = try FlagshipRig()
    rig.transport.enqueue(.status(200, #"{"visitorId":"user-42","campaigns":[],"panic":true}"#))
    let first = fetch(rig)
    #expect(first.answer?.isPanic == true)
    #expect(rig.face.status == .panic)
    rig.transport.enqueue(.status(200, #"{"visitorId":"user-42","campaigns":[]}"#))
    let second = fetch(rig)
    #expect(second.answer?.isPanic == false)
    #expect(rig.heard == [.initialized, .panic, .initialized])
  }

  @Test(
    "A failure changes no status and is tried by nobody but the next fetch (FS-10; failing, refused)",
    arguments: [400, 403, 500, 302])
  func failures(status: Int) throws {
    let rig = try FlagshipRig { _ in .status(status, #"{"message":"no"}"#) }
    let ending = fetch(rig)
    #expect(ending.failure?.status == .flagshipFetchFailed)
    rig.scheduler.advance(milliseconds: 600_000)
    #expect(rig.transport.requests.count == 1)
    #expect(rig.heard == [.initialized])
  }

  @Test("What is no JSON object is a failure", arguments: ["", "[]", "\"x\"", "{\"campaigns\":[", "<html>"])
  func badBodies(body: String) throws {
    let rig = try FlagshipRig { _ in .status(200, body) }
    #expect(fetch(rig).failure?.status == .flagshipFetchFailed)
  }

  @Test(
    "An answer whose campaigns are no array is a failure, of which the log tells (FS-50, G3; failing)",
    arguments: ["7", "{}", "\"none\"", "false"])
  func badCampaigns(campaigns: String) throws {
    let rig = try FlagshipRig { _ in .status(200, ScriptedDecisions.one) }
    let visitor = try rig.visitor("v")
    #expect(rig.fetch(visitor) == .ok)
    rig.transport.setResponder { $0.url.contains("/campaigns") ? .status(200, #"{"campaigns":\#(campaigns)}"#) : .status(204) }
    #expect(rig.fetch(visitor) == .flagshipFetchFailed)
    #expect(visitor.fetchProgress == (.fetchRequired, .fetchError))
    #expect(visitor.snapshotOfState.flags.count == 2, "unchanged")
    let wanted = "hoist[flagship]: decisions of environment \(FlagshipRig.environment): the answer's campaigns are no array"
    rig.settle { rig.log.messages(.warning).contains(wanted) }
    #expect(rig.log.messages(.warning).contains(wanted))
  }

  @Test(
    "Missing campaigns are none, and panic needs none (3.2)",
    arguments: [
      (#"{"visitorId":"v"}"#, false), (#"{"campaigns":null}"#, false), (#"{"panic":true}"#, true),
      (#"{"campaigns":7,"panic":true}"#, true),
    ])
  func noCampaigns(body: String, isPanic: Bool) throws {
    let rig = try FlagshipRig { _ in .status(200, body) }
    #expect(fetch(rig).answer?.isPanic == isPanic)
    #expect(rig.face.status == (isPanic ? .panic : .initialized))
  }

  @Test("Account settings come with the answer, and may be missing (FS-213; ready)")
  func accountSettings() throws {
    let rig = try FlagshipRig()
    rig.transport.enqueue(
      .status(200, #"{"campaigns":[],"extras":{"accountSettings":{"enabledXPC":true,"enabled1V1T":true}}}"#),
      .status(200, #"{"campaigns":[]}"#))
    _ = fetch(rig)
    _ = fetch(rig)
    #expect(rig.provider.account.current.hasExperienceContinuity)
    #expect(rig.provider.account.current.hasOneVisitorOneTest)
  }

  @Test("Offline a fetch fails at once, and a close ends one that is under way (FS-50; offline, closing)")
  func ends() throws {
    let offline = try FlagshipRig(["online": "false"])
    #expect(fetch(offline).failure?.message == "the client is offline")
    let rig = try FlagshipRig()
    let ending = fetch(rig)
    #expect(ending.count == 0)
    _ = rig.close()
    #expect(ending.count == 1)
    #expect(rig.face.status == .notInitialized)
  }
}
