public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_context_key_name") @implementation
public func hoist_flagship_context_key_name(_ key: hoist_flagship_context_key) -> UnsafePointer<CChar> {
  Constants.pointer(PredefinedKey(rawValue: key)?.name ?? "")
}

@_cdecl("hoist_flagship_visitor_set_string") @implementation
public func hoist_flagship_visitor_set_string(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  set(visitor, key, CString.array(value).map { .string($0) })
}

@_cdecl("hoist_flagship_visitor_set_bool") @implementation
public func hoist_flagship_visitor_set_bool(_ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Bool)
  -> hoist_status
{
  set(visitor, key, .bool(value))
}

@_cdecl("hoist_flagship_visitor_set_int64") @implementation
public func hoist_flagship_visitor_set_int64(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Int64
) -> hoist_status {
  set(visitor, key, .int(value))
}

@_cdecl("hoist_flagship_visitor_set_double") @implementation
public func hoist_flagship_visitor_set_double(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Double
) -> hoist_status {
  set(visitor, key, .double(value))
}

/// - Parameter value: nil for one that C gave wrongly.
private func set(_ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: AttributeValue?) -> hoist_status {
  guard let visitor = Handle<FlagshipVisitor>.borrow(visitor), let key = CString.array(key), let value else {
    return Status.argument.rawValue
  }
  return visitor.updateContext([Attribute(name: key, value: value)]).rawValue
}

@_cdecl("hoist_flagship_visitor_update_context") @implementation
public func hoist_flagship_visitor_update_context(_ visitor: OpaquePointer?, _ context: OpaquePointer?) -> hoist_status {
  guard let visitor = Handle<FlagshipVisitor>.borrow(visitor), let context = ContextHandle.borrow(context) else {
    return Status.argument.rawValue
  }
  return visitor.updateContext(context.content.attributes).rawValue
}

@_cdecl("hoist_flagship_visitor_update_context_json") @implementation
public func hoist_flagship_visitor_update_context_json(
  _ visitor: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int
) -> hoist_status {
  guard let visitor = Handle<FlagshipVisitor>.borrow(visitor), json != nil, let json = CString.array(json, length) else {
    return Status.argument.rawValue
  }
  guard let pairs = FlagshipVisitor.pairs(ofJSON: json) else { return Status.parse.rawValue }
  return visitor.updateContext(pairs).rawValue
}

@_cdecl("hoist_flagship_visitor_clear_context") @implementation
public func hoist_flagship_visitor_clear_context(_ visitor: OpaquePointer?) -> hoist_status {
  (Handle<FlagshipVisitor>.borrow(visitor)?.clearContext() ?? .argument).rawValue
}

@_cdecl("hoist_flagship_visitor_context") @implementation
public func hoist_flagship_visitor_context(_ visitor: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagshipVisitor>.borrow(visitor).map { TextHandle.give($0.contextText) }
}
