import HoistCore
import HoistTestSupport
import Testing

/// When a stream that has ended is opened again.
struct ReconnectPaceTests {
  @Test("pauses double up to the cap, and chance takes up to a half")
  func pausesDouble() {
    var pace = ReconnectPace(base: 2000)
    #expect(
      (0..<6).map { _ in pace.next(openMilliseconds: nil) } == [
        1000...2000, 2000...4000, 4000...8000, 8000...16_000, 15_000...30_000, 15_000...30_000,
      ])
  }

  @Test("a connection that was good for long begins anew, a shorter one does not")
  func goodConnectionsMakeUp() {
    var pace = ReconnectPace(base: 1000, firstDoublings: 1)
    #expect(pace.next(openMilliseconds: nil) == 1000...2000)
    #expect(pace.next(openMilliseconds: 59_999) == 2000...4000)
    #expect(pace.next(openMilliseconds: 60_000) == 500...1000)
    #expect(pace.next(openMilliseconds: nil) == 1000...2000)
    pace.reset()
    #expect(pace.next(openMilliseconds: nil) == 1000...2000)
  }

  @Test("a service may name another base, and chance may add instead")
  func basesAndSpreads() {
    var pace = ReconnectPace(base: 3000, cap: 60_000, spread: 1...1.25)
    #expect(pace.next(openMilliseconds: nil) == 3000...3750)
    pace.serviceAsks(forMilliseconds: 100)
    #expect(pace.next(openMilliseconds: nil) == 200...250)
    pace.serviceAsks(forMilliseconds: .min)
    #expect(pace.next(openMilliseconds: nil) == 0...0)
    pace.serviceAsks(forMilliseconds: .max)
    #expect(pace.next(openMilliseconds: nil) == 60_000...75_000)
  }

  @Test("a service that asks for no pause is asked again ever more slowly, and no pause is shorter than the least")
  func noPauseAtAll() {
    var pace = ReconnectPace(base: 2000)
    pace.serviceAsks(forMilliseconds: 0)
    let entropy = SeededEntropy(seed: 7)
    let pauses = (0..<16).map { _ in pace.nextMilliseconds(openMilliseconds: nil, entropy) }
    #expect(pauses.prefix(7).allSatisfy { $0 == 100 })
    #expect((15_000...30_000).contains(pauses[15]))
  }

  @Test("however often it fails, the pause stays at the cap")
  func manyFailures() {
    var pace = ReconnectPace(base: 1)
    for _ in 0..<1000 { _ = pace.next(openMilliseconds: nil) }
    let pause = pace.nextMilliseconds(openMilliseconds: nil, SeededEntropy(seed: 7))
    #expect((15_000...30_000).contains(pause))
  }
}
