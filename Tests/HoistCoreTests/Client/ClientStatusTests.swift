import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("A client's status") struct ClientStatusTests {
  let status = ClientStatus(clock: SystemClock(), isOnline: true)

  @Test func onlyAChangeIsAChangeAndReadyIsFirstOnce() {
    #expect(status.state == .notReady && !status.wasReady)
    #expect(status.set(.stale) == (true, false))
    #expect(status.set(.stale) == (false, false))
    #expect(status.set(.ready) == (true, true))
    #expect(status.set(.error) == (true, false))
    #expect(status.set(.ready) == (true, false))
    #expect(status.wasReady)
  }

  @Test(arguments: [ClientState.notReady, .ready, .stale, .error, .fatal, .reconciling])
  func aClosedClientStaysClosedWhateverItsProviderSays(late: ClientState) {
    #expect(status.close().isFirst)
    #expect(status.set(late) == (false, false))
    #expect(status.state == .closed)
  }

  @Test func itReopensOnlyWhenClosingIsOver() {
    #expect(!status.reopen())
    let (ending, isFirst) = status.close()
    #expect(isFirst && !status.reopen())
    let again = status.close()
    #expect(!again.isFirst && again.ending === ending)
    ending.give(.ok)
    #expect(status.reopen() && status.state == .notReady)
    #expect(!status.reopen())
    #expect(status.close().isFirst)
  }

  @Test func onlineIsRemembered() {
    #expect(status.isOnline)
    status.setOnline(false)
    #expect(!status.isOnline)
  }

  @Test(
    "Waiting ends at once where the outcome is known",
    arguments: [
      (ClientState.ready, Status.ok), (.stale, .ok), (.reconciling, .ok), (.fatal, .network), (.error, .timeout),
      (.notReady, .timeout),
    ])
  func outcomes(state: ClientState, expected: Status) {
    _ = status.set(state)
    #expect(status.waitReady(timeoutMilliseconds: 0) == expected)
  }

  @Test(arguments: [(ClientState.ready, Status.ok), (.fatal, .network)])
  func aChangeWakesThoseWhoWait(state: ClientState, expected: Status) {
    let (status, results) = (status, Record<Status>())
    let waiting = startThread { results.append(status.waitReady(timeoutMilliseconds: -1)) }
    _ = status.set(.error)
    _ = status.set(state)
    waiting.join()
    #expect(results.all == [expected])
  }

  @Test func closeWakesThoseWhoWait() {
    let (status, results) = (status, Record<Status>())
    let waiting = startThread { results.append(status.waitReady(timeoutMilliseconds: .max)) }
    _ = status.close()
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
