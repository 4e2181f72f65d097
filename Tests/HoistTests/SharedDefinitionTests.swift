import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import Hoist

@Suite("What one process fetches for all: the modes of each service (FLT 1)")
struct SharedDefinitionTests {
  @Test("Unleash, deltas: one polls them, the others have the whole; an heir begins with everything (ready, second process)")
  func deltas() throws {
    var service = StreamedService.unleash
    service.properties["fetch_mode"] = "delta"
    service.document = {
      "{\"events\":[{\"type\":\"hydration\",\"eventId\":7,\"features\":[{\"name\":\"\($0)\",\"enabled\":true}],\"segments\":[]}]}"
    }
    let fleet = try StreamingFleet(service, 5)
    let leader = try #require(fleet.leaders.first)
    #expect(fleet.all(serve: "v1") && fleet.polls == 1 && fleet.streams == 0)
    #expect(leader.network.requests.allSatisfy { $0.url.hasSuffix("/client/delta") })
    fleet.publish("v2")
    fleet.pass(30)
    #expect(fleet.all(serve: "v2") && fleet.kept.contains("v2") && fleet.polls == leader.polls)
    #expect(leader.network.requests.last?.headers.value(of: "If-None-Match") == "\"7\"")
    leader.process.isAlive = false
    fleet.publish("v3")
    fleet.pass(20)
    let heir = try #require(fleet.leaders.first)
    #expect(heir.network.requests.first.map { $0.headers.value(of: "If-None-Match") } == .some(nil))
    #expect(fleet.all(serve: "v3") && fleet.polls == leader.polls + heir.polls)
  }

  @Test("Unleash asks clients that poll to stream: the one that polls does, and polls again where that is asked (ready)")
  func wishes() throws {
    var service = StreamedService.unleash
    service.properties["fetch_mode"] = nil
    service.headers = [HTTPHeader("fetch-mode", "streaming")]
    let fleet = try StreamingFleet(service, 4)
    #expect(fleet.openStreams == 1 && fleet.streams == 1 && fleet.polls == 1)
    fleet.publish("v2")
    fleet.pass(4)
    #expect(fleet.all(serve: "v2") && fleet.polls == 1)
  }

  @Test("Unleash asks the one that streams to poll: it does, and the others follow; an heir streams anew (ready, second process)")
  func unwished() throws {
    let fleet = try StreamingFleet(.unleash, 4)
    let leader = try #require(fleet.leaders.first)
    fleet.say("fetch-mode", "polling")
    fleet.publish("v2")
    fleet.pass(40)
    #expect(fleet.openStreams == 0 && fleet.streams == 1 && fleet.all(serve: "v2") && fleet.polls == leader.polls)
    leader.process.isAlive = false
    fleet.pass(16)
    #expect(fleet.openStreams == 1 && fleet.streams == 2)
  }

  @Test("Unleash, no interval: the others are told all the same (ready)")
  func noInterval() throws {
    let fleet = try StreamingFleet(.unleash, 4, ["refresh_interval": "0"])
    fleet.publish("v2")
    fleet.pass(4)
    #expect(fleet.all(serve: "v2") && fleet.openStreams == 1)
  }

  @Test("LaunchDarkly: what is deleted is gone for all, and is not there again for who comes later (ready)")
  func deletions() throws {
    let fleet = try StreamingFleet(.launchDarkly, 3)
    fleet.publish("v2")
    fleet.pass(4)
    #expect(fleet.all(serve: "v1") && fleet.all(serve: "v2"))
    fleet.say("delete", "{\"path\":\"/flags/v1\",\"version\":2}")
    // Older than the deletion.
    fleet.say("patch", "{\"path\":\"/flags/v1\",\"data\":{\"key\":\"v1\",\"version\":1,\"on\":true,\"variations\":[true]}}")
    fleet.pass(4)
    let late = try fleet.add()
    fleet.pass(4)
    #expect(fleet.members.allSatisfy { !$0.serves("v1") && $0.serves("v2") } && late.network.exchanges.isEmpty)
  }

  @Test("LaunchDarkly, polling: one polls, with the tag of what it has (ready, second process)")
  func polledRules() throws {
    var service = StreamedService.launchDarkly
    service.properties["streaming_mode"] = "polling"
    service.headers = [HTTPHeader("ETag", "\"t\"")]
    let fleet = try StreamingFleet(service, 5)
    let leader = try #require(fleet.leaders.first)
    fleet.publish("v2")
    fleet.pass(65)
    #expect(fleet.all(serve: "v2") && fleet.streams == 0 && (2...4).contains(fleet.polls) && leader.polls == fleet.polls)
    leader.process.isAlive = false
    fleet.pass(16)
    let heir = try #require(fleet.leaders.first)
    // The store has it as the service sent it.
    #expect(heir.network.requests.first?.headers.value(of: "If-None-Match") == "\"t\"")
  }

  @Test("What is of one context or visitor is refused, and says so (before start)")
  func refused() throws {
    let cases: [(String, [String: String])] = [
      ("unleash", ["mode": "frontend", "url": "https://flags.test/api/frontend", "key": "a:b.c", "app_name": "shop"]),
      ("launchdarkly", ["mobile_key": "mob-1", "context": "{\"kind\":\"user\",\"key\":\"a\"}"]),
      ("flagship", ["mode": "decision_api", "env_id": "hoistsampleenv000001", "api_key": "k"]),
    ]
    for (name, properties) in cases {
      let factory = try #require(Providers.factory(named: name))
      let manager = MemoryCacheManager()
      let error = #expect(throws: ConfigurationFailure.self) {
        _ = try TestClient(
          factory, ["store": "memory", "dispatch": "manual", "fetch.shared": "leader"], properties,
          makeCacheManager: { _ in manager })
      }
      #expect(error?.message.contains("fetches is of one client alone, for its context or visitor") == true, "\(name)")
    }
  }
}
