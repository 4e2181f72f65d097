internal import HoistBase
internal import HoistCore

/// Keys for contexts that bring none: made once for each kind, and stored beside the stores of all accounts
/// (protocols/launchdarkly.md 3.5 "Generated keys"; stored per installation, not per environment). Without a store, a
/// client's own.
///
/// Called on the scheduler's thread, where completions run too.
final class GeneratedKeys: @unchecked Sendable {
  private let host: any ProviderHost
  /// By kind; kinds are ASCII.
  private let ids = LockedValue<[String: InstallationID]>([:])

  init(host: any ProviderHost) { self.host = host }

  /// Gives a key to each part of a context that has none; such parts are anonymous.
  /// - Parameter completion: runs once; at once when no key has to be looked up. A context that the key makes too large is
  ///   a failure.
  func complete(_ context: LDContext, completion: @escaping @Sendable (Result<LDContext, ContextFailure>) -> Void) {
    host.scheduler.assertCurrent()
    let ids = ids.withLock { $0 }
    if let missing = context.parts.first(where: { $0.key == nil && ids[$0.kind]?.current == nil }) {
      return key(ofKind: missing.kind) { [self] _ in complete(context, completion: completion) }
    }
    guard context.needsKeys else { return completion(.success(context)) }
    completion(
      Result { () throws(ContextFailure) in
        try LDContext(context.parts.map { $0.key == nil ? $0.withGeneratedKey(ids[$0.kind]?.current ?? "") : $0 })
      })
  }

  /// The key that contexts of this kind get.
  func key(ofKind kind: String, completion: @escaping @Sendable (String) -> Void) {
    let id = ids.withLock { ids in
      if let known = ids[kind] { return known }
      let entropy = host.entropy
      let new = InstallationID(
        store: host.store, scheduler: host.scheduler, key: Self.storeKey(kind), isWhole: InstallationID.isPlain
      ) {
        UUIDv4(from: entropy).uppercaseText
      }
      ids[kind] = new
      return new
    }
    id.whenKnown(completion)
  }

  /// The name of the store entry with the key of a kind. It may become a file name, so kinds, which are case-sensitive,
  /// are hashed.
  static func storeKey(_ kind: String) -> String {
    kind.reads("user") ? "generated-key" : "generated-key-" + String(Hex.encode(SHA256.hash(kind)).prefix(32))
  }
}
