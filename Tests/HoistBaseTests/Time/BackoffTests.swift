import HoistBase
import HoistTestSupport
import Testing

@Suite struct BackoffTests {
  @Test func ceilingsDoubleUpToTheCap() {
    let backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000)
    #expect(
      (0...5).map { backoff.ceilingMilliseconds(attempt: $0) } == [
        100, 200, 400, 800, 1_000, 1_000,
      ])
    #expect(backoff.ceilingMilliseconds(attempt: .max) == 1_000)
    #expect(backoff.ceilingMilliseconds(attempt: -1) == 100)
  }

  @Test func doublingsNeverPassTheCapNorFallBack() {
    for base in [1, 3, 1_000, 1 << 52, 1 << 53] as [Int64] {
      let backoff = Backoff(baseMilliseconds: base, capMilliseconds: 1 << 53)
      var previous: Int64 = 0
      for attempt in 0...130 {
        let ceiling = backoff.ceilingMilliseconds(attempt: attempt)
        #expect(previous...(1 << 53) ~= ceiling)
        previous = ceiling
      }
      #expect(previous == 1 << 53)
    }
  }

  @Test func fullJitterTakesAnyPartOfTheCeiling() {
    var longest = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000)
    #expect(
      (0..<5).map { _ in longest.nextMilliseconds(ListedEntropy([0])) } == [
        100, 200, 400, 800, 1_000,
      ])
    var shortest = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000)
    #expect((0..<3).map { _ in shortest.nextMilliseconds(ListedEntropy([.max])) } == [0, 0, 0])
  }

  @Test func halfJitterLeavesHalf() {
    var backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000, jitter: 0.5)
    #expect(backoff.nextMilliseconds(ListedEntropy([.max])) == 50)
    #expect(backoff.nextMilliseconds(ListedEntropy([.max])) == 100)
  }

  @Test func withoutJitterThereIsNoChance() {
    var backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000, jitter: 0)
    #expect((0..<4).map { _ in backoff.nextMilliseconds(SystemEntropy()) } == [100, 200, 400, 800])
  }

  @Test func successStartsAnew() {
    var backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000, jitter: 0)
    for _ in 0..<3 { _ = backoff.nextMilliseconds(SystemEntropy()) }
    #expect(backoff.attempts == 3)
    backoff.reset()
    #expect(backoff.nextMilliseconds(SystemEntropy()) == 100)
  }

  @Test func fullJitterSpreadsEvenly() {
    let entropy = SeededEntropy(seed: 12)
    var total: Int64 = 0
    for _ in 0..<10_000 {
      var backoff = Backoff(baseMilliseconds: 1_000, capMilliseconds: 1_000)
      let pause = backoff.nextMilliseconds(entropy)
      #expect(0...1_000 ~= pause)
      total += pause
    }
    #expect(480...520 ~= total / 10_000)
  }

  @Test(arguments: [Double.nan, -1, -.infinity, 2, .infinity])
  func valuesOutOfRangeBecomeTheNearest(jitter: Double) {
    var backoff = Backoff(baseMilliseconds: .max, capMilliseconds: .max, jitter: jitter)
    let pause = backoff.nextMilliseconds(ListedEntropy([.max]))
    #expect(pause == (jitter > 0 ? 0 : 1 << 53))
    #expect(backoff.ceilingMilliseconds(attempt: .max) == 1 << 53)
  }

  @Test func nothingIsNeverNegative() {
    var none = Backoff(baseMilliseconds: -5, capMilliseconds: -5)
    #expect(none.nextMilliseconds(SystemEntropy()) == 0)
    var capped = Backoff(baseMilliseconds: 500, capMilliseconds: 100, jitter: 0)
    #expect(capped.nextMilliseconds(SystemEntropy()) == 100)
    #expect(capped.nextMilliseconds(SystemEntropy()) == 100)
  }
}
