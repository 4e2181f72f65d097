import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// A service whose answers mean what their status says.
private final class Service: FetchDelegate, @unchecked Sendable {
  var hasFlags = false
  var meaning: (FetchAnswer) -> FetchVerdict = { answer in
    switch answer.result {
    case .success(let response) where response.status == 200: .ended(.updated)
    case .success(let response) where response.status == 304: .ended(.unchanged)
    case .success(let response) where response.status == 401: .ended(.failed(FetchFailure(.network, "refused", next: .stop)))
    case .success(let response) where response.status == 403: .ended(.failed(FetchFailure(.network, "refused", next: .slow)))
    case .success(let response): .ended(.failed(FetchFailure(.network, "\(response.status)")))
    case .failure(let failure): .ended(.failed(FetchFailure(.network, failure.message)))
    }
  }
  private(set) var ends: [FetchOutcome] = []

  func fetchRequest(of loop: FetchLoop) -> HTTPRequest? { HTTPRequest(method: "GET", url: "http://localhost/flags") }
  func fetchAnswered(_ answer: FetchAnswer, of loop: FetchLoop, conclude: @escaping @Sendable (FetchVerdict) -> Void) {
    conclude(meaning(answer))
  }
  func fetchEnded(_ outcome: FetchOutcome, of loop: FetchLoop) { ends.append(outcome) }
}

@Suite("A fetch loop: one exchange at a time, a pace that follows failures, late answers that do no harm")
struct FetchLoopTests {
  private let host = TestHost()
  private let service = Service()

  private func loop(
    interval: Int64 = 60_000, limit: Int64 = 300_000, timing: FetchLoop.Timing = .fromEnd
  ) -> FetchLoop {
    let loop = FetchLoop(
      host: host, pace: RegularPace(interval: interval, limit: limit), options: .init(timing: timing, headerProvider: nil))
    loop.delegate = service
    return loop
  }

  private func answerOpen(_ status: Int) {
    host.time.run()
    host.network.open.first?.complete(answer(status))
    host.time.run()
  }

  private var asked: Int {
    host.time.run()
    return host.network.requests.count
  }

  @Test("Ready: the next fetch comes one interval after the end of the one before")
  func interval() {
    let loop = loop()
    loop.start()
    host.time.advance(milliseconds: 5_000)
    answerOpen(200)
    host.time.advance(milliseconds: 59_999)
    #expect(asked == 1)
    host.time.advance(milliseconds: 1)
    #expect(asked == 2)
    #expect(service.ends == [.updated])
  }

  @Test("Ready, less the whole seconds: what a fetch took belongs to the interval")
  func lessWholeSeconds() {
    let loop = loop(timing: .lessWholeSeconds)
    loop.start()
    host.time.advance(milliseconds: 5_700)
    answerOpen(200)
    host.time.advance(milliseconds: 54_999)
    #expect(asked == 1)
    host.time.advance(milliseconds: 1)
    #expect(asked == 2)
  }

  @Test("Ready, at a fixed rate: a fetch that outlasts its turn leaves turns out, and the rate stays")
  func fixedRate() {
    let loop = loop(timing: .fixedRate)
    loop.start()
    host.time.advance(milliseconds: 130_000)
    answerOpen(200)
    host.time.advance(milliseconds: 49_999)
    #expect(asked == 1)
    host.time.advance(milliseconds: 1)
    #expect(asked == 2)
  }

  @Test("Failing without flags: attempts come soon, ever more rarely up to the interval, and never end")
  func failingWithoutFlags() {
    let loop = loop(interval: 3_600_000)
    loop.start()
    var pauses: [Int64] = []
    for _ in 0..<12 {
      let begun = host.time.monotonicNanoseconds
      let before = asked
      answerOpen(503)
      while asked == before { host.time.advance(milliseconds: 100) }
      pauses.append((host.time.monotonicNanoseconds - begun) / 1_000_000)
    }
    #expect(pauses[0] <= 3_000)
    #expect(pauses.allSatisfy { $0 <= 300_000 })
    #expect((pauses.last ?? 0) >= 150_000)
  }

  @Test("Failing with flags: the interval stays, but no longer than the limit")
  func failingWithFlags() {
    service.hasFlags = true
    for (interval, next) in [(60_000 as Int64, 60_000 as Int64), (3_600_000, 300_000)] {
      let loop = loop(interval: interval)
      loop.start()
      answerOpen(503)
      let before = asked
      host.time.advance(milliseconds: next - 1)
      #expect(asked == before)
      host.time.advance(milliseconds: 1)
      #expect(asked == before + 1)
      loop.stop()
    }
  }

