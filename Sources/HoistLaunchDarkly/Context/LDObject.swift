/// Members by name, kept in the order of the names' bytes: equal objects are equal lists, and one text.
public struct LDObject: Sendable {
  public struct Member: Sendable {
    public var name: String
    public var value: LDValue

    public init(name: String, value: LDValue) {
      self.name = name
      self.value = value
    }
  }

  private var members: [Member] = []

  public init() {}

  /// Of members of the same name the last one counts.
  public init(_ members: some Sequence<Member>) {
    let sorted = members.enumerated().sorted { left, right in
      let order = left.element.name.byteOrder(against: right.element.name)
      return order == .less || order == .equal && left.offset < right.offset
    }
    self.members.reserveCapacity(sorted.count)
    for (_, member) in sorted {
      if let last = self.members.last, last.name.hasSameBytes(as: member.name) { self.members.removeLast() }
      self.members.append(member)
    }
  }

  public subscript(name: String) -> LDValue? {
    let (place, isThere) = find(name)
    return isThere ? members[place].value : nil
  }

  /// Sets a member, or with nil removes it.
  public mutating func set(_ name: String, _ value: LDValue?) {
    let (place, isThere) = find(name)
    switch (value, isThere) {
    case (let value?, true): members[place].value = value
    case (let value?, false): members.insert(Member(name: name, value: value), at: place)
    case (nil, true): members.remove(at: place)
    case (nil, false): break
    }
  }

  /// Where a name is, or belongs.
  private func find(_ name: String) -> (place: Int, isThere: Bool) {
    var (low, high) = (0, members.count)
    while low < high {
      let middle = low + (high - low) / 2
      switch members[middle].name.byteOrder(against: name) {
      case .less: low = middle + 1
      case .equal: return (middle, true)
      case .greater: high = middle
      }
    }
    return (low, false)
  }
}

extension LDObject: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { members.count }
  /// - Parameter index: of the collection; `member(at:)` takes any.
  public subscript(index: Int) -> Member { members[index] }
  public func member(at index: Int) -> Member? { members.indices.contains(index) ? members[index] : nil }
}
