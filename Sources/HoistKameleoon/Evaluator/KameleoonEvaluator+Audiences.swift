internal import HoistCore

/// Which audiences a visitor belongs to (protocols/kameleoon.md 3.11; KAM-B12).
extension KameleoonEvaluator {
  /// Ids of the segments that the site follows and that match, in the order of the configuration.
  mutating func audiences() -> [Int64] {
    let segments: UnsafePointer<SegmentRecord> = base.at(root.pointee.segments)
    return (0..<Int(root.pointee.segmentCount)).compactMap { index in
      stepsLeft = Self.maximumSteps
      let offset = Int(root.pointee.segments) + index * MemoryLayout<SegmentRecord>.stride
      guard segments[index].isTracked, matches(UInt32(truncatingIfNeeded: offset), current: nil) else { return nil }
      return segments[index].id
    }
  }
}
