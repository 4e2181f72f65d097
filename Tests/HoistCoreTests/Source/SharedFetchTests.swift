import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("One process fetches for all that share a store")
struct SharedFetchTests {
  private func fleet(_ count: Int, isReader: Bool = false) -> SharingFleet {
    let fleet = SharingFleet(count, isReader: isReader)
    fleet.pass(5)
    return fleet
  }

  @Test(
    "The service sees the requests of one, however many there are; all serve what it brings (starting, ready)",
    arguments: [1, 10, 100])
  func oneFetches(count: Int) {
    let fleet = fleet(count)
    #expect(fleet.leaders.count == 1)
    #expect(fleet.requests == 1)
    #expect(fleet.all(serve: "v1"))
    #expect(fleet.members.allSatisfy { $0.host.life.state == .ready })
    #expect(fleet.members.allSatisfy { !$0.host.states.value.contains(.error) })
    fleet.text.value = "v2"
    fleet.pass(95)
    #expect(fleet.all(serve: "v2"))
    #expect(fleet.requests == fleet.leaders.first?.requests)
    #expect((2...3).contains(fleet.requests))
    #expect(fleet.members.allSatisfy { $0.served == ["v1", "v2"] })
    #expect(fleet.leaders.first?.count("written") == 2)
  }

  @Test("A leader that is killed is followed within the lease, by one (second process)")
  func killed() throws {
    let fleet = fleet(10)
    let dead = try #require(fleet.leaders.first)
    dead.scheduler.isAlive = false
    fleet.text.value = "v2"
    fleet.pass(Int(FleetMember.lease / 1000))
    let heir = try #require(fleet.leaders.first)
    #expect(fleet.leaders.count == 1)
    fleet.pass(3)
    #expect(fleet.all(serve: "v2"))
    #expect(fleet.requests == dead.requests + heir.requests)
  }

  @Test(
    "A leader that closes, goes offline, or to the background gives its place to another at once (closed, offline, background)",
    arguments: [0, 1, 2])
  func leaves(way: Int) throws {
    let fleet = fleet(3)
    let former = try #require(fleet.leaders.first)
    switch way {
    case 0: former.source.stop()
    case 1:
      former.host.isOnline = false
      former.source.setOnline(false)
    default: former.source.setForeground(false)
    }
    fleet.pass(3)
    #expect(fleet.leaders.count == 1)
    #expect(fleet.leaders.first !== former)
    let asked = former.requests
    switch way {
    case 0: former.open()
    case 1:
      former.host.isOnline = true
      former.source.setOnline(true)
    default: former.source.setForeground(true)
    }
    fleet.text.value = "v2"
    // The first interval of a leader is drawn, up to half as long again.
    fleet.pass(95)
    #expect(fleet.all(serve: "v2"))
    #expect(former.requests == asked)
  }

  @Test("What a leader that stood still brings too late is not written; it follows from then on (second process)")
  func stoodStill() throws {
    let (fleet, time) = (SharingFleet(), ManualScheduler())
    let former = fleet.add(time: time)
    former.host.network.setResponder(nil)
    time.advance(milliseconds: 10)
    fleet.text.value = "v2"
    let heir = fleet.add()
    fleet.pass(20)
    #expect(heir.leads && heir.served == ["v2"])
    // It does not know yet, by a clock that stood still.
    former.host.network.open.first?.complete(answer(200, "v1"))
    time.run()
    #expect(former.count("refused") == 1)
    #expect(!former.leads)
    #expect(former.lines.contains { $0.contains("was not written") })
    for _ in 0..<3 { time.advance(milliseconds: 1000) }
    #expect(former.served == ["v1", "v2"])
    #expect(fleet.store.inner.load(key: "text").map { String(decoding: $0, as: UTF8.self).hasSuffix("v2") } == true)
  }

  @Test("The store away: nobody asks within the lease, then each for itself, ten times as seldom; back: one again (failing)")
  func storeAway() {
    let fleet = fleet(10)
    fleet.store.isAway.value = true
    fleet.text.value = "v2"
    fleet.pass(14)
    #expect(fleet.requests == 1)
    fleet.pass(20 + 60)
    #expect(fleet.members.allSatisfy { $0.count("alone") == 1 && $0.served.last == "v2" })
    #expect(fleet.members.allSatisfy { $0.lines.contains { $0.contains("each process fetches for itself") } })
    let afterFirst = fleet.requests
    #expect(afterFirst <= 1 + 10)
    fleet.pass(290)
    #expect(fleet.requests == afterFirst)
    fleet.pass(700)
    #expect((afterFirst + 8...afterFirst + 22).contains(fleet.requests))
    fleet.text.value = "v3"
    fleet.store.isAway.value = false
    fleet.pass(20)
    #expect(fleet.leaders.count == 1)
    #expect(fleet.all(serve: "v3"))
    let asked = fleet.members.map(\.requests)
    fleet.pass(600)
    #expect(zip(fleet.members, asked).filter { $0.requests != $1 }.count == 1)
  }

