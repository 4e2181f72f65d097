/// Visits a tree in the order of its text, with a stack of its own instead of recursion.
struct JSONWalk {
  enum Step {
    case beginObject, endObject, beginArray, endArray
    case name(JSONKey)
    case scalar(JSONValue)
  }

  private enum Frame {
    case array(JSONArray.Iterator)
    case object(JSONObject.Iterator)
    case sorted(Array<JSONObject.Element>.Iterator)
  }

  private let order: JSONMemberOrder
  private let limits: JSONLimits
  private var frames: [Frame] = []
  private var pending: JSONValue?
  private var values = 0

  init(_ root: JSONValue, order: JSONMemberOrder, limits: JSONLimits) {
    self.order = order
    self.limits = limits
    pending = root
  }

  /// - Returns: nil after the last step.
  mutating func next() throws(JSONFailure) -> Step? {
    if let value = pending {
      pending = nil
      return try enter(value)
    }
    guard let top = frames.popLast() else { return nil }
    switch top {
    case .array(var elements):
      guard let value = elements.next() else { return .endArray }
      frames.append(.array(elements))
      return try enter(value)
    case .object(var members):
      guard let member = members.next() else { return .endObject }
      frames.append(.object(members))
      return name(member)
    case .sorted(var members):
      guard let member = members.next() else { return .endObject }
      frames.append(.sorted(members))
      return name(member)
    }
  }

  private mutating func name(_ member: JSONObject.Element) -> Step {
    pending = member.value
    return .name(member.key)
  }

  private mutating func enter(_ value: JSONValue) throws(JSONFailure) -> Step {
    values += 1
    guard values <= limits.maximumValues else {
      throw JSONFailure(.limit, "the tree has more than \(limits.maximumValues) values")
    }
    if let object = value.object {
      try push(order == .sorted ? .sorted(Self.sorted(object).makeIterator()) : .object(object.makeIterator()))
      return .beginObject
    }
    if let array = value.array {
      try push(.array(array.makeIterator()))
      return .beginArray
    }
    return .scalar(value)
  }

  private mutating func push(_ frame: Frame) throws(JSONFailure) {
    guard frames.count < limits.maximumDepth else {
      throw JSONFailure(.limit, "the tree is deeper than \(limits.maximumDepth) levels")
    }
    frames.append(frame)
  }

  private static func sorted(_ object: JSONObject) -> [JSONObject.Element] {
    object.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
