import Testing

@testable import HoistBase

@Suite struct EntropyTests {
  @Test func theSeedDecidesTheSequence() {
    let one = SeededEntropy(seed: 42)
    let same = SeededEntropy(seed: 42)
    let other = SeededEntropy(seed: 43)
    let drawn = (0..<10).map { _ in one.next() }
    #expect(drawn == (0..<10).map { _ in same.next() })
    #expect(drawn != (0..<10).map { _ in other.next() })
  }

  /// The published first outputs of SplitMix64 for seed 1234567.
  @Test func theSequenceIsSplitMix() {
    let entropy = SeededEntropy(seed: 1_234_567)
    #expect(entropy.next() == 6_457_827_717_110_365_317)
    #expect(entropy.next() == 3_203_168_211_198_807_973)
    #expect(entropy.next() == 9_817_491_932_198_370_423)
  }

  @Test func theSystemDoesNotRepeatItself() {
    let entropy = SystemEntropy()
    #expect(Set((0..<1_000).map { _ in entropy.next() }).count == 1_000)
  }

  @Test func fastEntropyStartsFromItsSource() {
    let fast = FastEntropy(seededFrom: ListedEntropy([99]))
    let expected = SeededEntropy(seed: 99)
    #expect((0..<5).map { _ in fast.next() } == (0..<5).map { _ in expected.next() })
    #expect(FastEntropy().next() != FastEntropy().next())
  }

  /// G9: a forked child does not repeat its parent's draws.
  @Test func fastEntropyStartsAnewInAForkedChild() {
    let fast = FastEntropy(seededFrom: ListedEntropy([99, 100]))
    _ = fast.next()
    let child = SeededEntropy(seed: 100)
    let generation = ForkGeneration.current &+ 1
    #expect(fast.next(in: generation) == child.next())
    #expect(fast.next(in: generation) == child.next())
  }

  @Test func drawsStayBelowTheirBound() {
    let entropy = SeededEntropy(seed: 8)
    for bound in [1, 2, 3, 100, 9_999, 1 << 63, .max] as [UInt64] {
      for _ in 0..<200 { #expect(entropy.below(bound) < bound) }
    }
    #expect(entropy.below(0) == 0)
  }

  @Test func drawsAreUniform() {
    let entropy = SeededEntropy(seed: 9)
    var counts = [Int](repeating: 0, count: 6)
    for _ in 0..<60_000 { counts[Int(entropy.below(6))] += 1 }
    // The deviation of each count is 91.
    #expect(counts.allSatisfy { 9_500...10_500 ~= $0 })
  }

  /// Of 2^64 values one too many would go to the low numbers of a bound of 3: that one is drawn again.
  @Test func valuesThatFavourLowNumbersAreDrawnAgain() {
    #expect(ListedEntropy([0, .max]).below(3) == 2)
    #expect(ListedEntropy([1, .max]).below(3) == 0)
    #expect(ListedEntropy([0, .max]).below(4) == 0)
  }

  @Test func aSourceThatRepeatsItselfIsNotWaitedFor() {
    #expect(ListedEntropy([0]).below(3) == 0)
    #expect(ListedEntropy([0]).number(in: 5...104) == 5)
  }

  @Test func rangesIncludeBothEnds() {
    let entropy = SeededEntropy(seed: 10)
    let drawn = Set((0..<200).map { _ in entropy.number(in: 1...3) })
    #expect(drawn == [1, 2, 3])
    #expect(entropy.number(in: 5...5) == 5)
    #expect(Set((0..<200).map { _ in entropy.number(in: -1...1) }) == [-1, 0, 1])
    #expect(ListedEntropy([0]).number(in: .min ... .max) == .min)
    #expect(ListedEntropy([.max]).number(in: .min ... .max) == .max)
    #expect(ListedEntropy([.max]).number(in: .min ... .max - 1) == .max - 1)
  }

  @Test func theUnitIntervalLeavesOutOne() {
    #expect(ListedEntropy([0]).unitInterval() == 0)
    #expect(ListedEntropy([.max]).unitInterval() == 1 - 0x1p-53)
    #expect(ListedEntropy([1 << 63]).unitInterval() == 0.5)
  }
}
