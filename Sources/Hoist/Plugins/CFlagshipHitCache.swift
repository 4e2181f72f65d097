public import CHoist
internal import HoistCore
internal import HoistFlagship

/// A host's own cache of hits.
final class CFlagshipHitCache: HitCacheDelegate, @unchecked Sendable {
  /// What `hoist_flagship_hit_lookup` handles stand for: a host may answer twice, or too late.
  static let lookUps = HandleTable<HitLookUp>()

  private let table: hoist_flagship_hit_cache

  init(_ table: hoist_flagship_hit_cache) { self.table = table }
  deinit { HostRelease.run(table.release, table.user_data) }

  func cacheHits(_ hits: [UInt8]) -> Bool {
    guard let cache = table.cache else { return true }
    let text = CText(hits)
    return withExtendedLifetime(text) { cache(table.user_data, text.pointer, text.count) == Status.ok.rawValue }
  }

  func lookUpHits(_ question: HitLookUp) {
    guard let lookup = table.lookup, let handle = Self.lookUps.give(question) else { return _ = question.reply(nil) }
    let number = UInt(bitPattern: handle)
    question.whenOver { Self.lookUps.take(OpaquePointer(bitPattern: number)) }
    if lookup(table.user_data, handle) != Status.ok.rawValue { question.fail() }
  }

  func flushHits(_ ids: [[UInt8]]) -> Bool {
    guard let flush = table.flush else { return true }
    let texts = ids.map { CText($0) }
    let pointers = texts.map(\.pointer)
    return withExtendedLifetime(texts) {
      pointers.withUnsafeBufferPointer { list in
        list.baseAddress.map { flush(table.user_data, $0, list.count) == Status.ok.rawValue } ?? true
      }
    }
  }

  func flushAllHits() -> Bool { table.flush_all.map { $0(table.user_data) == Status.ok.rawValue } ?? true }
}

@_cdecl("hoist_flagship_hit_lookup_reply") @implementation
public func hoist_flagship_hit_lookup_reply(
  _ lookup: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int
) -> hoist_status {
  guard let question = CFlagshipHitCache.lookUps.take(lookup) else { return Status.notFound.rawValue }
  guard json != nil else { return question.reply(nil) ? Status.ok.rawValue : Status.notFound.rawValue }
  guard let bytes = CString.array(json, length) else {
    question.fail()
    return Status.argument.rawValue
  }
  return question.reply(bytes) ? Status.ok.rawValue : Status.notFound.rawValue
}

@_cdecl("hoist_flagship_config_set_hit_cache") @implementation
public func hoist_flagship_config_set_hit_cache(
  _ config: OpaquePointer?, _ cache: UnsafePointer<hoist_flagship_hit_cache>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  var isSupported = true
  let status = PluginSlot.set(
    config, cache, size: cache?.pointee.struct_size, zero: hoist_flagship_hit_cache(), error, kind: "hit cache"
  ) {
    CFlagshipHitCache($0)
  } store: { box, adapter in
    isSupported = box.factory?.name == "flagship"
    if isSupported { box.plugins.vendor[FlagshipPlugins.hitCache] = adapter }
  }
  return isSupported ? status : ErrorSlot(error).fail(.unsupported, "a hit cache is for flagship only")
}
