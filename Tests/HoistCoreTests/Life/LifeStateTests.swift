import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A client's life: its states, and those who wait for them") struct ClientLifeStateTests {
  let time = ManualScheduler()
  let life: ClientLife

  init() { life = ClientLife(clock: time, isOnline: true) }

  private func topics(_ news: LifeNews) -> [Topic] { news.notifications.map(\.topic) }
  private func levels(_ news: LifeNews) -> [LogLevel] { news.lines.map(\.level) }

  @Test("Starting: flags of an earlier run are STALE until the service has spoken, and READY is told once")
  func storedThenFetched() {
    #expect(life.state == .notReady)
    #expect(topics(life.take(.serving("stored"))) == [.ready, .state])
    #expect(life.state == .stale)
    #expect(topics(life.take(.answered("fetched"))) == [.state])
    #expect(life.state == .ready)
    #expect(topics(life.take(.answered("fetched again"))) == [.updated])
    #expect(topics(life.take(.serving("given"))) == [])
    #expect(life.state == .ready)
  }

  @Test("Failing without flags is ERROR, with flags STALE; each failure is told, an episode is warned of once")
  func failures() {
    let first = life.take(.failed(.network, "no answer"))
    #expect(life.state == .error)
    #expect(topics(first) == [.fetchFailed, .error, .state] && levels(first) == [.warning])
    let second = life.take(.failed(.network, "no answer"))
    #expect(topics(second) == [.fetchFailed, .error] && levels(second) == [.debug])
    time.advance(milliseconds: 90_000)
    let good = life.take(.answered("fetched"))
    #expect(topics(good) == [.recovered, .ready, .state])
    #expect(good.lines.first?.text == "recovered: the service answers again after 90 s")
    #expect(topics(life.take(.failed(.network, "no answer"))) == [.fetchFailed, .error, .state])
    #expect(life.state == .stale)
  }

  @Test("Key refused: FATAL says that attempts have stopped, also while flags are served, until they go on")
  func stopped() {
    _ = life.take(.answered("fetched"))
    let news = life.take(.stopped(.network, "the key is refused"))
    #expect(life.state == .fatal)
    #expect(levels(news) == [.error])
    #expect(
      news.lines.first?.text.hasSuffix("attempts have stopped: refresh, set_online(true) or reopen start them again") == true)
    #expect(life.waitReady(timeoutMilliseconds: 0) == .ok)
    #expect(topics(life.take(.stopped(.network, "the key is refused"))) == [])
    _ = life.take(.resumed)
    #expect(life.state == .stale)
    _ = life.take(.refused(.network, "the key is refused"))
    #expect(life.state == .stale)
  }

  @Test("Events refused for good: FATAL, whatever is fetched meanwhile, until attempts go on")
  func stoppedSending() {
    _ = life.take(.answered("fetched"))
    let news = life.take(.stoppedSending("the service refuses events"))
    #expect(life.state == .fatal && topics(news) == [.state] && levels(news) == [.error])
    #expect(
      news.lines.first?.text.hasSuffix("attempts have stopped: refresh, set_online(true) or reopen start them again") == true)
    #expect(topics(life.take(.answered("fetched"))) == [.updated] && life.state == .fatal)
    #expect(levels(life.take(.stoppedSending("the service refuses events"))) == [])
    _ = life.take(.resumed)
    #expect(life.state == .ready)
  }

  @Test("Offline with flags is STALE, whatever the service said last, and back online what it was")
  func offline() {
    _ = life.take(.answered("fetched"))
    #expect(topics(life.setOnline(false)) == [.state])
    #expect(life.state == .stale && !life.isOnline)
    #expect(topics(life.setOnline(true)) == [.state])
    #expect(life.state == .ready && life.isOnline)
  }

  @Test("Panic: every read is a fallback, so that nobody waits in vain")
  func suspended() {
    _ = life.take(.answered("fetched"))
    _ = life.take(.suspended("panic"))
    #expect(life.state == .error)
    #expect(life.waitReady(timeoutMilliseconds: 0) == .timeout)
    _ = life.take(.failed(.network, "no answer"))
    #expect(life.state == .error)
    _ = life.take(.answered("no panic"))
    #expect(life.state == .ready)
    #expect(life.waitReady(timeoutMilliseconds: 0) == .ok)
  }

  @Test("A change of the context is RECONCILING until its end, and told once: as soon as its flags are served")
  func contextChange() {
    _ = life.take(.answered("fetched"))
    life.beginContextChange()
    #expect(life.state == .ready)
    #expect(topics(life.awaitContext()) == [.state])
    #expect(life.state == .reconciling)
    #expect(topics(life.take(.contextServed)) == [], "said of the former context: the new one is not taken up")
    life.takeUpContextChange()
    #expect(topics(life.take(.contextServed)) == [.contextChanged])
    #expect(topics(life.endContextChange(.ok)) == [.state])
    #expect(life.state == .ready)
  }

  @Test("A change that is done at once is never RECONCILING; a failed one is told to nobody")
  func contextChangeAtOnce() {
    _ = life.take(.answered("fetched"))
    life.beginContextChange()
    #expect(topics(life.endContextChange(.ok)) == [.contextChanged])
    #expect(topics(life.awaitContext()) == [])
    life.beginContextChange()
    _ = life.awaitContext()
    _ = life.take(.failed(.network, "no answer"))
    #expect(life.state == .reconciling)
    #expect(topics(life.endContextChange(.network)) == [.state])
    #expect(life.state == .stale)
  }

  @Test("Flags of the former context that come meanwhile are not the new one's; those that come after a failed change are")
  func answersAroundAContextChange() {
    _ = life.take(.answered("fetched"))
    life.beginContextChange()
    #expect(topics(life.take(.answered("of the former context"))) == [.updated])
    life.takeUpContextChange()
    #expect(topics(life.take(.answered("of the former context"))) == [.updated])
    #expect(topics(life.endContextChange(.network)) == [])
    #expect(topics(life.take(.answered("of the new context"))) == [.updated, .contextChanged])
    #expect(topics(life.take(.answered("fetched"))) == [.updated])
  }

  @Test("The context of a change that failed is served when its flags come: an equal one then changes nothing")
  func flagsAfterAFailedChange() {
    _ = life.take(.answered("fetched"))
    life.beginContextChange()
    life.takeUpContextChange()
    _ = life.endContextChange(.network)
    #expect(!life.isContextSettled)
    _ = life.take(.answered("of the new context"))
    #expect(life.isContextSettled)
  }

  @Test("Forked while the context changes: the child has the new context, and not its flags yet")
  func forkedDuringAContextChange() {
    _ = life.take(.answered("fetched"))
    life.beginContextChange()
    life.takeUpContextChange()
    life.abandonAfterFork()
    #expect(!life.isContextSettled)
    #expect(topics(life.take(.answered("of the new context"))) == [.updated, .contextChanged])
    #expect(life.isContextSettled)
    life.abandonAfterFork()
    #expect(life.isContextSettled)
  }

  @Test("Forked while the parent closes: for the child the client has closed, and it may open it again")
  func forkedWhileItCloses() {
    let (ending, isFirst) = life.close()
    #expect(isFirst && !life.reopen())
    life.abandonAfterFork()
    #expect(ending.wait(untilNanoseconds: 0) == .ok && life.state == .closed)
    #expect(!life.close().isFirst)
    #expect(life.reopen() && life.state == .notReady)
  }

  @Test("Dropped flags end readiness: who waits sees what a read would see")
  func emptied() {
    _ = life.take(.serving("stored"))
    #expect(life.waitReady(timeoutMilliseconds: 0) == .ok)
    _ = life.take(.emptied("another context"))
    #expect(life.waitReady(timeoutMilliseconds: 0) == .timeout)
    #expect(life.state == .notReady)
  }

  @Test("A good word that does not hold any more: STALE with flags, until the service confirms them")
  func unconfirmed() {
    _ = life.take(.answered("a"))
    _ = life.take(.unconfirmed("background"))
    #expect(life.state == .stale && life.waitReady(timeoutMilliseconds: 0) == .ok)
    _ = life.take(.failed(.network, "f"))
    _ = life.take(.unconfirmed("background"))
    #expect(life.state == .stale)
    _ = life.take(.answered("a"))
    #expect(life.state == .ready)
    _ = life.take(.stopped(.network, "s"))
    _ = life.take(.unconfirmed("background"))
    #expect(life.state == .fatal)
  }

  @Test("Forked: a change of the context that was under way is the parent's")
  func forkedChange() {
    _ = life.take(.answered("a"))
    life.beginContextChange()
    _ = life.awaitContext()
    #expect(life.state == .reconciling)
    life.abandonAfterFork()
    #expect(life.state == .ready && !life.isContextSettled, "the child has the context, and not its flags")
  }

  @Test("The log says what was opened and found, and why flags are served for the first time")
  func lines() {
    let life = ClientLife(clock: time, isOnline: true, service: "unleash, backend")
    #expect(life.take(.initialized).lines.map(\.text) == ["opened: unleash, backend: store and bootstrap hold no flags"])
    #expect(life.take(.initialized).lines.isEmpty)
    #expect(life.take(.answered("flags have come")).readiness == "flags have come")
    #expect(life.take(.answered("flags have come")).readiness == nil)
    let second = ClientLife(clock: time, isOnline: true)
    #expect(second.take(.serving("flags from the store are served")).readiness != nil)
    #expect(second.take(.initialized).lines.map(\.text) == ["opened: : flags from the store are served"])
  }

  @Test("INITIALIZED is told once per start")
  func initialized() {
    #expect(topics(life.take(.initialized)) == [.initialized])
    #expect(topics(life.take(.initialized)) == [])
    _ = life.close()
    life.close().ending.give(.ok)
    #expect(life.reopen())
    #expect(!life.wasInitialized)
    #expect(topics(life.take(.initialized)) == [.initialized])
  }

  @Test(
    "Closed: the client stays closed whatever its provider says",
    arguments: [
      LifeReport.initialized, .serving("s"), .ready("r"), .answered("a"), .failed(.network, "f"), .stopped(.network, "s"),
    ])
  func closed(late: LifeReport) {
    #expect(life.close().isFirst)
    let news = life.take(late)
    #expect(news.notifications.isEmpty && news.lines.isEmpty)
    #expect(life.state == .closed)
  }

  @Test func itReopensOnlyWhenClosingIsOver() {
    #expect(!life.reopen())
    _ = life.take(.answered("fetched"))
    let (ending, isFirst) = life.close()
    #expect(isFirst && !life.reopen())
    let again = life.close()
    #expect(!again.isFirst && again.ending === ending)
    ending.give(.ok)
    #expect(life.reopen() && life.state == .notReady && !life.wasReady)
    #expect(!life.reopen())
    #expect(life.close().isFirst)
  }

  @Test(arguments: [(LifeReport.serving("s"), Status.ok), (.answered("a"), .ok), (.stopped(.network, "s"), .network)])
  func aReportWakesThoseWhoWait(report: LifeReport, expected: Status) {
    let (life, results) = (life, Record<Status>())
    let waiting = startThread { results.append(life.waitReady(timeoutMilliseconds: -1)) }
    _ = life.take(.failed(.network, "no answer"))
    _ = life.take(report)
    waiting.join()
    #expect(results.all == [expected])
  }

  @Test func closeWakesThoseWhoWait() {
    let (life, results) = (life, Record<Status>())
    let waiting = startThread { results.append(life.waitReady(timeoutMilliseconds: .max)) }
    _ = life.close()
    waiting.join()
    #expect(results.all == [.cancelled])
  }

  @Test func deadlinesDoNotOverflow() {
    #expect(Deadline.nanoseconds(afterMilliseconds: -1) == .max)
    #expect(Deadline.nanoseconds(afterMilliseconds: .max) == .max)
    #expect(Deadline.nanoseconds(afterMilliseconds: .max / 1_000_000) == .max)
    #expect(Deadline.nanoseconds(afterMilliseconds: .min) == .max)
    let now = SystemClock().monotonicNanoseconds
    #expect(Deadline.nanoseconds(afterMilliseconds: 1_000) >= now + 1_000_000_000)
  }
}
