internal import HoistJSON

/// The contexts with stored flags, and when those were updated (5.10).
struct ContextIndex: Equatable {
  /// Entries of another version are removed.
  private static let version: Int64 = 9

  /// Milliseconds since 1970 by hashed key.
  var contexts: [String: Int64] = [:]
  /// Contexts whose entries are to be removed.
  private(set) var removed: [String] = []

  /// - Parameter bytes: as stored; nil and unreadable bytes give an empty one.
  init(_ bytes: [UInt8]?) {
    guard let bytes, let document = try? JSONDocument(parsing: bytes) else { return }
    document.withRoot { root in
      guard let members = root["contexts"]?.object else { return }
      for (name, value) in members { contexts[name.string] = value.int64 ?? 0 }
      guard root["version"]?.int64 != Self.version else { return }
      removed = Array(contexts.keys)
      contexts = [:]
    }
  }

  /// Removes those updated longest ago.
  /// - Parameter maximum: how many stay; a negative number leaves them all.
  mutating func removeOldest(butFor maximum: Int) {
    guard maximum > 0, contexts.count > maximum else { return }
    let oldest = contexts.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(contexts.count - maximum)
    for (hashedKey, _) in oldest {
      contexts[hashedKey] = nil
      removed.append(hashedKey)
    }
  }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("version")
      writer.int(Self.version)
      writer.key("contexts")
      writer.object { writer in
        for (hashedKey, updated) in contexts.sorted(by: { $0.key < $1.key }) {
          writer.key(hashedKey)
          writer.int(updated)
        }
      }
    }
    return writer.bytes
  }
}
