import HoistCore
import HoistTestSupport
import Testing

@Suite("One process streams for all that share a store (FLT 1)")
struct SharedStreamTests {
  typealias Service = StreamedService
  private static let lease = 15

  @Test(
    "The service has one stream, however many processes there are; all serve what it brings (starting, ready)",
    arguments: Service.all, [1, 10, 50])
  func oneStreams(service: Service, count: Int) throws {
    let fleet = try StreamingFleet(service, count)
    let leader = try #require(fleet.leaders.first)
    #expect(fleet.leaders.count == 1 && leader.openStreams.count == 1)
    #expect(fleet.streams == 1 && fleet.polls == (service.pollsFirst ? 1 : 0))
    #expect(fleet.all(serve: "v1") && fleet.members.allSatisfy { $0.state == .ready })
    fleet.publish("v2")
    fleet.pass(4)
    #expect(fleet.all(serve: "v2") && fleet.kept.contains("v2"))
    fleet.pass(600)
    #expect(fleet.streams == 1 && fleet.polls == (service.pollsFirst ? 1 : 0))
    #expect(fleet.members.allSatisfy { $0.state == .ready })
    #expect(fleet.others(than: leader).allSatisfy { $0.network.exchanges.isEmpty })
  }

  @Test("Many changes are written at a pace, and the last one comes to all (ready)", arguments: Service.all)
  func burst(service: Service) throws {
    let fleet = try StreamingFleet(service, 3)
    let leader = try #require(fleet.leaders.first)
    let written = try #require(leader.count("written"))
    for number in 2...200 { fleet.publish("v\(number)") }
    fleet.pass(5)
    #expect(fleet.all(serve: "v200"))
    #expect(try #require(leader.count("written")) - written <= 4)
  }

  @Test("A killed leader is followed within the lease, and its heir streams (second process)", arguments: Service.all)
  func killed(service: Service) throws {
    let fleet = try StreamingFleet(service, 10)
    for version in ["v2", "v3"] {
      let dead = try #require(fleet.leaders.first)
      dead.process.isAlive = false
      fleet.pass(Self.lease + 1)
      #expect(fleet.leaders.count == 1 && fleet.openStreams == 1)
      fleet.publish(version)
      fleet.pass(4)
      #expect(fleet.all(serve: version) && fleet.kept.contains(version))
    }
    #expect(fleet.streams == 3)
  }

  @Test(
    "A leader that closes or goes offline ends its stream, and another streams at its next look; come back, it follows (closed, offline, reopened)",
    arguments: Service.all, [false, true])
  func leaves(service: Service, closes: Bool) throws {
    let fleet = try StreamingFleet(service, 3)
    let former = try #require(fleet.leaders.first)
    // What it has not written yet, it writes before it goes.
    fleet.publish("v2")
    fleet.time.run()
    if closes { former.close() } else { former.setOnline(false) }
    #expect(former.openStreams.isEmpty && fleet.kept.contains("v2"))
    fleet.pass(3)
    #expect(fleet.leaders.count == 1 && fleet.leaders.first !== former && fleet.openStreams == 1)
    fleet.publish("v3")
    let asked = former.network.exchanges.count
    if closes { former.reopen() } else { former.setOnline(true) }
    fleet.pass(4)
    #expect(fleet.all(serve: "v3") && former.state == .ready)
    #expect(former.network.exchanges.count == asked && fleet.openStreams == 1)
  }

  @Test(
    "A leader that stood still writes nothing any more, ends its stream as soon as it knows, and follows (second process)",
    arguments: Service.all)
  func stoodStill(service: Service) throws {
    let (fleet, time) = (try StreamingFleet(service), ManualScheduler())
    let former = try fleet.add(time: time)
    time.advance(milliseconds: 1000)
    #expect(former.leads && former.openStreams.count == 1)
    let stream = try #require(former.openStreams.first)
    let heir = try fleet.add()
    fleet.pass(Self.lease + 5)
    #expect(heir.leads && heir.openStreams.count == 1)
    // By its clock no time has passed; what comes now is written by the heir alone.
    fleet.publish("v2")
    time.advance(milliseconds: 200)
    fleet.pass(1)
    #expect(former.count("refused") == 1 && !former.leads && stream.isCancelled)
    #expect(fleet.kept.contains("v2") && heir.count("refused") == 0)
    fleet.publish("v3")
    fleet.pass(1)
    for _ in 0..<4 { time.advance(milliseconds: 1000) }
    #expect(former.serves("v3") && former.streams == 1 && former.state == .ready)
  }

  @Test(
    "The store away: the stream lasts as long as the lead, then each polls for itself, ten times as seldom, and none streams; back, one streams (failing)",
    arguments: Service.all)
  func storeAway(service: Service) throws {
    let fleet = try StreamingFleet(service, 10)
    fleet.store.isAway.value = true
    fleet.pass(8)
    #expect(fleet.openStreams == 1)
    fleet.publish("v2")
    fleet.pass(6)
    #expect(fleet.openStreams == 0 && fleet.streams == 1)
    let polls = fleet.polls
    #expect(polls == (service.pollsFirst ? 1 : 0))
    fleet.pass(90)
    #expect(fleet.members.allSatisfy { $0.count("alone") == 1 } && fleet.all(serve: "v2"))
    #expect(fleet.polls == polls + 10)
    fleet.pass(50)
    #expect(fleet.polls == polls + 10 && fleet.streams == 1)
    fleet.publish("v3")
    fleet.store.isAway.value = false
    fleet.pass(20)
    #expect(fleet.leaders.count == 1 && fleet.openStreams == 1 && fleet.streams == 2)
    #expect(fleet.all(serve: "v3") && fleet.members.allSatisfy { $0.state == .ready })
  }

