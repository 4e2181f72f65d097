/// What parts of rules that are asked for again and again were found to be, within one evaluation: those of the first 64
/// places. Without memory of its own, so that to begin with one costs nothing.
@frozen
public struct RememberedTruths: BitwiseCopyable, Sendable {
  @usableFromInline var known: UInt64 = 0
  @usableFromInline var truths: UInt64 = 0

  @inlinable public init() {}

  /// Of the part with that place among its like; nil where it is not known, or was not kept.
  @inlinable
  public subscript(place: UInt32) -> Bool? {
    get {
      let bit: UInt64 = place < 64 ? 1 &<< UInt64(place) : 0
      return known & bit == 0 ? nil : truths & bit != 0
    }
    set {
      guard place < 64, let truth = newValue else { return }
      known |= 1 &<< UInt64(place)
      if truth { truths |= 1 &<< UInt64(place) }
    }
  }
}