  @Test("A store that hangs: the lead is over in time, whatever the call does, and who streams ends that (failing)")
  func storeHangs() {
    let (fleet, time) = (SharingFleet(), ManualScheduler())
    let member = fleet.add(time: time, hasThreads: true)
    #expect(time.settle { member.leads })
    let gate = HoistCore.Completion<Bool>()
    fleet.store.gate.value = gate
    time.advance(milliseconds: 12_900)
    #expect(member.leads)
    time.advance(milliseconds: 200)
    #expect(!member.leads && member.count("alone") == 0)
    fleet.store.gate.value = nil
    gate.give(true)
    #expect(time.settle { member.leads })
  }

  @Test(
    "What each has fetched for itself is newer than what the store has: the leader writes it, and none goes back (failing, ready)"
  )
  func backWithOlder() {
    let fleet = fleet(5)
    fleet.store.isAway.value = true
    fleet.text.value = "v2"
    fleet.pass(120)
    fleet.store.isAway.value = false
    fleet.pass(100)
    #expect(fleet.members.allSatisfy { $0.served == ["v1", "v2"] })
    #expect(fleet.store.inner.load(key: "text").map { String(decoding: $0, as: UTF8.self).hasSuffix("v2") } == true)
  }

  @Test("The store has lost what it had: the leader fetches and writes it anew (ready)")
  func emptied() {
    let fleet = fleet(3)
    fleet.store.inner.remove(key: "text")
    fleet.pass(10)
    #expect(fleet.store.inner.load(key: "text") != nil)
    #expect(fleet.requests == 2)
    let late = fleet.add()
    fleet.pass(3)
    #expect(late.served == ["v1"] && late.requests == 0)
  }

  @Test(
    "A reader never asks the service: it waits for a document, says when there is none, and serves it as soon as there is (starting, failing)"
  )
  func reader() throws {
    let fleet = SharingFleet(1, isReader: true)
    let reader = try #require(fleet.members.first)
    fleet.pass(10)
    #expect(reader.host.life.state == .notReady)
    fleet.pass(8)
    #expect(reader.host.life.state == .error)
    #expect(reader.lines.contains { $0.contains("the store does not have it") })
    _ = fleet.add()
    fleet.pass(5)
    #expect(reader.host.life.state == .ready && reader.served == ["v1"])
    fleet.store.isAway.value = true
    fleet.pass(1000)
    #expect(reader.requests == 0)
    #expect(reader.host.life.state == .stale)
  }

  @Test("A forked child does not lead for its parent (forked)")
  func forked() {
    let (fleet, time) = (SharingFleet(), ManualScheduler())
    let member = fleet.add(time: time)
    time.advance(milliseconds: 10)
    #expect(member.leads)
    time.simulateFork()
    member.source.abandonAfterFork()
    member.source.start()
    for _ in 0..<5 { time.advance(milliseconds: 1000) }
    #expect(!member.leads && member.requests == 1)
    #expect(member.served == ["v1"])
  }

  @Test("What cannot be shared is refused, with what is missing (before start)")
  func refused() throws {
    struct Service: ProviderFactory {
      var name: String { "service" }
      var properties: [Property] { [] }
      var shares = true
      func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
        throw ConfigurationFailure("", "is not made here")
      }
      func storeIdentity(_ values: PropertyValues) -> String { "" }
      func sharesFetches(_ values: PropertyValues) -> Bool { shares }
    }
    func refusal(_ factory: Service, _ manager: (any CacheManager)?, mode: String = "leader") throws -> String? {
      let values = try TestHost.values(["fetch.shared": mode], table: [])
      do throws(ConfigurationFailure) {
        try FetchSharing.check(values, factory, TestHost(manager: manager).store)
        return nil
      } catch {
        return error.message
      }
    }
    let memory = MemoryCacheManager()
    #expect(try refusal(Service(), memory) == nil)
    #expect(try refusal(Service(shares: false), nil, mode: "off") == nil)
    #expect(try refusal(Service(), nil)?.contains("\"store\" is \"none\"") == true)
    #expect(try refusal(Service(), GatedManager())?.contains("no \"lead\" and \"save_led\"") == true)
    #expect(try refusal(Service(shares: false), memory)?.contains("what service fetches") == true)
  }
}