  @Test(
    "The store away for less than the lease: the stream goes on, and what it brings is written then (failing)",
    arguments: Service.all)
  func storeBackInTime(service: Service) throws {
    let fleet = try StreamingFleet(service, 5)
    fleet.store.isAway.value = true
    fleet.publish("v2")
    fleet.pass(6)
    fleet.store.isAway.value = false
    fleet.pass(6)
    #expect(fleet.streams == 1 && fleet.openStreams == 1 && fleet.all(serve: "v2"))
  }

  @Test("The store has lost what it had: the leader writes it anew, without a request (ready)", arguments: Service.all)
  func emptied(service: Service) throws {
    let fleet = try StreamingFleet(service, 3)
    let (streams, polls) = (fleet.streams, fleet.polls)
    fleet.loseKept()
    fleet.pass(10)
    #expect(fleet.kept.contains("v1") && (fleet.streams, fleet.polls) == (streams, polls))
    let late = try fleet.add()
    fleet.pass(4)
    #expect(late.serves("v1") && late.network.exchanges.isEmpty)
  }

  @Test(
    "A stream that breaks is opened again by the leader alone; the others hear nothing of it (failing)", arguments: Service.all)
  func broken(service: Service) throws {
    let fleet = try StreamingFleet(service, 5)
    let leader = try #require(fleet.leaders.first)
    leader.openStreams.first?.endStream(TransportFailure(.connectionReset, "reset"))
    fleet.time.run()
    #expect(leader.state == .stale && fleet.others(than: leader).allSatisfy { $0.state == .ready })
    fleet.publish("v2")
    fleet.pass(10)
    #expect(leader.leads && leader.openStreams.count == 1 && leader.state == .ready && fleet.all(serve: "v2"))
    #expect(fleet.others(than: leader).allSatisfy { $0.network.exchanges.isEmpty && $0.state == .ready })
  }

  @Test(
    "Unleash, the key is refused: the leader keeps the lead and says STALE, the others serve on (refused)")
  func refusedByUnleash() throws {
    let fleet = try StreamingFleet(.unleash, 5)
    let leader = try #require(fleet.leaders.first)
    fleet.refusal.value = 401
    leader.openStreams.first?.endStream()
    fleet.pass(600)
    #expect(leader.leads && leader.state == .stale && fleet.all(serve: "v1"))
    #expect(fleet.others(than: leader).allSatisfy { $0.state == .ready && $0.network.exchanges.isEmpty })
    fleet.refusal.value = nil
    fleet.publish("v2")
    fleet.pass(700)
    #expect(fleet.all(serve: "v2") && leader.state == .ready && fleet.openStreams == 1)
  }

  @Test(
    "LaunchDarkly, the key is refused: each leads in its turn, asks once and says FATAL; all serve on; a refresh begins anew (refused)"
  )
  func refusedByLaunchDarkly() throws {
    let fleet = try StreamingFleet(.launchDarkly, 4)
    let leader = try #require(fleet.leaders.first)
    fleet.refusal.value = 401
    leader.openStreams.first?.endStream()
    fleet.pass(10)
    #expect(leader.state == .fatal && !leader.leads)
    fleet.pass(30)
    #expect(fleet.members.allSatisfy { $0.state == .fatal && $0.serves("v1") } && fleet.leaders.isEmpty)
    #expect(fleet.streams == 1 + 4 && fleet.polls == 0)
    fleet.refusal.value = nil
    fleet.publish("v2")
    for member in fleet.members { _ = member.client.refresh() }
    fleet.pass(5)
    #expect(fleet.leaders.count == 1 && fleet.openStreams == 1 && fleet.all(serve: "v2"))
    #expect(fleet.members.allSatisfy { $0.state == .ready })
  }

  @Test("A reader neither streams nor polls, and serves what another has streamed (starting, failing)", arguments: Service.all)
  func reader(service: Service) throws {
    let fleet = try StreamingFleet(service, 1, ["fetch.shared": "reader"])
    let reader = try #require(fleet.members.first)
    fleet.pass(20)
    #expect(reader.state == .error)
    try fleet.add()
    fleet.pass(40)
    #expect(reader.serves("v1") && reader.state == .ready)
    fleet.publish("v2")
    fleet.pass(4)
    #expect(reader.serves("v2"))
    fleet.store.isAway.value = true
    fleet.pass(400)
    #expect(reader.network.exchanges.isEmpty && reader.serves("v2") && reader.state == .stale)
  }

  @Test("A forked child leaves the parent's stream alone, and follows (forked)", arguments: Service.all)
  func forked(service: Service) throws {
    let (fleet, time) = (try StreamingFleet(service), ManualScheduler())
    let member = try fleet.add(time: time)
    time.advance(milliseconds: 1000)
    let stream = try #require(member.openStreams.first)
    let asked = member.network.exchanges.count
    time.simulateFork()
    member.client.onScheduler { client in
      client.provider?.abandonAfterFork()
      client.provider?.start()
    }
    for _ in 0..<10 { time.advance(milliseconds: 1000) }
    #expect(!stream.isCancelled && member.network.exchanges.count == asked && !member.leads)
    #expect(member.serves("v1") && member.count("read") ?? 0 > 0)
  }

  @Test("Of two clients of one process one streams (second client)", arguments: Service.all)
  func secondClient(service: Service) throws {
    let fleet = try StreamingFleet(service, 1)
    let first = try #require(fleet.members.first)
    let second = try fleet.add(in: first.process)
    fleet.pass(4)
    #expect(first.leads && second.network.exchanges.isEmpty && second.serves("v1"))
    first.close()
    fleet.pass(4)
    #expect(second.leads && fleet.openStreams == 1)
  }
}
