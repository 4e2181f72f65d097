import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly
import HoistTestSupport

/// Sequences of saving and loading the flags of contexts (protocol 5.10).
func runFlagCache(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let session = CacheSession(maximumContexts: Int(clamping: test["max_cached_contexts"]?.int64 ?? 0))
    let steps = test["ops"]?.array.map(Array.init) ?? []
    for (place, step) in steps.enumerated() {
      guard let context = context(of: step["context"]) else {
        report.fail("\(id) step \(place)", expected: "a context that can be read", actual: "refused")
        continue
      }
      let key = FlagCacheKey(hashedKey: context.hashedKey, fingerprint: context.fingerprint)
      if step["do"]?.string == "save" {
        session.save(key, step)
      } else {
        report.check("\(id) step \(place)", expected: step["expect"]?.canonicalText ?? "-", actual: session.load(key))
      }
    }
  }
}

private final class CacheSession {
  private let host = TestHost(manager: MemoryCacheManager())
  private let cache: FlagCache

  init(maximumContexts: Int) {
    cache = FlagCache(store: host.store, environment: "vectors", maximumContexts: maximumContexts)
  }

  func save(_ key: FlagCacheKey, _ step: JSONValue) {
    let replay = FlagReplay()
    _ = (step["flags"]?.source ?? []).withBytes { replay.apply("put", $0) }
    cache.save(key, replay.cacheDocument, entityTag: step["etag"]?.string, at: step["at"]?.int64 ?? 0)
    host.time.run()
  }

  /// What is kept of a context, as the vectors say it.
  func load(_ key: FlagCacheKey) -> String {
    let answer = Locked<CachedFlags??>(nil)
    cache.load(key) { answer.value = .some($0) }
    host.settle { answer.value != nil }
    guard let answered = answer.value else { return "no answer" }
    return canonical { writer in
      writer.object { writer in
        writer.key("flags")
        writer.raw(answered.map { Self.values($0.document) } ?? Self.null)
        writer.key("etag")
        if let tag = answered?.entityTag, !tag.isEmpty { writer.string(tag) } else { writer.null() }
        writer.key("lastUpdated")
        if let updated = answered?.updatedUnixMilliseconds { writer.int(updated) } else { writer.null() }
      }
    }
  }

  private static let null = Array("null".utf8)

  private static func values(_ document: [UInt8]) -> [UInt8] {
    let replay = FlagReplay()
    guard case .applied = document.withBytes({ replay.apply("cache", $0) }) else { return null }
    return replay.values
  }
}
