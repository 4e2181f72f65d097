public import HoistBase
import Synchronization

/// A sequence that depends on the seed alone: Steele, Lea and Flood's SplitMix64. Lock-free: threads share one sequence.
public final class SeededEntropy: Entropy {
  private let state: Atomic<UInt64>
  private let fixedShare: Double?

  /// - Parameter share: what `share` always says, so that a regular pause is what it is on average; nil draws it.
  public init(seed: UInt64, share: Double? = 0.5) {
    state = Atomic(seed)
    fixedShare = share
  }

  public func share() -> Double { fixedShare ?? Double(next() >> 11) * 0x1p-53 }

  public func next() -> UInt64 {
    SplitMix.mixed(state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue)
  }
}
