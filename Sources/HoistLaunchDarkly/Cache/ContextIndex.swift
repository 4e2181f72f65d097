internal import HoistJSON

/// The contexts with stored flags, and when those were updated (5.10).
struct ContextIndex: Equatable {
  /// Entries of another version are removed.
  private static let version: Int64 = 9

  /// Milliseconds since 1970 by hashed key.
  var contexts: [String: Int64] = [:]
  /// When the flags were made that the entries of those contexts are to hold.
  private(set) var saved: [String: Int64] = [:]
  /// Contexts whose entries are still to be removed: listed until that is done, so that a later run finds them.
  private(set) var removed: Set<String> = []

  /// - Parameter bytes: as stored; nil and unreadable bytes give an empty one.
  init(_ bytes: [UInt8]?) {
    guard let bytes, let document = try? JSONDocument(parsing: bytes) else { return }
    document.withRoot { root in
      guard let members = root["contexts"]?.object else { return }
      for (name, value) in members { contexts[name.string] = value.int64 ?? 0 }
      if let times = root["saved"]?.object { for (name, value) in times { saved[name.string] = value.int64 } }
      if let names = root["removed"]?.array { removed = Set(names.compactMap(\.string)) }
      guard root["version"]?.int64 != Self.version else { return }
      removed.formUnion(contexts.keys)
      (contexts, saved) = ([:], [:])
    }
  }

  /// Lists a context whose entry is going to be written, and removes those updated longest ago.
  /// - Parameter maximum: how many stay; a negative number leaves them all.
  mutating func list(_ hashedKey: String, at unixMilliseconds: Int64, maximum: Int) {
    contexts[hashedKey] = unixMilliseconds
    saved[hashedKey] = unixMilliseconds
    removed.remove(hashedKey)
    guard maximum > 0, contexts.count > maximum else { return }
    let oldest = contexts.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(contexts.count - maximum)
    for (hashedKey, _) in oldest {
      contexts[hashedKey] = nil
      saved[hashedKey] = nil
      removed.insert(hashedKey)
    }
  }

  /// The entries are no longer there.
  mutating func noteRemoval(of hashedKeys: [String]) { removed.subtract(hashedKeys) }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("version")
      writer.int(Self.version)
      for (name, times) in [("contexts", contexts), ("saved", saved)] {
        writer.object(name) { writer in
          for (hashedKey, time) in times.sorted(by: { $0.key < $1.key }) { writer.member(hashedKey, time) }
        }
      }
      if removed.isEmpty { return }
      writer.array("removed") { writer in
        for hashedKey in removed.sorted() { writer.string(hashedKey) }
      }
    }
    return writer.bytes
  }
}
