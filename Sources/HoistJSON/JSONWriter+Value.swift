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
  /// Compact JSON text. Refuses as `JSONWriter.value` does; a parsed document with the limits it was
  /// parsed with never is.
  public func text(
    order: JSONMemberOrder = .asWritten, wholeDoubles: JSONWriter.WholeDoubles = .asIntegers,
    limits: JSONLimits = .standard
  ) throws(JSONFailure) -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: wholeDoubles)
    try writer.value(self, order: order, limits: limits)
    return writer.bytes
  }

  /// Refuses a tree that is too deep or too large, as one that contains itself is.
  func check(_ limits: JSONLimits) throws(JSONFailure) {
    var walk = JSONWalk(self, order: .asWritten, limits: limits)
    while try walk.next() != nil {}
  }
}
