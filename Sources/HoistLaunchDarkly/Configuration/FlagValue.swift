internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Whether two flags' values are the same JSON value: `1` is `1.0`, the order of members does not count (4.1, 5.6).
enum FlagValue {
  /// Whether observers are notified (5.6): version, reason and tracking alone are no change.
  static func differs(
    _ old: UnsafePointer<LaunchDarklyFlagRecord>, _ oldSnapshot: Snapshot, _ new: UnsafePointer<LaunchDarklyFlagRecord>,
    _ newSnapshot: Snapshot
  ) -> Bool {
    let (old, new) = (old.pointee, new.pointee)
    if old.traits.contains(.hasVariation) != new.traits.contains(.hasVariation) || old.variation != new.variation {
      return true
    }
    return old.value.kind != new.value.kind
      || !areEqual(old.value.json.bytes(oldSnapshot.base), new.value.json.bytes(newSnapshot.base))
  }

  /// Two JSON texts.
  static func areEqual(_ left: ByteView, _ right: ByteView) -> Bool {
    if left.hasSameBytes(as: right) { return true }
    let result = try? JSONNode.parse(left) { left in
      (try? JSONNode.parse(right) { right in areEqual(left, right) }) ?? false
    }
    return result ?? false
  }

  /// As deep as the reader's limit lets a value be.
  private static func areEqual(_ left: JSONNode, _ right: JSONNode) -> Bool {
    switch (left.kind, right.kind) {
    case (.null, .null): return true
    case (.bool, .bool): return left.bool == right.bool
    case (.int, .int), (.double, .double), (.int, .double), (.double, .int): return left.double == right.double
    case (.string, .string): return ByteView(left.utf8 ?? none).hasSameBytes(as: ByteView(right.utf8 ?? none))
    case (.array, .array):
      guard let left = left.array, let right = right.array, left.count == right.count else { return false }
      return zip(left, right).allSatisfy { areEqual($0, $1) }
    case (.object, .object):
      let (left, right) = (members(left), members(right))
      return left.count == right.count
        && zip(left, right).allSatisfy { ByteView($0.name).hasSameBytes(as: ByteView($1.name)) && areEqual($0, $1) }
    default: return false
    }
  }

  private static var none: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: nil, count: 0) }

  /// In the order of their names; of members of one name the last.
  private static func members(_ object: JSONNode) -> [JSONNode] {
    let ordered = Array(object.members).enumerated().sorted { left, right in
      switch ByteView(left.element.name).order(against: ByteView(right.element.name)) {
      case .less: true
      case .greater: false
      case .equal: left.offset < right.offset
      }
    }
    var members: [JSONNode] = []
    for (_, member) in ordered {
      if let last = members.last, ByteView(last.name).hasSameBytes(as: ByteView(member.name)) { members.removeLast() }
      members.append(member)
    }
    return members
  }
}
