internal import HoistBase

/// How the members of objects are ordered.
public enum JSONMemberOrder: Sendable {
  case asWritten
  /// By the bytes of their names: one text for equal trees.
  case sorted
}

extension JSONWriter {
  /// Writes a tree. Without recursion; a tree beyond `limits`, or one that contains itself, is refused and
  /// then leaves a torn text behind.
  public mutating func value(
    _ value: JSONValue, order: JSONMemberOrder = .asWritten, limits: JSONLimits = .standard
  ) throws(JSONFailure) {
    var walk = JSONWalk(value, order: order, limits: limits)
    while let step = try walk.next() {
      switch step {
      case .name(let name): key(utf8: name.utf8)
      case .beginObject: beginObject()
      case .endObject: endObject()
      case .beginArray: beginArray()
      case .endArray: endArray()
      case .scalar(let value): scalar(value)
      }
    }
  }

  private mutating func scalar(_ value: JSONValue) {
    if let text = value.utf8 {
      string(utf8: text)
    } else if let whole = value.int64 {
      int(whole)
    } else if let number = value.double {
      double(number)
    } else if let truth = value.bool {
      bool(truth)
    } else {
      null()
    }
  }
}

extension JSONValue {
  /// Compact JSON text. Refuses as `JSONWriter.value` does, and texts of a host's that are not UTF-8; a parsed document with
  /// the limits it was parsed with never is.
  public func text(
    order: JSONMemberOrder = .asWritten, wholeDoubles: JSONWriter.WholeDoubles = .asIntegers,
    limits: JSONLimits = .standard
  ) throws(JSONFailure) -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: wholeDoubles)
    try writer.value(self, order: order, limits: limits)
    if writer.hasRepaired { throw JSONFailure(.syntax, "a text is not UTF-8") }
    return writer.bytes
  }
}

/// Values that a `JSONReader` has read.
extension JSONWriter {
  /// Writes a value as compact text; of members of the same name, all.
  public mutating func value(_ value: JSONNode) {
    var open: [(end: UnsafePointer<JSONTape.Entry>, isObject: Bool)] = []
    var at = value.entry
    let end = at + Int(at.pointee.extent)
    while true {
      while let container = open.last, container.end == at {
        container.isObject ? endObject() : endArray()
        open.removeLast()
      }
      guard at < end else { return }
      let node = JSONNode(at)
      if open.last?.isObject ?? false { key(utf8: node.name) }
      if node.kind == .object || node.kind == .array {
        node.kind == .object ? beginObject() : beginArray()
        open.append((at + Int(at.pointee.extent), node.kind == .object))
      } else {
        scalar(node)
      }
      at += 1
    }
  }

  private mutating func scalar(_ value: JSONNode) {
    switch value.kind {
    case .string: string(utf8: value.utf8 ?? UnsafeBufferPointer(start: nil, count: 0))
    case .int: int(value.int64 ?? 0)
    case .double: double(value.double ?? 0)
    case .bool: bool(value.bool ?? false)
    case .null, .object, .array: null()
    }
  }
}

extension JSONNode {
  /// Whether an object in it has two members of the same name, which `JSONDocument` would make one.
  public var hasRepeatedNames: Bool {
    var at = entry
    let end = at + Int(at.pointee.extent)
    while at < end {
      if let members = JSONNode(at).object, members.haveRepeatedNames { return true }
      at += 1
    }
    return false
  }
}

extension JSONNodes {
  fileprivate var haveRepeatedNames: Bool {
    guard count <= 12 else {
      var known = BytesTable(expecting: count)
      return contains { known.set(ByteView($0.name), to: 1) != nil }
    }
    var others = makeIterator()
    while let member = others.next() {
      var rest = others
      while let other = rest.next() {
        if sameBytes(member.name, other.name) { return true }
      }
    }
    return false
  }
}
