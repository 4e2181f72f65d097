import Glibc
import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("A host's own data platform (OPT-06, OPT-55; ready)") struct PlatformManagerTests {
  @Test func itIsAskedInPlaceOfTheService() throws {
    let manager = FakeManager()
    manager.answer.value = .success([Array("mine".utf8)])
    let rig = try PlatformRig(manager: manager)
    try rig.serve(host: nil)
    let found = rig.begin("u", .resetCache)
    rig.host.settle { found.value != nil }
    #expect(found.value == .success(["mine"]))
    #expect(manager.calls.value == ["u 2"])
    manager.answer.value = .failure(.invalidIdentifier)
    let refused = rig.begin("u")
    rig.host.settle { refused.value != nil }
    #expect(refused.value == .failure(.invalidIdentifier))
    #expect(rig.requests.isEmpty)
  }

  @Test func itGetsTheLibrarysEventsToo() throws {
    let manager = FakeManager()
    let rig = try PlatformRig(["vuid.enabled": "true"], manager: manager)
    let vuid = try #require(rig.visitorID.current)
    // Where the datafile names no data platform, the host's is there all the same.
    try rig.serve(host: nil)
    rig.platform.events.identify(Array("u".utf8))
    #expect(rig.send("bought", [("email", "a@b")]) == nil)
    rig.host.settle { manager.calls.value.count == 3 }
    #expect(
      manager.calls.value == [
        #"fullstack client_initialized {"vuid":"\#(vuid)"} {}"#,
        #"fullstack identified {"vuid":"\#(vuid)","fs_user_id":"u"} {}"#,
        #"fullstack bought {"email":"a@b","vuid":"\#(vuid)"} {}"#,
      ])
    #expect(rig.send("") == .invalidAction)
    #expect(rig.requests.isEmpty)
  }

  @Test func whatItDoesNotBringIsTheServices() throws {
    let manager = FakeManager(fetchesSegments: false)
    let rig = try PlatformRig(manager: manager)
    try rig.serve()
    rig.host.network.setResponder { _ in qualified("a") }
    #expect(rig.fetch("u") == .success(["a"]))
    _ = rig.send("one")
    rig.host.settle { !manager.calls.value.isEmpty }
    #expect(rig.requests.count == 1)
  }

  @Test("(OPT-06; slow plug-in)") func oneThatHangsCostsItsOwnAnswersOnly() throws {
    let manager = FakeManager()
    manager.isStuck.value = true
    let rig = try PlatformRig(["odp.segment_fetch_timeout_ms": "100"], manager: manager)
    let found = rig.begin("u")
    rig.host.settle { !manager.calls.value.isEmpty }
    rig.host.time.advance(milliseconds: 100)
    rig.host.settle { found.value != nil }
    #expect(found.value == .failure(.fetchFailed("the ODP manager did not answer in time")))
    manager.isStuck.value = false
    let second = rig.begin("v")
    rig.host.settle { second.value != nil }
    #expect(second.value == .success([]))
  }

  @Test("(OPT-06; slow plug-in)") func aFlushWaitsUntilItHasTakenWhatWasSent() throws {
    let manager = FakeManager()
    manager.isStuck.value = true
    let rig = try PlatformRig(["odp.event_timeout_ms": "100"], manager: manager)
    func flush() -> Locked<Bool?> {
      let isSent = Locked<Bool?>(nil)
      rig.platform.flush { isSent.value = $0 == .accepted }
      return isSent
    }
    #expect(rig.send("one") == nil)
    let first = flush()
    rig.host.settle { !manager.calls.value.isEmpty }
    #expect(first.value == nil)
    manager.isStuck.value = false
    rig.host.settle { first.value != nil }
    #expect(first.value == true)
    manager.isStuck.value = true
    #expect(rig.send("two") == nil)
    let second = flush()
    rig.host.settle { manager.calls.value.count == 2 }
    rig.host.time.advance(milliseconds: 100)
    rig.host.settle { second.value != nil }
    #expect(second.value == false)
    manager.isStuck.value = false
  }

  @Test("No host call begins after the end (OPT-06, design 9; closed)") func afterAStopItIsLeftAlone() throws {
    let manager = FakeManager()
    let rig = try PlatformRig(manager: manager)
    rig.platform.stop()
    #expect(rig.send("late") == .eventFailed("the ODP manager takes no more now"))
    #expect(rig.fetch("u") == .failure(.fetchFailed("the client is closed")))
    rig.host.time.run()
    #expect(manager.calls.value.isEmpty)
  }
}

private final class FakeManager: PlatformManager {
  let fetchesSegments: Bool
  let takesEvents = true
  let calls = Locked<[String]>([])
  let answer = Locked<Result<[[UInt8]], PlatformFailure>>(.success([]))
  let isStuck = Locked(false)

  init(fetchesSegments: Bool = true) { self.fetchesSegments = fetchesSegments }

  func segments(of userID: [UInt8], _ options: SegmentFetchOptions) -> Result<[[UInt8]], PlatformFailure> {
    calls.change { $0.append("\(String(decoding: userID, as: UTF8.self)) \(options.rawValue)") }
    while isStuck.value { usleep(250) }
    return answer.value
  }

  func send(type: String, action: String, identifiers: [UInt8], data: [UInt8]) -> Status {
    let texts = [identifiers, data].map { String(decoding: $0, as: UTF8.self) }
    calls.change { $0.append("\(type) \(action) \(texts[0]) \(texts[1])") }
    while isStuck.value { usleep(250) }
    return .ok
  }
}
