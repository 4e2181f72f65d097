/// The share of 10,000 that a hash stands for (protocols/optimizely.md 4.1).
public enum BucketValue {
  /// - Parameter hash: Murmur3 with seed 1 of the bucketing id and the id of the experiment, holdout or group.
  /// - Returns: 0 to 9999.
  @inline(__always)
  public static func of(_ hash: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: (UInt64(hash) &* 10_000) &>> 32) }
}
