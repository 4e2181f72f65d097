internal import HoistBase
public import HoistCore

/// The identity of a context's stored flags (3.5).
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

/// Stores the flags of a few contexts for the next run, or the next identify (5.10, LD-76, LD-85). On the scheduler's
/// thread.
///
/// Under the environment's prefix there is an entry for each context's flags and their entity tag, and an index of when
/// each was updated. Whenever a process is killed, each entry stands in the index: as a context's, or to be removed by
/// the next run. Others may use the same store: the index is changed in one step, and read again before each use.
public final class FlagCache: @unchecked Sendable {
  private let store: Store
  private let prefix: String
  /// Negative: any number; 0: none.
  private let maximumContexts: Int
  /// Contexts that are on their way into the index, and how often: no other change of it removes their entries.
  private let underWay = LockedValue<[String: Int]>([:])

  /// - Parameter environment: distinguishes the mobile keys that share a store.
  public init(store: Store, environment: String, maximumContexts: Int) {
    self.store = store
    prefix = "launchdarkly.\(environment)."
    self.maximumContexts = maximumContexts
  }

  private var indexKey: String { prefix + "contexts" }
  private func flagsKey(_ hashedKey: String) -> String { prefix + "flags-" + hashedKey }

  /// - Parameter completion: once, on the scheduler's thread; nil when nothing is stored for the context.
  public func load(_ key: FlagCacheKey, completion: @escaping @Sendable (CachedFlags?) -> Void) {
    store.load(indexKey) { [self] bytes in
      let index = ContextIndex(bytes)
      if !index.removed.isEmpty { changeIndex { _ in } }
      guard let updated = index.contexts[key.hashedKey] else { return completion(nil) }
      store.load(flagsKey(key.hashedKey)) { bytes in
        guard let bytes, let head = EntryHead(bytes) else { return completion(nil) }
        var flags = CachedFlags(document: Array(bytes[head.end...]))
        // Flags stored for another context with this key serve as a first answer, but not as fresh ones.
        if head.fingerprint == key.fingerprint, !head.entityTag.isEmpty {
          flags.entityTag = head.entityTag
          // Else a process was killed before it wrote the flags that were updated then.
          let isWritten = index.saved[key.hashedKey].map { $0 == head.savedUnixMilliseconds } ?? true
          flags.updatedUnixMilliseconds = isWritten ? updated - updated % 1000 : nil
        }
        completion(flags)
      }
    }
  }

  /// - Parameters:
  ///   - document: flags and tombstones.
  ///   - entityTag: "" removes the stored one; nil leaves it as it is.
  public func save(_ key: FlagCacheKey, _ document: [UInt8], entityTag: String?, at unixMilliseconds: Int64) {
    guard maximumContexts != 0 else { return }
    let (hashedKey, maximum) = (key.hashedKey, maximumContexts)
    underWay.withLock { $0[hashedKey, default: 0] += 1 }
    changeIndex {
      $0.list(hashedKey, at: unixMilliseconds, maximum: maximum)
    } then: { [underWay] in
      underWay.withLock { $0[hashedKey] = $0[hashedKey].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
    let fingerprint = key.fingerprint
    if let entityTag {
      store.save(flagsKey(hashedKey), EntryHead.line(fingerprint, unixMilliseconds, entityTag) + document)
    } else {
      store.update(flagsKey(hashedKey), kind: .replaceable) { kept in
        EntryHead.line(fingerprint, unixMilliseconds, kept.flatMap { EntryHead($0)?.entityTag } ?? "") + document
      }
    }
  }

  /// The service confirms the stored flags of the context.
  public func confirm(_ key: FlagCacheKey, at unixMilliseconds: Int64) {
    let hashedKey = key.hashedKey
    changeIndex { if $0.contexts[hashedKey] != nil { $0.contexts[hashedKey] = unixMilliseconds } }
  }

  /// What is on its way is the parent's to write.
  func abandonAfterFork() { underWay.withLock { $0 = [:] } }

  // MARK: The index

  /// - Parameters:
  ///   - body: pure; runs again when another writer was faster.
  ///   - completion: on the store's lane.
  private func changeIndex(
    _ body: @escaping @Sendable (inout ContextIndex) -> Void, then completion: @escaping @Sendable () -> Void = {}
  ) {
    let removed = LockedValue<[String]>([])
    store.update(indexKey) { bytes in
      var index = ContextIndex(bytes)
      let former = index
      body(&index)
      removed.withLock { $0 = Array(index.removed) }
      return index == former ? bytes : index.json
    } completion: { [weak self] result in
      completion()
      if case .success = result { self?.forget(removed.withLock { $0 }) }
    }
  }

  /// Removes entries, and then their names from the index.
  private func forget(_ hashedKeys: [String]) {
    let gone = underWay.withLock { underWay in
      let gone = hashedKeys.filter { underWay[$0] == nil }
      for hashedKey in gone { store.remove(flagsKey(hashedKey)) }
      return gone
    }
    if gone.isEmpty { return }
    store.writeValues { [weak self] isWritten in if isWritten { self?.changeIndex { $0.noteRemoval(of: gone) } } }
  }
}

/// What an entry begins with: one line with the fingerprint, the time and the entity tag, with tabs between. The document
/// follows, which is not parsed to be stored. One entry, so that a tag never stands with other flags than its own.
private struct EntryHead {
  let fingerprint: String
  let savedUnixMilliseconds: Int64?
  let entityTag: String
  /// Where the document begins.
  let end: Int

  init?(_ bytes: [UInt8]) {
    guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let parts = bytes[..<newline].split(separator: UInt8(ascii: "\t"), maxSplits: 2, omittingEmptySubsequences: false)
    fingerprint = String(decoding: parts[0], as: UTF8.self)
    savedUnixMilliseconds = parts.count > 1 ? Int64(String(decoding: parts[1], as: UTF8.self)) : nil
    entityTag = parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : ""
    end = newline + 1
  }

  /// A tag that no request could carry is none.
  static func line(_ fingerprint: String, _ unixMilliseconds: Int64, _ entityTag: String) -> [UInt8] {
    Array("\(fingerprint)\t\(unixMilliseconds)\t\(HeaderText.isSafeValue(entityTag) ? entityTag : "")\n".utf8)
  }
}
