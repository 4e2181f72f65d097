public import CHoist
internal import HoistCore
internal import HoistFlagship

final class CFlagshipVisitorCache: HostAdapter<hoist_flagship_visitor_cache>, VisitorCache, @unchecked Sendable {
  func cache(_ visitorID: [UInt8], _ json: [UInt8]) {
    guard let cache = table.cache else { return }
    let (id, json) = (CText(visitorID), CText(json))
    withExtendedLifetime((id, json)) { cache(table.user_data, id.pointer, json.pointer, json.count) }
  }

  func lookUp(_ visitorID: [UInt8], _ question: CacheLookUp) {
    guard let lookup = table.lookup, let handle = CFlagshipLookUps.live.give(question) else {
      question.reply(nil)
      return
    }
    let number = UInt(bitPattern: handle)
    question.whenOver { CFlagshipLookUps.live.take(OpaquePointer(bitPattern: number)) }
    let id = CText(visitorID)
    withExtendedLifetime(id) { lookup(table.user_data, id.pointer, handle) }
  }

  func flush(_ visitorID: [UInt8]) {
    guard let flush = table.flush else { return }
    let id = CText(visitorID)
    withExtendedLifetime(id) { flush(table.user_data, id.pointer) }
  }
}

/// What `hoist_flagship_visitor_lookup` handles stand for, as long as the look-up waits.
enum CFlagshipLookUps {
  static let live = HandleTable<CacheLookUp>()
}

@_cdecl("hoist_flagship_visitor_lookup_reply") @implementation
public func hoist_flagship_visitor_lookup_reply(
  _ lookup: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int
) -> hoist_status {
  guard let question = CFlagshipLookUps.live.borrow(lookup) else { return Status.notFound.rawValue }
  let record = json == nil ? nil : CString.array(json, length)
  guard question.reply(record) else { return Status.notFound.rawValue }
  return (json != nil && record == nil ? Status.argument : .ok).rawValue
}

@_cdecl("hoist_flagship_config_set_visitor_cache") @implementation
public func hoist_flagship_config_set_visitor_cache(
  _ config: OpaquePointer?, _ cache: UnsafePointer<hoist_flagship_visitor_cache>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(
    config, cache, error, "visitor cache", \.vendor[FlagshipPlugins.visitorCache], for: "flagship"
  ) { CFlagshipVisitorCache($0) }
}
