public import CHoist
internal import HoistCore
internal import HoistFlagship

final class CFlagshipHitCache: HostAdapter<hoist_flagship_hit_cache>, HitCacheDelegate, @unchecked Sendable {
  /// The objects of `hoist_flagship_hit_lookup` handles: a host may answer twice, or too late.
  static let lookUps = HandleTable<CacheLookUp>()

  func cacheHits(_ hits: [UInt8]) -> Bool {
    guard let cache = table.cache else { return true }
    let text = CText(hits)
    return withExtendedLifetime(text) { cache(table.user_data, text.pointer, text.count) == Status.ok.rawValue }
  }

  func lookUpHits(_ question: CacheLookUp) {
    guard let lookup = table.lookup, let handle = Self.lookUps.give(question) else { return _ = question.reply(nil) }
    let number = UInt(bitPattern: handle)
    question.whenOver { Self.lookUps.take(OpaquePointer(bitPattern: number)) }
    if lookup(table.user_data, handle) != Status.ok.rawValue { question.fail() }
  }

  func flushHits(_ ids: [[UInt8]]) -> Bool {
    guard let flush = table.flush else { return true }
    return HostTexts.with(ids) { flush(table.user_data, $0, $1) } == Status.ok.rawValue
  }

  func flushAllHits() -> Bool { table.flush_all.map { $0(table.user_data) == Status.ok.rawValue } ?? true }
}

@_cdecl("hoist_flagship_hit_lookup_reply") @implementation
public func hoist_flagship_hit_lookup_reply(
  _ lookup: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int
) -> hoist_status {
  guard let question = CFlagshipHitCache.lookUps.take(lookup) else { return Status.notFound.rawValue }
  let bytes = json == nil ? nil : CString.array(json, length)
  guard json == nil || bytes != nil else {
    question.fail()
    return Status.argument.rawValue
  }
  return (question.reply(bytes) ? Status.ok : .notFound).rawValue
}

@_cdecl("hoist_flagship_config_set_hit_cache") @implementation
public func hoist_flagship_config_set_hit_cache(
  _ config: OpaquePointer?, _ cache: UnsafePointer<hoist_flagship_hit_cache>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(
    config, cache, error, "hit cache", \.vendor[FlagshipPlugins.hitCache], for: "flagship"
  ) { CFlagshipHitCache($0) }
}
