import HoistBase
import HoistCore
import HoistTestSupport
import Testing

/// The test support is code that other tests lean on: it has tests of its own.
@Suite struct ManualSchedulerTests {
  private final class Trace: @unchecked Sendable {
    private let lock = Lock()
    private var kept: [String] = []
    func add(_ word: String) { lock.withLock { kept.append(word) } }
    var words: [String] { lock.withLock { kept } }
  }

  @Test func workRunsInTheOrderOfTimeThenOfScheduling() {
    let scheduler = ManualScheduler()
    let trace = Trace()
    _ = scheduler.schedule(afterMilliseconds: 20) { trace.add("20") }
    _ = scheduler.schedule(afterMilliseconds: 10) { trace.add("10 first") }
    _ = scheduler.schedule(afterMilliseconds: 10) {
      trace.add("10 second")
      scheduler.post { trace.add("posted at 10") }
    }
    scheduler.post { trace.add("posted") }
    #expect(trace.words.isEmpty)
    scheduler.advance(milliseconds: 15)
    #expect(trace.words == ["posted", "10 first", "10 second", "posted at 10"])
    #expect(scheduler.millisecondsUntilNextTimer == 5)
    scheduler.advance(milliseconds: 5)
    #expect(trace.words.last == "20")
  }

  @Test func aCancelledTimerDoesNotRunAndBothClocksMove() {
    let scheduler = ManualScheduler(unixMilliseconds: 5_000)
    let trace = Trace()
    let timer = scheduler.schedule(afterMilliseconds: 1) { trace.add("ran") }
    timer.cancel()
    let before = scheduler.monotonicNanoseconds
    scheduler.advance(milliseconds: 1_000)
    #expect(trace.words.isEmpty)
    #expect(scheduler.monotonicNanoseconds - before == 1_000_000_000)
    #expect(scheduler.unixMilliseconds == 6_000)
    scheduler.leapWallClock(byMilliseconds: -10_000)
    #expect(scheduler.unixMilliseconds == -4_000)
  }

  @Test func aForkLeavesNothingBehind() {
    let scheduler = ManualScheduler()
    let transport = ScriptedTransport(scheduler: scheduler)
    let trace = Trace()
    scheduler.post { trace.add("posted") }
    _ = scheduler.schedule(afterMilliseconds: 1) { trace.add("timer") }
    let exchange = transport.send(HTTPRequest(method: "GET", url: "http://a/")) { _ in trace.add("answer") }
    scheduler.simulateFork()
    transport.exchanges[0].complete(.success(HTTPResponse(status: 200)))
    exchange.cancel()
    scheduler.advance(milliseconds: 10)
    #expect(trace.words.isEmpty)
    #expect(scheduler.generation == 1)
  }

  @Test func scriptedExchangesAnswerOnceUnlessUnduly() {
    let scheduler = ManualScheduler()
    let transport = ScriptedTransport(scheduler: scheduler) { request in
      request.method == "GET" ? .success(HTTPResponse(status: 204)) : nil
    }
    transport.enqueue(.success(HTTPResponse(status: 500)))
    let trace = Trace()
    let send: (String) -> any Cancellable = { method in
      transport.send(HTTPRequest(method: method, url: "http://a/")) { answer in
        switch answer {
        case .success(let response): trace.add("\(method) \(response.status)")
        case .failure(let failure): trace.add("\(method) \(failure.kind)")
        }
      }
    }
    _ = send("GET")
    _ = send("GET")
    let post = send("POST")
    scheduler.run()
    #expect(trace.words == ["GET 500", "GET 204"])
    #expect(transport.open.count == 1)
    post.cancel()
    transport.exchanges[2].complete(.success(HTTPResponse(status: 200)))
    scheduler.run()
    #expect(trace.words == ["GET 500", "GET 204", "POST cancelled"])
    transport.exchanges[2].completeUnduly(.success(HTTPResponse(status: 201)))
    scheduler.run()
    #expect(trace.words.last == "POST 201")
  }
}
