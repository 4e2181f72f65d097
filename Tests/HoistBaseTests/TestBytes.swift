import HoistBase
import HoistTestSupport

/// Foreseeable chance for loops over many inputs.
struct SeededGenerator: RandomNumberGenerator {
  private let entropy: SeededEntropy
  init(seed: UInt64) { entropy = SeededEntropy(seed: seed) }
  mutating func next() -> UInt64 { entropy.next() }
}

extension [UInt8] {
  static func random(count: Int, using generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}

/// Gives out the listed numbers, then the last one for ever.
final class ListedEntropy: Entropy, @unchecked Sendable {
  private let lock = Lock()
  private var numbers: [UInt64]

  init(_ numbers: [UInt64]) { self.numbers = numbers }

  func next() -> UInt64 {
    lock.withLock { numbers.count > 1 ? numbers.removeFirst() : numbers.first ?? 0 }
  }
}
