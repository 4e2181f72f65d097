public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_visitor_flags") @implementation
public func hoist_flagship_visitor_flags(_ visitor: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagshipVisitor>.borrow(visitor).map { Handle<FlagCollection>.give(FlagCollection(of: $0)) }
}

@_cdecl("hoist_flagship_flags_free") @implementation
public func hoist_flagship_flags_free(_ flags: OpaquePointer?) { Handle<FlagCollection>.take(flags) }

@_cdecl("hoist_flagship_flags_count") @implementation
public func hoist_flagship_flags_count(_ flags: OpaquePointer?) -> Int { Handle<FlagCollection>.borrow(flags)?.count ?? 0 }

@_cdecl("hoist_flagship_flags_is_empty") @implementation
public func hoist_flagship_flags_is_empty(_ flags: OpaquePointer?) -> Bool { hoist_flagship_flags_count(flags) == 0 }

@_cdecl("hoist_flagship_flags_key_at") @implementation
public func hoist_flagship_flags_key_at(_ flags: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  Handle<FlagCollection>.borrow(flags)?.entry(at: index)?.key.pointer
}

@_cdecl("hoist_flagship_flags_metadata_at") @implementation
public func hoist_flagship_flags_metadata_at(_ flags: OpaquePointer?, _ index: Int) -> OpaquePointer? {
  Handle<FlagCollection>.borrow(flags)?.entry(at: index).map { Handle<OwnedMetadata>.give($0.flag.metadata) }
}

@_cdecl("hoist_flagship_flags_get") @implementation
public func hoist_flagship_flags_get(_ flags: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let flags = Handle<FlagCollection>.borrow(flags), let key = CString.view(key) else { return nil }
  return Handle<FlagshipFlag>.give(flags.flag(key))
}

@_cdecl("hoist_flagship_flags_set") @implementation
public func hoist_flagship_flags_set(
  _ flags: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ flag: OpaquePointer?
) -> hoist_status {
  guard let flags = Handle<FlagCollection>.borrow(flags), let key = CString.view(key),
    let flag = Handle<FlagshipFlag>.borrow(flag)
  else { return Status.argument.rawValue }
  flags.set(key, to: flag)
  return Status.ok.rawValue
}

@_cdecl("hoist_flagship_flags_for_each") @implementation
public func hoist_flagship_flags_for_each(
  _ flags: OpaquePointer?, _ body: hoist_flagship_each_flag?, _ user_data: UnsafeMutableRawPointer?
) {
  guard let flags = Handle<FlagCollection>.borrow(flags), let body else { return }
  for entry in flags.entries { withExtendedLifetime(entry) { body(user_data, entry.key.pointer, Handle.lent(entry.flag)) } }
}

@_cdecl("hoist_flagship_flags_filter") @implementation
public func hoist_flagship_flags_filter(
  _ flags: OpaquePointer?, _ takes: hoist_flagship_takes_flag?, _ user_data: UnsafeMutableRawPointer?
) -> OpaquePointer? {
  guard let flags = Handle<FlagCollection>.borrow(flags), let takes else { return nil }
  return Handle<FlagCollection>.give(flags.filter { takes(user_data, $0.pointer, Handle.lent($1)) })
}

@_cdecl("hoist_flagship_flags_to_json") @implementation
public func hoist_flagship_flags_to_json(_ flags: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagCollection>.borrow(flags).map { TextHandle.give($0.json) }
}

@_cdecl("hoist_flagship_flags_expose_all") @implementation
public func hoist_flagship_flags_expose_all(_ flags: OpaquePointer?) -> hoist_status {
  (Handle<FlagCollection>.borrow(flags)?.exposeAll() ?? .argument).rawValue
}
