import HoistBase
import HoistTestSupport

/// All chance of one simulation, from its seed.
final class Dice: Sendable {
  private let entropy: SeededEntropy
  init(seed: UInt64) { entropy = SeededEntropy(seed: seed) }

  /// 0 ..< end
  func roll(_ end: Int) -> Int { Int(entropy.next() % UInt64(max(1, end))) }
  func happens(oneIn chances: Int) -> Bool { roll(chances) == 0 }
  func milliseconds(_ range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(roll(Int(range.upperBound - range.lowerBound) + 1))
  }
  func seed() -> UInt64 { entropy.next() }

  /// One of several, each as likely as its weight.
  func pick<Choice>(_ choices: [(weight: Int, choice: Choice)]) -> Choice {
    var left = roll(choices.reduce(0) { $0 + $1.weight })
    for (weight, choice) in choices {
      if left < weight { return choice }
      left -= weight
    }
    return choices[0].choice
  }
}
