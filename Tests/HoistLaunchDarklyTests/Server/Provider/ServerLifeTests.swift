import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("A client in mode server, through the core's calls (protocols/launchdarkly-server.md 2.5, 5.1)") struct ServerLifeTests {
  private let flags = ["a": ServerRules.flag("a")]

  @Test("Until rules have come fallbacks are given; then any context is decided for (LDS-02, LDS-03, LDS-30; starting, ready)")
  func starting() throws {
    let rig = try RulesRig()
    #expect(rig.state == .notReady && rig.client.waitReady(timeoutMilliseconds: 0) == .timeout)
    #expect(rig.value(of: "a") == "PROVIDER_NOT_READY")
    rig.serve(["a": ServerRules.flag("a", ##""targets":[{"values":["x"],"variation":0}]"##)])
    #expect(rig.state == .ready && rig.client.waitReady(timeoutMilliseconds: 0) == .ok)
    #expect(rig.value(of: "a") == #""on""# && rig.value(of: "a", for: EvaluationContext(targetingKey: "x")) == #""off""#)
    #expect(rig.value(of: "b") == "FLAG_NOT_FOUND")
  }

  @Test("A context that is none gets the fallback, and so does none at all (LDS-30, LDS-31; ready)") func contexts() throws {
    let rig = try RulesRig()
    rig.serve(flags)
    #expect(rig.value(of: "a", for: EvaluationContext(targetingKey: "")) == "INVALID_CONTEXT")
    #expect(rig.value(of: "a", for: nil) == "TARGETING_KEY_MISSING")
    #expect(throws: ConfigurationFailure.self) { _ = try RulesRig(["context": #"{"kind":"user","anonymous":true}"#]) }
    let own = try RulesRig(["context": #"{"kind":"user","key":"k"}"#])
    own.serve(flags)
    #expect(own.value(of: "a", for: nil) == #""on""#)
  }

  @Test("A change of the context asks nothing and is done at once (LDS-44; ready)") func identify() throws {
    let rig = try RulesRig()
    rig.serve(flags)
    let told = Locked<[Status]>([])
    let asked = rig.asked
    for context in [EvaluationContext(targetingKey: "k"), EvaluationContext(targetingKey: "k"), EvaluationContext()] {
      #expect(rig.client.identify(context.reference()) { status in told.change { $0.append(status) } } == .ok)
      rig.time.run()
      while rig.client.dispatch(limit: 0) > 0 {}
    }
    #expect(told.value == [.ok, .ok, .argument] && rig.asked == asked && rig.state == .ready)
    #expect(rig.value(of: "a", for: nil) == #""on""#, "the context that was there before stays")
  }

  @Test("Offline nothing is asked for; the rules of before go on (LDS-05; offline)") func offline() throws {
    let rig = try RulesRig(isOnline: false)
    rig.time.advance(milliseconds: 3_600_000)
    #expect(rig.asked == 0 && rig.state == .notReady && rig.value(of: "a", .counted) == "PROVIDER_NOT_READY")
    rig.setOnline(true)
    rig.serve(flags)
    rig.setOnline(false)
    #expect(rig.state == .stale && rig.value(of: "a") == #""on""# && rig.network.open.isEmpty)
  }

  @Test("A refused key ends the attempts; what there is serves on; refresh begins again (LDS-13; refused)") func refused() throws
  {
    let rig = try RulesRig()
    let stream = rig.serve(flags)
    stream?.endStream()
    rig.time.advance(milliseconds: 1_000)
    rig.network.streams.last?.open(status: 401)
    rig.time.advance(milliseconds: 3_600_000)
    #expect(rig.state == .fatal && rig.value(of: "a") == #""on""# && rig.network.open.isEmpty)
    #expect(rig.host.settle { rig.log.messages(.error).contains { $0.contains("SDK key") && $0.contains("401") } })
    #expect(!rig.log.lines.contains { $0.message.contains(RulesRig.key) })
    #expect(rig.client.refresh() == .ok)
    rig.serve(flags)
    #expect(rig.state == .ready)
  }

  @Test("No status ends anything where refusals are retried (LDS-19; refused)") func retriedRefusals() throws {
    let rig = try RulesRig(["retry_refused": "true"])
    rig.network.streams.last?.open(status: 401)
    rig.time.run()
    #expect(rig.state == .error)
    rig.time.advance(milliseconds: 300_000)
    #expect(rig.asked == 2)
  }

  @Test("A failing service is asked again, and what there is serves on (LDS-11, LDS-13; failing)") func failing() throws {
    let rig = try RulesRig()
    rig.network.streams.last?.open(status: 503)
    rig.time.run()
    #expect(rig.state == .error)
    rig.time.advance(milliseconds: 30_000)
    rig.serve(flags)
    #expect(rig.state == .ready)
  }

  @Test("Closed, all gives its fallback and no request is left; reopened, the rules of before serve (LDS-06; closed, reopened)")
  func closed() throws {
    let rig = try RulesRig()
    rig.serve(flags)
    rig.close()
    #expect(rig.state == .closed && rig.network.open.isEmpty && rig.value(of: "a", .counted) == "PROVIDER_NOT_READY")
    #expect(rig.client.reopen() == .ok)
    rig.time.run()
    #expect(rig.state == .stale && rig.value(of: "a") == #""on""#)
    rig.serve(flags)
    #expect(rig.state == .ready)
  }

  @Test("Clients of one process have rules of their own (LDS-01; second client)") func secondClient() throws {
    let (one, other) = (try RulesRig(), try RulesRig(["mobile_key": "sdk-2"]))
    one.serve(flags)
    #expect(one.state == .ready && other.state == .notReady && other.value(of: "a") == "PROVIDER_NOT_READY")
    #expect(other.network.streams.last?.request.header("Authorization") == "sdk-2")
  }

  @Test("Observers are told of the flags that may have changed, and of no other (LDS-62; ready)") func changes() throws {
    let rig = try RulesRig()
    let stream = rig.serve(["a": ServerRules.flag("a"), "b": ServerRules.flag("b")])
    let told = Locked<[String]>([])
    _ = rig.client.observe(.flagChanged, key: nil, ClosureObserver { news in told.change { $0 += news.keys } })
    rig.say("event: patch\ndata: {\"path\":\"/flags/b\",\"data\":\(ServerRules.flag("b", version: 2))}\n\n", on: stream)
    rig.say(RulesRig.put(["a": ServerRules.flag("a"), "b": ServerRules.flag("b", version: 2)]), on: stream)
    while rig.client.dispatch(limit: 0) > 0 {}
    #expect(told.value == ["b"])
  }

  @Test("The status of the data source follows the stream, and ends with the client (LDS-07; starting, ready, failing, closed)")
  func dataSource() throws {
    let rig = try RulesRig()
    let face = try #require(LaunchDarklyAnyFace(rig.client))
    #expect(face.dataSource.state == .initializing && !face.isInitialized && face.isOnline)
    let stream = rig.serve(flags)
    #expect(face.dataSource.state == .valid && face.isInitialized && face.connectionInformation.mode == .streaming)
    stream?.endStream(TransportFailure(.unreachable, "gone"))
    rig.time.run()
    #expect(face.dataSource.state == .interrupted && face.dataSource.lastFailure?.kind == .network && face.isInitialized)
    rig.time.advance(milliseconds: 1_000)
    rig.network.streams.last?.open(status: 403)
    rig.time.run()
    #expect(face.dataSource.state == .shutDown && face.dataSource.lastFailure?.status == 403)
    rig.close()
    #expect(face.dataSource.state == .shutDown && !face.isInitialized && !face.isOnline)
  }

  @Test("What needs flags of one context is no call for mode server (LDS-01; ready)") func otherFace() throws {
    let rig = try RulesRig()
    rig.serve(flags)
    #expect(LaunchDarklyFace(rig.client) == nil && LaunchDarklyServerFace(rig.client) != nil)
    _ = LaunchDarklyAnyFace(rig.client)?.refuse()
    #expect(rig.host.settle { rig.log.messages(.warning).contains { $0.contains("mode client") } })
  }
}
