import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistUnleash

/// Back-off by status (UNL-89, protocol D.2; no client).
struct UnleashPaceTests {
  private let entropy = SeededEntropy(seed: 7)

  private func pace(_ interval: Int64 = 1000, limit: Int64 = 300_000, mayRefreshKey: Bool = false) -> UnleashPace {
    UnleashPace(interval: interval, limit: limit, mayRefreshKey: mayRefreshKey)
  }

  private func failure(_ status: Int, _ pace: UnleashPace, retryAfter: Int64? = nil) -> FetchFailure {
    let headers = retryAfter.map { [HTTPHeader("Retry-After", "\($0)")] } ?? []
    return UnleashFailure(what: "it failed", pace: pace, clock: ManualScheduler()).status(
      HTTPResponse(status: status, headers: headers))
  }

  @Test(
    "Each failure of the service makes the wait longer by one interval (UNL-89; no client)",
    arguments: [404, 429, 500, 502, 503, 504])
  func overloadStretchesTheWait(_ code: Int) {
    var pace = pace()
    for failures in 1...10 { #expect(pace.failed(failure(code, pace), entropy) == Int64(failures + 1) * 1000) }
    #expect(pace.failed(failure(code, pace), entropy) == 11_000)
  }

  @Test("Success shortens it again, step by step (UNL-89; no client)")
  func successShortensIt() {
    var pace = pace()
    for _ in 0..<3 { _ = pace.failed(failure(500, pace), entropy) }
    #expect((0..<4).map { _ in pace.succeeded() } == [3000, 2000, 1000, 1000])
  }

  @Test("A longer Retry-After wins (UNL-89; no client)")
  func aLongerRetryAfterWins() {
    var pace = pace()
    #expect(pace.failed(failure(429, pace, retryAfter: 30), entropy) == 30_000)
    #expect(pace.failed(failure(429, pace, retryAfter: 0), entropy) == 3000)
  }

  @Test(
    "D.2: a refused key is tried seldom, but for ever; after one interval where a header provider may bring another",
    arguments: [401, 403])
  func aRefusedKeyIsTriedSeldom(_ code: Int) {
    for (interval, wait) in [(1000, 11_000), (15_000, 165_000), (60_000, 300_000), (3_600_000, 300_000)] as [(Int64, Int64)] {
      var plain = pace(interval)
      let refusal = failure(code, plain)
      #expect((0..<3).map { _ in plain.failed(refusal, entropy) } == [wait, wait, wait])
      #expect(refusal.message.hasSuffix("the next attempt comes in \(wait / 1000) s"))
      var refreshing = pace(interval, mayRefreshKey: true)
      #expect(refreshing.failed(failure(code, refreshing), entropy) == min(interval, 300_000))
    }
  }

  @Test("Other failures keep the interval, and a reset connection halves it (UNL-89; no client)")
  func otherFailures() {
    var slow = pace(8000)
    let failures = UnleashFailure(what: "it failed", pace: slow, clock: ManualScheduler())
    #expect(slow.failed(failure(400, slow), entropy) == 8000 && slow.failed(failures.decoding("x"), entropy) == 8000)
    #expect(slow.failed(failures.transport(TransportFailure(.connectionReset, "reset")), entropy) == 4000)
    #expect(pace(100).resetMilliseconds == 1000)
  }

  @Test("D.2: attempts that fail are never further apart than the limit, whatever the interval; good ones keep theirs")
  func theLimitHolds() {
    var pace = pace(86_400_000)
    let failures = UnleashFailure(what: "it failed", pace: pace, clock: ManualScheduler())
    #expect(pace.failed(failure(503, pace), entropy) == 300_000 && pace.failed(failures.decoding("x"), entropy) == 300_000)
    #expect(pace.succeeded() == 86_400_000)
  }

  @Test("At the interval 0 only failures are followed by further attempts (UNL-13, D.2; no client)")
  func intervalZero() {
    var pace = pace(0)
    #expect(pace.failed(failure(503, pace), entropy) == 30_000 && pace.failed(failure(503, pace), entropy) == 45_000)
    #expect(pace.succeeded() == nil)
  }
}
