/// Simple case folding: which code points are one letter when case does not count.
enum CaseFolding {
  /// Adds to a set every code point that folds like one of its members.
  static func closure(of set: ScalarSet) -> ScalarSet {
    var added: [ClosedRange<UInt32>] = []
    for range in set.ranges {
      for scalar in casedScalars(in: range) {
        for other in orbits[scalar] ?? [] where other != scalar { added.append(other...other) }
      }
    }
    return added.isEmpty ? set : ScalarSet(set.ranges + added)
  }

  /// The same among ASCII only, as `(?-u)` has it.
  static func asciiClosure(of set: ScalarSet) -> ScalarSet {
    var added: [ClosedRange<UInt32>] = []
    for letter in UInt32(0x41)...0x5A {
      if set.contains(letter) { added.append((letter | 0x20)...(letter | 0x20)) }
      if set.contains(letter | 0x20) { added.append(letter...letter) }
    }
    return ScalarSet(set.ranges + added)
  }

  /// Every code point that has another case, in order.
  static let casedScalars: [UInt32] = orbits.keys.sorted()

  private static func casedScalars(in range: ClosedRange<UInt32>) -> ArraySlice<UInt32> {
    let scalars = casedScalars
    func firstIndex(from scalar: UInt32) -> Int {
      var low = 0
      var high = scalars.count
      while low < high {
        let middle = (low + high) / 2
        if scalars[middle] < scalar { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return scalars[firstIndex(from: range.lowerBound)..<firstIndex(from: range.upperBound &+ 1)]
  }

  /// From a code point to all that fold alike, itself included.
  private static let orbits: [UInt32: [UInt32]] = {
    var members: [UInt32: [UInt32]] = [:]
    for row in table {
      for scalar in stride(from: row.first, through: row.last, by: Int(row.step)) {
        let folded = UInt32(truncatingIfNeeded: Int64(scalar) + Int64(row.delta))
        members[folded, default: [folded]].append(scalar)
      }
    }
    var orbits: [UInt32: [UInt32]] = [:]
    for orbit in members.values {
      for scalar in orbit { orbits[scalar] = orbit }
    }
    return orbits
  }()
}
