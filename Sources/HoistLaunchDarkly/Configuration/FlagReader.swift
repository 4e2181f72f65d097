internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Reads a whole set of flags straight into a snapshot: one flag's values are there at a time.
enum FlagReader {
  enum Form {
    /// `{"key": {flag}, …}` of streams and polls (2.2).
    case flags
    /// `{"flags": {"key": {"item": {flag}}, "gone": {"tombstone": 7}}}` of the store (5.10).
    case cache
  }

  /// - Parameters:
  ///   - owner: the context that the snapshot's results are for; nil for the current one.
  ///   - tombstone: told of each deleted flag.
  /// - Returns: owned by the caller.
  static func read(
    _ text: ByteView, in root: FlagsRoot, owner: EventContext?, form: Form, limits: JSONLimits,
    tombstone: (ByteView, Int64) -> Void
  ) throws(FlagFailure) -> Snapshot {
    var limits = limits
    // A flag lies one level deeper there: what was taken from the service can be read again.
    if form == .cache { limits.maximumDepth += 1 }
    do throws(JSONFailure) {
      var json = try JSONReader(text, limits: limits)
      var set = FlagSet(root: root, owner: owner, text: text)
      guard json.enter(.object) else { throw JSONFailure(.syntax, "not a JSON object") }
      if form == .flags {
        try readFlags(&json) { key, node throws(FlagFailure) in try set.add(key, FlagDefinition(node)) }
      } else {
        try readCache(&json) { key, node throws(FlagFailure) in
          if let item = node["item"]?.unlessNull {
            try set.add(key, FlagDefinition(item))
          } else if let version = try node.integer("tombstone") {
            tombstone(key, version)
          } else {
            throw FlagFailure("an entry is neither a flag nor a tombstone")
          }
        }
      }
      try json.finish()
      guard let snapshot = set.finish() else {
        throw JSONFailure(.limit, "the flags are too large, or memory has run out")
      }
      return snapshot
    } catch {
      throw FlagFailure(error)
    }
  }

  private static func readFlags(
    _ json: inout JSONReader, _ add: (ByteView, JSONNode) throws(FlagFailure) -> Void
  ) throws(JSONFailure) {
    var escaped = TextArena()
    while let name = try json.nextName() {
      let key = escaped.keep(name)
      let node = try json.value()
      do throws(FlagFailure) { try add(key, node) } catch { throw JSONFailure(.syntax, error.reason) }
    }
  }

  private static func readCache(
    _ json: inout JSONReader, _ add: (ByteView, JSONNode) throws(FlagFailure) -> Void
  ) throws(JSONFailure) {
    var isThere = false
    while let name = try json.nextName() {
      guard name.reads("flags"), json.enter(.object) else {
        _ = try json.value()
        continue
      }
      isThere = true
      try readFlags(&json, add)
    }
    guard isThere else { throw JSONFailure(.syntax, "no flags") }
  }
}

/// Flags on their way into a snapshot; of flags of one key the last counts.
private struct FlagSet: ~Copyable {
  private var layout: FlagLayout
  private var records: BytesTable
  private var keys = TextArena()

  init(root: FlagsRoot, owner: EventContext?, text: ByteView) {
    layout = FlagLayout(root: root, owner: owner, expectedBytes: text.count)
    records = BytesTable(expecting: text.count / 256)
  }

  mutating func add(_ key: ByteView, _ flag: FlagDefinition) throws(FlagFailure) {
    if let own = flag.key, !own.hasSameBytes(as: key) { throw FlagFailure("a flag's \"key\" is another than its member's name") }
    let name = layout.name(key)
    records.set(keys.keep(key), to: layout.record(flag, name: name).offset)
  }

  consuming func finish() -> Snapshot? {
    for entry in records.entries { layout.add(record: Place(offset: entry.value), hash: entry.hash) }
    return layout.finish(count: records.entries.count)
  }
}