  @Test("An interval of 0 fetches once, but a failure is followed by further attempts")
  func once() {
    let loop = loop(interval: 0)
    loop.start()
    answerOpen(500)
    host.time.advance(milliseconds: 3_000)
    #expect(asked == 2)
    answerOpen(200)
    host.time.advance(milliseconds: 86_400_000)
    #expect(asked == 2)
  }

  @Test("Key refused for good: no attempt until one is asked for; refused for a while: the slowest pace")
  func refused() {
    let loop = loop()
    loop.start()
    answerOpen(401)
    #expect(loop.hasStopped)
    host.time.advance(milliseconds: 86_400_000)
    #expect(asked == 1)
    loop.fetch()
    host.time.run()
    #expect(asked == 2 && !loop.hasStopped)
    answerOpen(403)
    host.time.advance(milliseconds: 299_999)
    #expect(asked == 2)
    host.time.advance(milliseconds: 1)
    #expect(asked == 3)
  }

  @Test("What the service asks for (Retry-After) lengthens the pause")
  func retryAfter() {
    service.meaning = { _ in .ended(.failed(FetchFailure(.network, "429", retryAfterMilliseconds: 90_000))) }
    let loop = loop()
    loop.start()
    answerOpen(429)
    host.time.advance(milliseconds: 89_999)
    #expect(asked == 1)
    host.time.advance(milliseconds: 1)
    #expect(asked == 2)
  }

  @Test("Who says that there is something new does not shorten the pause that the service has asked for (Retry-After)")
  func newsDuringAnAskedPause() {
    service.meaning = { _ in .ended(.failed(FetchFailure(.network, "429", retryAfterMilliseconds: 90_000))) }
    let loop = loop()
    loop.start()
    answerOpen(429)
    for _ in 0..<89 {
      loop.fetchAgain()
      host.time.advance(milliseconds: 1_000)
    }
    #expect(asked == 1)
    host.time.advance(milliseconds: 1_000)
    #expect(asked == 2)
    answerOpen(429)
    loop.hold(true)
    loop.fetchAgain()
    host.time.advance(milliseconds: 90_000)
    #expect(asked == 3)
    service.meaning = { _ in .ended(.updated) }
    answerOpen(200)
    loop.fetchAgain()
    #expect(asked == 4)
  }

  @Test("A fetch is joined by those who ask meanwhile; who needs a newer answer gets another fetch")
  func joined() {
    let loop = loop()
    let told = Locked<[Status]>([])
    loop.fetch { outcome in told.change { $0.append(outcome.status) } }
    loop.fetch { outcome in told.change { $0.append(outcome.status) } }
    host.time.run()
    #expect(asked == 1)
    loop.fetchAgain()
    loop.fetchAgain()
    answerOpen(200)
    #expect(told.value == [.ok, .ok])
    #expect(asked == 2)
    answerOpen(200)
    #expect(asked == 2)
  }

  @Test("Wanted again and again: fetches keep their distance, and one follows however often it is asked for")
  func keptApart() {
    var options = FetchLoop.Options(headerProvider: nil)
    options.leastDistanceMilliseconds = 1_000
    let loop = FetchLoop(host: host, pace: RegularPace(interval: 0, limit: 300_000), options: options)
    loop.delegate = service
    loop.start()
    for _ in 0..<3 { loop.fetchAgain() }
    host.time.advance(milliseconds: 300)
    answerOpen(200)
    for _ in 0..<3 { loop.fetchAgain() }
    host.time.advance(milliseconds: 699)
    #expect(asked == 1)
    host.time.advance(milliseconds: 1)
    #expect(asked == 2)
    answerOpen(200)
    loop.fetchAgain()
    // Who asks outright does not wait, and is what the other has waited for.
    loop.fetch()
    #expect(asked == 3)
    answerOpen(200)
    host.time.advance(milliseconds: 600_000)
    #expect(asked == 3)
    loop.fetchAgain()
    #expect(asked == 4)
    answerOpen(200)
    loop.fetchAgain()
    loop.stop()
    host.time.advance(milliseconds: 600_000)
    #expect(asked == 4)
  }

  @Test("Stopped: who waits is told, and an answer that still comes counts no more")
  func stopped() {
    let loop = loop()
    let told = Locked<[Status]>([])
    loop.start { outcome in told.change { $0.append(outcome.status) } }
    host.time.run()
    let late = host.network.open.first
    host.time.run()
    loop.stop()
    #expect(told.value == [.superseded])
    late?.complete(answer(200))
    host.time.run()
    #expect(service.ends == [])
    host.time.advance(milliseconds: 600_000)
    #expect(asked == 1)
  }

