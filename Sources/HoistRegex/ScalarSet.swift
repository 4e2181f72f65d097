/// A set of code points, as sorted ranges with gaps between them.
struct ScalarSet: Equatable {
  static let greatestScalar: UInt32 = 0x10FFFF
  static let surrogates: ClosedRange<UInt32> = 0xD800...0xDFFF
  static let all = ScalarSet([0...greatestScalar])

  private(set) var ranges: [ClosedRange<UInt32>] = []

  init() {}

  /// - Parameter ranges: in any order, overlapping or not.
  init(_ ranges: [ClosedRange<UInt32>]) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = self.ranges.last, range.lowerBound <= last.upperBound &+ 1 {
        self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        self.ranges.append(range)
      }
    }
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// The only member, if there is just one.
  var only: UInt32? {
    guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
    return range.lowerBound
  }

  func contains(_ scalar: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(scalar)
  }

  func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

  var complement: ScalarSet {
    var gaps: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
      next = range.upperBound &+ 1
    }
    if next <= Self.greatestScalar { gaps.append(next...Self.greatestScalar) }
    return ScalarSet(gaps)
  }

  func intersection(_ other: ScalarSet) -> ScalarSet {
    var common: [ClosedRange<UInt32>] = []
    var left = ranges[...]
    var right = other.ranges[...]
    while let first = left.first, let second = right.first {
      let low = max(first.lowerBound, second.lowerBound)
      let high = min(first.upperBound, second.upperBound)
      if low <= high { common.append(low...high) }
      if first.upperBound < second.upperBound { left.removeFirst() } else { right.removeFirst() }
    }
    return ScalarSet(common)
  }

  func subtracting(_ other: ScalarSet) -> ScalarSet {
    intersection(other.complement)
  }
}
