internal import HoistBase

/// Texts compared by their bytes, as the service compares them.
extension String {
  func hasSameBytes(as other: String) -> Bool {
    withBytes { bytes in other.withBytes { bytes.hasSameBytes(as: $0) } }
  }

  func byteOrder(against other: String) -> Ordering {
    withBytes { bytes in other.withBytes { bytes.order(against: $0) } }
  }

  func reads(_ literal: StaticString) -> Bool { withBytes { $0.reads(literal) } }
}
