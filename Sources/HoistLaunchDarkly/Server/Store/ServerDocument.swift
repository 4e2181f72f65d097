internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Reads a whole set straight into a snapshot: one item's values are there at a time.
enum ServerDocument {
  static func read(
    _ text: ByteView, _ form: ServerTable.Form, _ limits: JSONLimits, into items: inout ServerItems
  ) throws(JSONFailure) {
    var json = try JSONReader(text, limits: limits)
    guard json.enter(.object) else { throw JSONFailure(.syntax, "not a JSON object") }
    if form == .poll {
      try readSets(&json, into: &items)
    } else {
      var isThere = false
      while let name = try json.nextName() {
        guard name.reads("data") else {
          _ = try json.value()
          continue
        }
        guard json.enter(.object) else { throw JSONFailure(.syntax, "\"data\" is no object") }
        isThere = true
        try readSets(&json, into: &items)
      }
      guard isThere else { throw JSONFailure(.syntax, "no \"data\"") }
    }
    try json.finish()
  }

  /// A set that is missing or null is empty.
  private static func readSets(_ json: inout JSONReader, into items: inout ServerItems) throws(JSONFailure) {
    var escaped = TextArena()
    while let name = try json.nextName() {
      let kind: ItemName.Kind? = name.reads("flags") ? .flag : name.reads("segments") ? .segment : nil
      guard let kind, json.enter(.object) else {
        guard try json.value().isNull || kind == nil else { throw JSONFailure(.syntax, "flags or segments are no object") }
        continue
      }
      while let name = try json.nextName() {
        let key = escaped.keep(name)
        let node = try json.value()
        do throws(FlagFailure) { try items.add(kind, key, node) } catch { throw JSONFailure(.syntax, error.reason) }
      }
    }
  }
}
