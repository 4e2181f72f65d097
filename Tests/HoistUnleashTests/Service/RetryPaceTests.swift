import HoistCore
import Testing

@testable import HoistUnleash

/// Back-off by status: UNL-89, protocol D.2.
struct RetryPaceTests {
  private func status(_ status: Int, retryAfter: Int64? = nil) -> FetchFailure {
    .network(status: status, retryAfterMilliseconds: retryAfter)
  }

  @Test(arguments: [404, 429, 500, 502, 503, 504])
  func overloadStretchesTheWaitByOneIntervalEachTime(_ code: Int) {
    var pace = RetryPace(intervalMilliseconds: 1000)
    for failures in 1...10 {
      #expect(pace.failed(status(code), mayRefreshKey: false) == .after(milliseconds: Int64(failures + 1) * 1000))
    }
    #expect(pace.failed(status(code), mayRefreshKey: false) == .after(milliseconds: 11_000))
  }

  @Test func successShortensItAgainStepByStep() {
    var pace = RetryPace(intervalMilliseconds: 1000)
    for _ in 0..<3 { _ = pace.failed(status(500), mayRefreshKey: false) }
    #expect(pace.succeeded() == .after(milliseconds: 3000))
    #expect(pace.succeeded() == .after(milliseconds: 2000))
    #expect(pace.succeeded() == .after(milliseconds: 1000))
    #expect(pace.succeeded() == .after(milliseconds: 1000))
  }

  @Test func aLongerRetryAfterWins() {
    var pace = RetryPace(intervalMilliseconds: 1000)
    #expect(pace.failed(status(429, retryAfter: 30_000), mayRefreshKey: false) == .after(milliseconds: 30_000))
    #expect(pace.failed(status(429, retryAfter: 1), mayRefreshKey: false) == .after(milliseconds: 3000))
  }

  @Test(arguments: [401, 403])
  func aRefusedKeyStopsUnlessAProviderMayBringAnother(_ code: Int) {
    var pace = RetryPace(intervalMilliseconds: 1000)
    #expect(pace.failed(status(code), mayRefreshKey: false) == .stop)
    #expect(pace.failed(status(code), mayRefreshKey: true) == .after(milliseconds: 11_000))
  }

  @Test func otherFailuresKeepTheIntervalAndAResetHalvesIt() {
    var pace = RetryPace(intervalMilliseconds: 8000)
    #expect(pace.failed(status(400), mayRefreshKey: false) == .after(milliseconds: 8000))
    #expect(pace.failed(.decoding("x"), mayRefreshKey: false) == .after(milliseconds: 8000))
    let reset = FetchFailure.noResponse(TransportFailure(.connectionReset, "reset"))
    #expect(pace.failed(reset, mayRefreshKey: false) == .after(milliseconds: 4000))
    var quick = RetryPace(intervalMilliseconds: 100)
    #expect(quick.failed(reset, mayRefreshKey: false) == .after(milliseconds: 1000))
  }
}
