internal import HoistBase

/// References in an order that groups those below one path.
struct ReferenceIndex {
  /// The references below one path.
  struct Part {
    private let references: ArraySlice<AttributeReference>
    /// Names in the path.
    private let level: Int

    init(_ references: ArraySlice<AttributeReference> = [], level: Int = 0) {
      self.references = references
      self.level = level
    }

    /// Descends one level.
    /// - Returns: the references below, and the one to this level, if there is one.
    func narrowed(to name: String) -> (part: Part, reference: AttributeReference?) {
      guard !references.isEmpty else { return (self, nil) }
      let start = place(in: references) { $0 == .less }
      let rest = references[start...]
      let below = rest[..<place(in: rest) { $0 != .greater }]
      let reference = below.first.flatMap { $0.components.count == level + 1 ? $0 : nil }
      return (Part(below, level: level + 1), reference)

      /// How far a condition on the order against `name` holds.
      func place(in slice: ArraySlice<AttributeReference>, where holds: (Ordering) -> Bool) -> Int {
        var (low, high) = (slice.startIndex, slice.endIndex)
        while low < high {
          let middle = low + (high - low) / 2
          // One that ends here comes before those that go on.
          let isBefore =
            slice[middle].components.count <= level
            || holds(slice[middle].components[level].byteOrder(against: name))
          if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
      }
    }
  }

  private let sorted: [AttributeReference]

  /// Those that are not valid count for nothing.
  init(_ references: some Sequence<AttributeReference>) {
    sorted = references.filter(\.isValid).sorted { Self.order($0.components, $1.components) == .less }
  }

  var all: Part { Part(sorted[...]) }

  private static func order(_ left: [String], _ right: [String]) -> Ordering {
    for (one, other) in zip(left, right) {
      let order = one.byteOrder(against: other)
      if order != .equal { return order }
    }
    return Ordering(of: left.count, against: right.count)
  }
}