  @Test("Forked: nobody is told, nothing is called off, and the child begins anew")
  func forked() {
    let loop = loop()
    let told = Locked<[Status]>([])
    loop.start { outcome in told.change { $0.append(outcome.status) } }
    host.time.run()
    loop.abandonAfterFork()
    #expect(told.value == [])
    loop.start()
    host.time.run()
    #expect(asked == 2)
  }

  @Test("Background: nothing begins while held; what has become due begins at once afterwards")
  func held() {
    let loop = loop()
    loop.start()
    answerOpen(200)
    loop.hold(true)
    host.time.advance(milliseconds: 600_000)
    #expect(asked == 1)
    loop.hold(false)
    host.time.run()
    #expect(asked == 2)
    answerOpen(200)
    loop.hold(true)
    host.time.advance(milliseconds: 30_000)
    loop.hold(false)
    host.time.advance(milliseconds: 29_999)
    #expect(asked == 2)
    host.time.advance(milliseconds: 1)
    #expect(asked == 3)
  }

  @Test("Held without catching up: the next turn is a whole interval away")
  func heldWithoutCatchingUp() {
    let loop = loop()
    loop.start()
    answerOpen(200)
    loop.hold(true)
    host.time.advance(milliseconds: 600_000)
    loop.hold(false, catchesUp: false)
    host.time.advance(milliseconds: 59_999)
    #expect(asked == 1)
    host.time.advance(milliseconds: 1)
    #expect(asked == 2)
  }

  @Test("Background: a return counts no failed turn as a good one, and a fetch that failed is not put off by an interval")
  func heldAfterAFailure() {
    for interval in [0 as Int64, 60_000] {
      let loop = loop(interval: interval)
      let before = asked
      loop.start()
      answerOpen(503)
      loop.hold(true)
      host.time.advance(milliseconds: 600_000)
      #expect(asked == before + 1)
      loop.hold(false, catchesUp: false)
      #expect(asked == before + 2)
      loop.stop()
    }
  }

  @Test(
    "Failing: a pause counts from the failure, however long the attempt took and whatever the turns are",
    arguments: [
      FetchLoop.Timing.fromEnd, .lessWholeSeconds, .fixedRate,
    ])
  func pausesCountFromTheFailure(timing: FetchLoop.Timing) {
    service.meaning = { _ in .ended(.failed(FetchFailure(.network, "503", retryAfterMilliseconds: 30_000))) }
    let loop = loop(timing: timing)
    loop.start()
    host.time.advance(milliseconds: 20_500)
    answerOpen(503)
    host.time.advance(milliseconds: 29_999)
    #expect(asked == 1)
    host.time.advance(milliseconds: 1)
    #expect(asked == 2)
    loop.stop()
    service.meaning = { _ in .ended(.failed(FetchFailure(.network, "503"))) }
    loop.start()
    host.time.advance(milliseconds: 20_500)
    let before = asked
    answerOpen(503)
    host.time.advance(milliseconds: 1_499)
    #expect(asked == before, "the first pause of failures is half of three seconds at least")
    loop.stop()
  }

  @Test("Background and back while a fetch waits to ask again: it asks, and fetches go on")
  func heldWhileItWaitsToAskAgain() {
    service.meaning = { $0.attempt == 0 ? .again(afterMilliseconds: 200) : .ended(.updated) }
    let loop = loop()
    loop.start()
    answerOpen(500)
    loop.hold(true)
    host.time.advance(milliseconds: 100)
    loop.hold(false)
    host.time.advance(milliseconds: 100)
    #expect(asked == 2)
    answerOpen(200)
    #expect(service.ends == [.updated])
    host.time.advance(milliseconds: 60_000)
    #expect(asked == 3)
  }

  @Test("Another request of the same fetch follows where the service wants it, after its pause")
  func again() {
    service.meaning = { $0.attempt < 2 ? .again(afterMilliseconds: Int64($0.attempt) * 200) : .ended(.updated) }
    let loop = loop()
    loop.start()
    answerOpen(500)
    #expect(asked == 2)
    answerOpen(500)
    #expect(asked == 2)
    host.time.advance(milliseconds: 200)
    #expect(asked == 3)
    answerOpen(200)
    #expect(service.ends == [.updated])
  }
}
