public import HoistBase
import Synchronization

/// A sequence that depends on the seed alone: Steele, Lea and Flood's SplitMix64. Lock-free: threads share one sequence.
public final class SeededEntropy: Entropy {
  private let state: Atomic<UInt64>

  public init(seed: UInt64) { state = Atomic(seed) }

  public func next() -> UInt64 {
    SplitMix.mixed(state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue)
  }
}
