internal import HoistBase
internal import HoistJSON

/// A flag or a segment as a store keeps it (10.1).
public struct StoredItem: Sendable, Equatable {
  /// The numbers of `hoist_launchdarkly_item_kind`.
  public enum Kind: Int32, Sendable { case flag = 0, segment = 1 }

  public let kind: Kind
  public let key: [UInt8]
  public let version: Int64
  public let isDeleted: Bool
  /// As the service wrote it; of a deleted one a tombstone.
  public let json: [UInt8]

  init(_ name: ItemName, version: Int64, json: [UInt8]) {
    (kind, key, self.version, isDeleted, self.json) = (name.kind == .flag ? .flag : .segment, name.key, version, false, json)
  }

  /// A deleted one.
  init(_ name: ItemName, deletedVersion version: Int64) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("key")
      name.key.withUnsafeBufferPointer { writer.string(utf8: $0) }
      writer.member("version", version)
      writer.member("deleted", true)
    }
    (kind, key, self.version, isDeleted, json) = (name.kind == .flag ? .flag : .segment, name.key, version, true, writer.bytes)
  }
}

/// Where rules come from.
enum RulesSource: Sendable {
  case service, serviceAndStore
  /// Alone (10.4).
  case store
}

/// Text that a store has under a key; it may be anything.
public struct FoundItem: Sendable {
  public let key: [UInt8]
  public let json: [UInt8]

  public init(key: [UInt8], json: [UInt8]) {
    self.key = key
    // Compared with what is served, which has none around it.
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
    let trimmed = json.drop(while: isBlank)
    self.json = Array(trimmed.prefix(trimmed.count - trimmed.reversed().prefix(while: isBlank).count))
  }
}

/// A host's store of rules for several processes (protocols/launchdarkly-server.md 10; LDS-65). Called on a lane of its own,
/// one call at a time; it may block.
public protocol RulesStore: AnyObject, Sendable {
  /// Keeps items in place of all others.
  /// - Parameter items: segments before flags, and each after those it needs.
  func initialize(_ items: [StoredItem]) -> StoreFailure?
  func all(_ kind: StoredItem.Kind) -> Result<[FoundItem], StoreFailure>
  /// Keeps an item that is newer than the kept one.
  /// - Returns: one that is as new, which is kept; nil where this one is.
  func upsert(_ item: StoredItem) -> Result<FoundItem?, StoreFailure>
  /// Whether there has been a whole set.
  func isInitialized() -> Result<Bool, StoreFailure>
}
