internal import HoistBase
public import HoistCore
internal import HoistJSON

/// What tells the stored flags of one context from those of others (3.5).
public struct FlagCacheKey: Sendable, Equatable {
  /// Of the context's key.
  public var hashedKey: String
  /// Differs when the flags may differ.
  public var fingerprint: String

  public init(hashedKey: String, fingerprint: String) {
    self.hashedKey = hashedKey
    self.fingerprint = fingerprint
  }
}

extension FlagCacheKey {
  init(_ context: LDContext) { self.init(hashedKey: context.hashedKey, fingerprint: context.fingerprint) }
}

/// The flags of one context as an earlier run has left them.
public struct CachedFlags: Sendable {
  /// Flags and tombstones, `FlagReader.Form.cache`.
  public var document: [UInt8] = []
  /// Of the poll they came with; "" when none is known to belong to them.
  public var entityTag = ""
  /// When they were last confirmed, in whole seconds, where that is known: the first poll may wait.
  public var updatedUnixMilliseconds: Int64?
}

/// Keeps the flags of a few contexts for the next run, or the next identify (5.10, LD-76, LD-85). On the scheduler's
/// thread.
///
/// Under the environment's prefix there is an entry for each context's flags, one for its entity tag, and an index of
/// when each was updated. An entry that the index does not name is none. Others may use the same store: the index is read
/// again before each look at it, and each change to it.
public final class FlagCache: @unchecked Sendable {
  /// Of the index; entries of another version are removed.
  private static let version: Int64 = 9

  private let store: Store
  private let prefix: String
  /// Negative: any number; 0: none.
  private let maximumContexts: Int
  /// Milliseconds since 1970 by hashed key, as it was when last read; nil until then.
  private var index: [String: Int64]?
  /// What has been updated and is not in the stored index yet.
  private var updated: [String: Int64] = [:]
  private var waiting: [() -> Void] = []

  /// - Parameter environment: distinguishes the mobile keys that share a store.
  public init(store: Store, environment: String, maximumContexts: Int) {
    self.store = store
    prefix = "launchdarkly.\(environment)."
    self.maximumContexts = maximumContexts
  }

  private var indexKey: String { prefix + "contexts" }
  private func flagsKey(_ hashedKey: String) -> String { prefix + "flags-" + hashedKey }
  private func tagKey(_ hashedKey: String) -> String { prefix + "etag-" + hashedKey }

  /// - Parameter completion: once, on the scheduler's thread; nil when nothing is kept of the context.
  public func load(_ key: FlagCacheKey, completion: @escaping @Sendable (CachedFlags?) -> Void) {
    withIndex { [self] in
      guard let updated = index?[key.hashedKey] else { return completion(nil) }
      store.load(flagsKey(key.hashedKey)) { [self] bytes in
        guard let entry = bytes.flatMap({ Self.decode($0) }) else { return completion(nil) }
        // What is kept of others with this key serves as a first answer, but says nothing of freshness.
        guard entry.fingerprint == key.fingerprint else { return completion(CachedFlags(document: entry.document)) }
        store.load(tagKey(key.hashedKey)) { tag in
          let tag = tag.map { String(decoding: $0, as: UTF8.self) } ?? ""
          completion(
            CachedFlags(
              document: entry.document, entityTag: tag,
              updatedUnixMilliseconds: tag.isEmpty ? nil : updated - updated % 1000))
        }
      }
    }
  }

  /// - Parameters:
  ///   - document: flags and tombstones.
  ///   - entityTag: "" forgets the one that is kept; nil leaves it as it is.
  public func save(_ key: FlagCacheKey, _ document: [UInt8], entityTag: String?, at unixMilliseconds: Int64) {
    guard maximumContexts != 0 else { return }
    store.save(flagsKey(key.hashedKey), Self.encode(key.fingerprint, document))
    switch entityTag {
    case nil: break
    case "": store.remove(tagKey(key.hashedKey))
    case let tag?: store.save(tagKey(key.hashedKey), Array(tag.utf8))
    }
    updated[key.hashedKey] = unixMilliseconds
    withIndex { [self] in saveIndex() }
  }

  /// The service says that what is kept of the context holds.
  public func confirm(_ key: FlagCacheKey, at unixMilliseconds: Int64) {
    withIndex { [self] in
      guard index?[key.hashedKey] != nil else { return }
      updated[key.hashedKey] = unixMilliseconds
      saveIndex()
    }
  }

  /// Nothing waits for the store to be read any more: the client ends.
  public func settle() {
    if index != nil { saveIndex() }
  }

  /// What is being read is read for the parent.
  func abandonAfterFork() {
    waiting = []
    updated = [:]
  }

  private func evict() {
    guard maximumContexts > 0, let index, index.count > maximumContexts else { return }
    let oldest = index.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    for (hashedKey, _) in oldest.prefix(index.count - maximumContexts) { forget(hashedKey) }
  }

  private func forget(_ hashedKey: String) {
    index?[hashedKey] = nil
    store.remove(flagsKey(hashedKey))
    store.remove(tagKey(hashedKey))
  }

  // MARK: The index

  private func withIndex(_ body: @escaping () -> Void) {
    waiting.append(body)
    guard waiting.count == 1 else { return }
    store.load(indexKey) { [self] bytes in
      // A store that cannot be read just now has not forgotten.
      if let bytes { read(bytes) } else if index == nil { index = [:] }
      let ready = waiting
      waiting = []
      for body in ready { body() }
    }
  }

  private func read(_ bytes: [UInt8]) {
    index = [:]
    guard let document = try? JSONDocument(parsing: bytes) else { return }
    document.withRoot { root in
      guard let contexts = root["contexts"]?.object else { return }
      for (name, value) in contexts {
        index?[name.string] = value.int64 ?? 0
      }
      guard root["version"]?.int64 != Self.version else { return }
      for hashedKey in (index ?? [:]).keys where updated[hashedKey] == nil { forget(hashedKey) }
      index = [:]
      writeIndex()
    }
  }

  private func saveIndex() {
    guard !updated.isEmpty else { return }
    index?.merge(updated) { $1 }
    updated = [:]
    evict()
    writeIndex()
  }

  private func writeIndex() {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("version")
      writer.int(Self.version)
      writer.key("contexts")
      writer.object { writer in
        for (hashedKey, updated) in (index ?? [:]).sorted(by: { $0.key < $1.key }) {
          writer.key(hashedKey)
          writer.int(updated)
        }
      }
    }
    store.save(indexKey, writer.bytes)
  }

  // MARK: Entries

  /// The fingerprint in a line of its own, then the document, which is not parsed to be stored.
  private static func encode(_ fingerprint: String, _ document: [UInt8]) -> [UInt8] {
    Array(fingerprint.utf8) + [UInt8(ascii: "\n")] + document
  }

  private static func decode(_ bytes: [UInt8]) -> (fingerprint: String, document: [UInt8])? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[(end + 1)...]))
  }
}
