import Dispatch
import Glibc
import HoistTestSupport
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

  @Test func thePoolHandsOutEachWordOfTheSystemsOnce() {
    let calls = LockedValue(0)
    let pool = PooledEntropy { block in
      Self.number(
        block,
        call: calls.withLock {
          $0 += 1; return $0
        })
    }
    let drawn = (0..<PooledEntropy.blockWords * 2).map { _ in pool.next() }
    #expect(Set(drawn).count == drawn.count)
    #expect(drawn.allSatisfy { $0 >> 32 == 1 || $0 >> 32 == 2 })
    #expect(calls.withLock { $0 } == 2)
  }

  /// G9: what the parent drew and did not use is not used by its child either.
  @Test func aForkedChildDrawsFromAPoolOfItsOwn() {
    let calls = LockedValue(0)
    let pool = PooledEntropy { block in
      Self.number(
        block,
        call: calls.withLock {
          $0 += 1; return $0
        })
    }
    let parent = pool.next()
    let generation = ForkGeneration.current &+ 1
    #expect(parent >> 32 == 1)
    #expect((0..<5).allSatisfy { _ in pool.next(in: generation) >> 32 == 2 })
  }

  /// G9: in a real child, with the system's randomness.
  @Test(.enabled(if: ForkedChild.isSupported)) func aForkedChildNeverRepeatsItsParentsDraws() {
    let pool = PooledEntropy()
    _ = pool.next()
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let ending = ForkedChild.run {
      var drawn = (pool.next(), pool.next(), pool.next(), pool.next())
      return write(ends[1], &drawn, 32) == 32 ? 0 : 1
    }
    #expect(ending == .exited(0))
    var drawn = [UInt64](repeating: 0, count: 4)
    #expect(read(ends[0], &drawn, 32) == 32)
    for end in ends { close(end) }
    #expect(Set(drawn + (0..<64).map { _ in pool.next() }).count == 68)
  }

  @Test func thePoolDoesWithoutBlocks() {
    let pool = PooledEntropy { _ in false }
    #expect(Set((0..<100).map { _ in pool.next() }).count == 100)
  }

  @Test func threadsShareAPoolWithoutRepeating() {
    let pool = PooledEntropy()
    let drawn = LockedValue<[UInt64]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let mine = (0..<1_000).map { _ in pool.next() }
      drawn.withLock { $0 += mine }
    }
    #expect(Set(drawn.withLock { $0 }).count == 4_000)
  }

  /// A block whose words tell which call brought them.
  private static func number(_ block: UnsafeMutableRawBufferPointer, call: Int) -> Bool {
    for (index, word) in block.bindMemory(to: UInt64.self).indices.enumerated() {
      block.bindMemory(to: UInt64.self)[word] = UInt64(call) << 32 | UInt64(index)
    }
    return true
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
}
