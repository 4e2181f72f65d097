import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Events that are left in a shared store for another process to send") struct HandingOverTests {
  let manager = ObstinateManager()

  private func producer(seed: UInt64 = 1, _ change: (inout EventPipeline.Options) -> Void = { _ in }) -> PipelineBench {
    var storing = Store.Options()
    storing.forwards = true
    let bench = PipelineBench(manager: manager, seed: seed, storing: storing, change: change)
    bench.start()
    return bench
  }

  private func forwarder(seed: UInt64 = 50, room: Int = 10_000) -> PipelineBench {
    var storing = Store.Options()
    storing.claimMilliseconds = 500
    let bench = PipelineBench(manager: manager, seed: seed, storing: storing) {
      $0.flushIntervalMilliseconds = 1_000
      $0.maximumRows = room
    }
    bench.start()
    return bench
  }

  @Test("They leave the process when the store has them, and another sends them once (G8; ready, second process)") func ready() {
    let producer = producer()
    producer.record("a", "b")
    producer.advance(200)
    #expect(producer.counters.forwarded == 2 && producer.counters.waiting == 0 && producer.sent.isEmpty)
    #expect(producer.policy.deliveries.all == ["a,b"])
    let forwarder = forwarder()
    forwarder.answerAll(for: 3_000) { _ in 200 }
    #expect(forwarder.sent == ["a,b"] && forwarder.counters.adopted == 2)
    #expect(manager.left == 0)
  }

  @Test("A flush has them stored at once, and says that all is accepted then (G8; ready)") func flush() {
    let producer = producer()
    producer.record("a")
    #expect(producer.flushed() == .accepted)
    #expect(producer.counters.forwarded == 1 && producer.sent.isEmpty)
  }

  @Test("With each durability they are stored (G8; ready)", arguments: [EventPipeline.Durability.memory, .periodic, .immediate])
  func durability(_ durability: EventPipeline.Durability) {
    let producer = producer { $0.durability = durability }
    producer.record("a")
    producer.advance(200)
    #expect(producer.counters.forwarded == 1 && manager.left == 1)
  }

  @Test("More than one call of the store takes goes on without an interval (full batch)") func many() {
    let producer = producer()
    for number in 0..<2_500 { producer.record("\(number)") }
    producer.advance(200)
    #expect(producer.counters.forwarded == 2_500 && producer.counters.waiting == 0)
  }

  @Test("What waits for consent stays this process's own until it may go (G8; before consent)") func consent() {
    let producer = producer()
    let mayGo = Record<Bool>()
    producer.policy.admitted = { _ in mayGo.all.last == true }
    producer.record("a", subject: "anna")
    producer.advance(70_000)
    let forwarder = forwarder()
    forwarder.advance(3_000)
    #expect(forwarder.counters.adopted == 0 && producer.counters.waiting == 1)
    mayGo.append(true)
    producer.pipeline.reconsider()
    producer.settle()
    forwarder.answerAll(for: 3_000) { _ in 200 }
    #expect(forwarder.sent == ["a"] && producer.counters.forwarded == 1)
  }

  @Test("A purge reaches what was left to another (G8; second process)") func purge() {
    let producer = producer()
    producer.record("a", "b", subject: "anna")
    producer.record("c")
    producer.advance(200)
    producer.pipeline.purge(subject: "anna")
    producer.settle()
    #expect(producer.counters.forwarded == 3)
    let forwarder = forwarder()
    forwarder.answerAll(for: 3_000) { _ in 200 }
    #expect(forwarder.sent == ["c"])
  }

  @Test("Held ones stay, and leave when the hold is lifted (offline, background)") func held() {
    let producer = producer()
    producer.pipeline.hold(.offline)
    producer.record("a")
    producer.advance(200)
    #expect(producer.counters.waiting == 1 && producer.counters.forwarded == 0)
    #expect(producer.flushed() == .held)
    producer.pipeline.lift(.offline)
    producer.settle()
    #expect(producer.counters.forwarded == 1)
  }

  @Test("Without the store they wait, within the capacity, and leave once when it is back (store away, full)") func away() {
    let producer = producer { $0.maximumRows = 2 }
    manager.fail(CacheFailure("away"))
    producer.record("a", "b", "c")
    producer.advance(200)
    #expect(producer.flushed() == .left)
    #expect(producer.counters.waiting == 2 && producer.counters.dropped == 1)
    manager.fail(nil)
    producer.advance(70_000)
    #expect(producer.counters.forwarded == 2 && producer.counters.waiting == 0 && manager.left == 2)
  }

  @Test("A lost answer makes no second one: what another has sent meanwhile is not put again (store away)") func lostAnswer() {
    let producer = producer()
    manager.loseAnswers(true)
    producer.record("a")
    producer.advance(200)
    #expect(producer.counters.waiting == 1)
    let forwarder = forwarder()
    forwarder.answerAll(for: 3_000) { _ in 200 }
    manager.loseAnswers(false)
    producer.advance(70_000)
    #expect(producer.counters.forwarded == 1 && producer.counters.waiting == 0)
    forwarder.answerAll(for: 3_000) { _ in 200 }
    #expect(forwarder.sent == ["a"] && manager.left == 0)
  }

  @Test("What is still counted is left when it is complete (ready)") func live() {
    let producer = producer { $0.flushIntervalMilliseconds = 5_000 }
    producer.policy.beforeFlush = { $0.sealLive("bucket") }
    producer.scheduler.post { producer.pipeline.updateLive("bucket", Array("7".utf8)) }
    producer.advance(1_000)
    #expect(producer.counters.forwarded == 0)
    producer.advance(5_000)
    #expect(producer.counters.forwarded == 1 && producer.counters.waiting == 0 && manager.left == 1)
  }

  @Test("They do not take over what others have left; a stop leaves theirs in the store (closed)") func closed() {
    let producer = producer()
    producer.policy.admitted = { _ in false }
    producer.record("a")
    producer.advance(200)
    producer.scheduler.post { producer.pipeline.stop() }
    producer.settle()
    #expect(producer.store.close(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 5_000)))
    let other = self.producer(seed: 9)
    other.advance(120_000)
    #expect(other.counters.adopted == 0 && manager.left == 1)
  }

  @Test("A forked child leaves what it records itself, and nothing of its parent's (G9; forked child)") func forked() {
    let producer = producer()
    producer.record("parent")
    producer.scheduler.simulateFork()
    producer.start()
    producer.record("child")
    producer.advance(200)
    #expect(producer.counters.forwarded == 1 && producer.policy.deliveries.all == ["child"])
  }

  @Test("Several that send share the work: each takes what it has room for, and more when that is sent (full, second process)")
  func sharing() {
    let producer = producer()
    for number in 0..<10 { producer.record("\(number)") }
    producer.advance(200)
    let (first, second) = (forwarder(room: 4), forwarder(seed: 70, room: 4))
    for bench in [first, second] { bench.advance(1_000) }
    #expect(first.counters.adopted == 4 && second.counters.adopted == 4)
    #expect(first.counters.oldestMilliseconds > 0)
    first.answerAll(for: 3_000) { _ in 200 }
    second.answerAll(for: 3_000) { _ in 200 }
    #expect(first.counters.delivered + second.counters.delivered == 10)
    #expect(first.counters.oldestMilliseconds == 0)
  }

  @Test("One that closes sends what it has taken, and takes nothing more, whatever others record meanwhile (closing)")
  func closing() {
    let producer = producer()
    for number in 0..<10 { producer.record("\(number)") }
    producer.advance(200)
    let forwarder = forwarder(room: 4)
    forwarder.advance(1_000)
    forwarder.store.takeNoMore()
    producer.record("more")
    producer.advance(200)
    let answers = Record<FlushResult>()
    forwarder.pipeline.flush { answers.append($0) }
    forwarder.answerAll(for: 200_000) { _ in 200 }
    #expect(answers.all == [.accepted])
    #expect(forwarder.counters.adopted == 4 && forwarder.counters.delivered == 4)
    forwarder.store.reopen()
    forwarder.start()
    forwarder.answerAll(for: 3_000) { _ in 200 }
    #expect(forwarder.counters.delivered == 11)
  }

  @Test("Reopened, a client leaves what it records as before (reopened)") func reopened() throws {
    var plugins = Plugins()
    plugins.cacheManager = manager
    let fixture = try ClientFixture([("events.delivery", "forward"), ("dispatch", "manual")], plugins: plugins)
    let host = try #require(fixture.provider.host)
    let pipeline = EventPipeline(EventPipeline.Options(name: "events"), policy: PlainPolicy(), host: host)
    try fixture.serve()
    func leaves(_ text: String, _ count: Int) -> Bool {
      pipeline.record(text, subject: "", unixMilliseconds: 0)
      fixture.scheduler.advance(milliseconds: 200)
      return fixture.scheduler.run { pipeline.counters.forwarded == count }
    }
    fixture.scheduler.post { pipeline.start() }
    #expect(leaves("open", 1))
    fixture.scheduler.post { pipeline.stop() }
    #expect(fixture.close() == .ok && fixture.client.reopen() == .ok)
    fixture.scheduler.post { pipeline.start() }
    #expect(leaves("reopened", 2))
    #expect(manager.left == 2)
  }

  @Test("On a full disk they wait here, are told as unsaved, and leave when there is room (full disk, immediate)") func fullDisk()
  {
    let producer = producer { $0.durability = .immediate }
    manager.fail(writes: CacheFailure("disk full"))
    let outcomes = Record<EventPipeline.Outcome>()
    _ = hostThread { outcomes.append(producer.pipeline.record("a", subject: "", unixMilliseconds: 0)) }
    #expect(producer.scheduler.run { !outcomes.all.isEmpty })
    #expect(outcomes.all == [.unsaved] && producer.counters.waiting == 1 && producer.counters.forwarded == 0)
    manager.fail(writes: nil)
    producer.advance(70_000)
    #expect(producer.counters.forwarded == 1 && producer.counters.waiting == 0 && manager.left == 1)
  }

  @Test(
    "A store that no other process reaches is refused (configuring)", arguments: [("memory", "\"memory\""), ("none", "\"none\"")])
  func refusedStores(kind: String, said: String) {
    let failure = #expect(throws: ConfigurationFailure.self) {
      try ClientFixture([("events.delivery", "forward"), ("store", kind)])
    }
    #expect(failure?.message.contains("needs a store that another process reaches; property \"store\" is \(said)") == true)
  }

  @Test("A cache plug-in that cannot give rows back is refused, one that can is not (configuring)") func refusedPlugins() throws {
    var plugins = Plugins()
    plugins.cacheManager = GatedManager()
    let failure = #expect(throws: ConfigurationFailure.self) {
      try ClientFixture([("events.delivery", "forward")], plugins: plugins)
    }
    #expect(failure?.message.contains("has no \"put_events\" and \"give_back_events\"") == true)
    plugins.cacheManager = manager
    let fixture = try ClientFixture([("events.delivery", "forward"), ("events.claim_ms", "500")], plugins: plugins)
    #expect(fixture.client.store.options.forwards && fixture.client.store.options.claimMilliseconds == 500)
  }

  @Test("Who observes refusals hears which events they are, of which queue, and why (G8; ready)") func refusal() {
    let bench = PipelineBench(manager: manager)
    bench.start()
    let recorded = bench.clock.unixMilliseconds
    bench.record("bad")
    bench.advance(31_000)
    bench.answer(400)
    let told = bench.notes.all.first { $0.topic == .sendFailed && $0.status == .rejected }
    #expect(told?.keys.count == 1)
    #expect(
      String(decoding: told?.json ?? [], as: UTF8.self)
        == #"{"queue":"events","reason":"the service answered 400","recorded_at_unix_ms":[\#(recorded)],"body_size":3,"body":"bad"}"#
    )
  }
}
