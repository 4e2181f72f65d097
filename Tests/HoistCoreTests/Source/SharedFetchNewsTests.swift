import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// Looks by time are an hour apart here.
@Suite("What one process has fetched is announced to all that share a store")
struct SharedFetchNewsTests {
  private func fleet(_ count: Int) throws -> (
    fleet: SharingFleet, said: Announcements, leader: FleetMember, others: [FleetMember]
  ) {
    let fleet = SharingFleet(count, tells: true)
    fleet.pass(5)
    let leader = try #require(fleet.leaders.first)
    return (fleet, try #require(fleet.store.announcements), leader, fleet.members.filter { $0 !== leader })
  }

  @Test("Followers take it at once, and a reader too; the leader looks no more often than before (FLT 1; starting, ready)")
  func taken() throws {
    let (fleet, said, leader, _) = try fleet(10)
    _ = fleet.add(isReader: true)
    fleet.pass(2)
    #expect(fleet.all(serve: "v1") && said.keys.value == ["text"] && said.listeners.value.count == 11)
    let looks = fleet.store.looks.value.count
    fleet.text.value = "v2"
    while leader.served.last != "v2" { fleet.pass(1) }
    fleet.pass(1)
    #expect(fleet.all(serve: "v2") && said.keys.value == ["text", "text"])
    // Each for the news, for the fetch that follows, and for a fetch that its interval asks for.
    #expect(fleet.store.looks.value.count - looks <= 30)
    #expect(fleet.requests == leader.requests)
  }

  @Test("What was missed is found when the plug-in says that something may have been, and else by the next look (FLT 1; failing)")
  func missed() throws {
    let (fleet, said, leader, _) = try fleet(5)
    said.isLost.value = true
    fleet.text.value = "v2"
    while leader.served.last != "v2" { fleet.pass(1) }
    fleet.pass(10)
    #expect(!fleet.all(serve: "v2") && leader.host.lines.lines.allSatisfy { !$0.message.contains("nobody hears") })
    said.post(nil)
    fleet.pass(3)
    #expect(fleet.all(serve: "v2"))
    fleet.text.value = "v3"
    fleet.pass(3_700)
    #expect(fleet.all(serve: "v3"))
  }

  @Test("What is announced while a process looks is looked for again (FLT 1; ready)")
  func meanwhile() throws {
    let (fleet, said, _, others) = try fleet(2)
    let (looks, other) = (fleet.store.looks.value.count, try #require(others.first))
    // Two that are handed on one after the other, before the store has answered the first.
    other.source.shared?.storeChanged(nil)
    other.source.shared?.storeChanged(["text"])
    other.source.shared?.storeChanged(["visitor:text"])
    fleet.pass(1)
    #expect(fleet.store.looks.value.count - looks == 2)
    said.post("another")
    fleet.pass(1)
    #expect(fleet.store.looks.value.count - looks == 2)
  }

  @Test(
    "A process that is closed, offline, or in the background does not look; when it is back it does (closed, reopened, offline, background)",
    arguments: [0, 1, 2])
  func away(way: Int) throws {
    let (fleet, said, leader, others) = try fleet(3)
    let one = try #require(others.first)
    switch way {
    case 0: one.source.stop()
    case 1:
      one.host.isOnline = false
      one.source.setOnline(false)
    default: one.source.setForeground(false)
    }
    fleet.text.value = "v2"
    while leader.served.last != "v2" { fleet.pass(1) }
    fleet.pass(2)
    #expect(one.served == ["v1"])
    let looks = fleet.store.looks.value.count
    said.post("text")
    fleet.pass(1)
    #expect(fleet.store.looks.value.count - looks == 1)
    switch way {
    case 0: one.open()
    case 1:
      one.host.isOnline = true
      one.source.setOnline(true)
    default: one.source.setForeground(true)
    }
    fleet.pass(5)
    #expect(one.served == ["v1", "v2"] && said.listeners.value.count == 3)
  }

  @Test("A forked child listens for itself, and what its parent listened with does nothing there (forked)")
  func forked() throws {
    let (fleet, said, leader, _) = try fleet(1)
    let time = ManualScheduler()
    let child = fleet.add(time: time)
    for _ in 0..<5 { time.advance(milliseconds: 1000) }
    #expect(child.served == ["v1"] && said.listeners.value.count == 2)
    let inherited = said.listeners.value.last
    time.simulateFork()
    child.source.abandonAfterFork()
    child.source.start()
    for _ in 0..<5 { time.advance(milliseconds: 1000) }
    #expect(said.listeners.value.count == 3 && said.listeners.value.last !== inherited)
    said.listeners.change { $0.removeAll { $0 === inherited } }
    fleet.text.value = "v2"
    while leader.served.last != "v2" { fleet.pass(1) }
    for _ in 0..<2 { time.advance(milliseconds: 1000) }
    #expect(child.served == ["v1", "v2"])
  }

  @Test("Where it cannot listen that is no failure of the store's, and the next start tries again (failing, offline)")
  func cannotListen() throws {
    let fleet = SharingFleet(tells: true)
    let said = try #require(fleet.store.announcements)
    said.cannotListen.value = true
    let member = fleet.add()
    fleet.pass(5)
    #expect(member.served == ["v1"] && member.host.store.statistics.contains { $0 == ("failures", 0) })
    said.cannotListen.value = false
    member.source.setOnline(false)
    member.source.setOnline(true)
    fleet.pass(1)
    #expect(said.listeners.value.count == 1)
  }

  @Test("A thousand that hear together that something may have been missed do not look together (failing)")
  func herd() throws {
    let (fleet, said, _, _) = try fleet(1_000)
    fleet.store.looks.value = []
    said.post(nil)
    for _ in 0..<40 { fleet.time.advance(milliseconds: 100) }
    let looks = fleet.store.looks.value
    let most = Dictionary(grouping: looks) { $0 / 100 }.values.map(\.count).max() ?? 0
    #expect(looks.count == 1_000 && most <= 50, "\(most)")
  }
}

@Suite("What others announce is gathered, and bounded")
struct CacheNewsTests {
  private final class Heard: Sendable {
    let told = Locked<[[String]?]>([])
  }
  private let time = ManualScheduler()
  private let heard = Heard()

  private func news() -> CacheNews {
    CacheNews(scheduler: time, entropy: SeededEntropy(seed: 7)) { [heard] keys in heard.told.change { $0.append(keys) } }
  }

  @Test("The same key is told once; what comes later is told then (ready)")
  func gathered() {
    let news = news()
    for key in ["a", "b", "a", ""] { news.post(key) }
    time.advance(milliseconds: 250)
    #expect(heard.told.value.map { $0?.sorted() } == [["", "a", "b"]])
    news.post("a")
    time.advance(milliseconds: 250)
    #expect(heard.told.value.count == 2)
    // Texts that Swift calls equal are different keys.
    news.post("\u{e9}")
    news.post("e\u{301}")
    time.advance(milliseconds: 250)
    #expect(heard.told.value.last??.count == 2)
  }

  @Test("A flood of keys, and one that is too long, are \"any\", once in three seconds (ready)")
  func flood() {
    let news = news()
    for number in 0..<10_000 { news.post("key \(number)") }
    news.post(String(repeating: "x", count: 2_000))
    time.advance(milliseconds: 3_000)
    #expect(heard.told.value.map { $0?.count ?? 0 }.sorted() == [0, CacheNews.maximumKeys])
    for _ in 0..<100 {
      news.post(nil)
      time.advance(milliseconds: 300)
    }
    #expect((2 + 10...2 + 40).contains(heard.told.value.count))
  }

  @Test("What comes too late is not told (closed)")
  func over() {
    let news = news()
    news.post("a")
    news.post(nil)
    news.end()
    news.post("b")
    time.advance(milliseconds: 10_000)
    #expect(heard.told.value.isEmpty && news.isOver)
  }
}
