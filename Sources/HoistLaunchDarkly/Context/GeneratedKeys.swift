internal import HoistBase
internal import HoistCore

/// Keys for contexts that bring none: made once for each kind, and kept beside the stores of all accounts
/// (protocols/launchdarkly.md 3.5 "Generated keys"; stored per installation, not per environment). Without a store, a
/// client's own.
///
/// Called on the scheduler's thread, where completions run too.
final class GeneratedKeys: LaunchDarklyPart, @unchecked Sendable {
  /// A longer text in the store is not one of these keys.
  private static let maximumBytes = 256

  private let host: any ProviderHost
  /// By kind; kinds are ASCII.
  private let known = Shared<[String: String]>([:])

  init(host: any ProviderHost) { self.host = host }

  /// Gives a key to each part of a context that has none; such parts are anonymous.
  /// - Parameter completion: runs once; at once when no key has to be looked up. A context that the key makes too large is
  ///   a failure.
  func complete(_ context: LDContext, completion: @escaping @Sendable (Result<LDContext, ContextFailure>) -> Void) {
    let keys = known.withLock { $0 }
    if let missing = context.parts.first(where: { $0.key == nil && keys[$0.kind] == nil }) {
      return key(ofKind: missing.kind) { [self] _ in complete(context, completion: completion) }
    }
    guard context.needsKeys else { return completion(.success(context)) }
    completion(
      Result { () throws(ContextFailure) in
        try LDContext(context.parts.map { $0.key == nil ? $0.withGeneratedKey(keys[$0.kind] ?? "") : $0 })
      })
  }

  /// The key that contexts of this kind get.
  func key(ofKind kind: String, completion: @escaping @Sendable (String) -> Void) {
    if let key = known.withLock({ $0[kind] }) { return completion(key) }
    ask(kind, mayReplace: true, completion)
  }

  /// - Parameter mayReplace: what is stored may be something else, but not again and again.
  private func ask(_ kind: String, mayReplace: Bool, _ completion: @escaping @Sendable (String) -> Void) {
    let made = UUIDv4(from: host.entropy).uppercaseText
    let place = Self.storeKey(kind)
    host.store.shared(place, orKeep: Array(made.utf8)) { [self] stored in
      let isWhole = (1...Self.maximumBytes).contains(stored.count) && stored.allSatisfy { 0x20 < $0 && $0 < 0x7F }
      if !isWhole, mayReplace {
        host.store.removeShared(place)
        return ask(kind, mayReplace: false, completion)
      }
      let key = isWhole ? String(decoding: stored, as: UTF8.self) : made
      // Of two that asked at once without a store, the first answer counts.
      completion(
        known.withLock { known in
          if let first = known[kind] { return first }
          known[kind] = key
          return key
        })
    }
  }

  /// Under which the installation's store knows the key of a kind. A store may make a file of it: kinds, whose capitals
  /// count, are hashed.
  static func storeKey(_ kind: String) -> String {
    kind.reads("user") ? "generated-key" : "generated-key-" + String(Hex.encode(SHA256.hash(kind)).prefix(32))
  }
}
