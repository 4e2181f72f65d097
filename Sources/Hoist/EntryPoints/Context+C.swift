public import CHoist
internal import HoistBase
internal import HoistCore

@_cdecl("hoist_context_new") @implementation
public func hoist_context_new(_ targeting_key: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard targeting_key != nil else { return ContextHandle.give(EvaluationContext()) }
  return CString.array(targeting_key).map { ContextHandle.give(EvaluationContext(targetingKey: $0)) }
}

@_cdecl("hoist_context_copy") @implementation
public func hoist_context_copy(_ context: OpaquePointer?) -> OpaquePointer? {
  ContextHandle.copy(context).map { ContextHandle.give($0) }
}

@_cdecl("hoist_context_free") @implementation
public func hoist_context_free(_ context: OpaquePointer?) { ContextHandle.take(context) }

@_cdecl("hoist_context_set_targeting_key") @implementation
public func hoist_context_set_targeting_key(_ context: OpaquePointer?, _ targeting_key: UnsafePointer<CChar>?) -> hoist_status {
  let key = CString.array(targeting_key)
  guard let object = ContextHandle.borrow(context), targeting_key == nil || key != nil else { return Status.argument.rawValue }
  object.setTargetingKey(key)
  return Status.ok.rawValue
}

@_cdecl("hoist_context_set_string") @implementation
public func hoist_context_set_string(
  _ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  set(context, name, CString.array(value).map { .string($0) })
}

@_cdecl("hoist_context_set_bool") @implementation
public func hoist_context_set_bool(_ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Bool) -> hoist_status {
  set(context, name, .bool(value))
}

@_cdecl("hoist_context_set_int64") @implementation
public func hoist_context_set_int64(_ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Int64) -> hoist_status {
  set(context, name, .int(value))
}

@_cdecl("hoist_context_set_double") @implementation
public func hoist_context_set_double(_ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Double) -> hoist_status {
  set(context, name, .double(value))
}

@_cdecl("hoist_context_set_date") @implementation
public func hoist_context_set_date(_ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ at_unix_ms: Int64) -> hoist_status
{
  set(context, name, .date(at_unix_ms))
}

@_cdecl("hoist_context_set_strings") @implementation
public func hoist_context_set_strings(
  _ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
) -> hoist_status {
  answer {
    let list = try CString.list(values, count, limit: EvaluationContext.maximumValueBytes)
    return Status(rawValue: set(context, name, .strings(list)))
  }
}

@_cdecl("hoist_context_set_json") @implementation
public func hoist_context_set_json(
  _ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ length: Int
) -> hoist_status {
  guard ContextHandle.borrow(context) != nil, let json, length >= 0, CString.text(name) != nil else {
    return Status.argument.rawValue
  }
  guard let value = ContextJSON.value(UnsafeRawBufferPointer(start: json, count: length)) else {
    return Status.parse.rawValue
  }
  return set(context, name, value)
}

@_cdecl("hoist_context_remove") @implementation
public func hoist_context_remove(_ context: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  guard let object = ContextHandle.borrow(context), let name = CString.array(name) else { return Status.argument.rawValue }
  return (object.remove(name) ? Status.ok : .notFound).rawValue
}

@_cdecl("hoist_context_from_json") @implementation
public func hoist_context_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? { result(error) { ContextHandle.give(try ContextJSON.context(try CString.json(json, length))) } }

@_cdecl("hoist_context_to_json") @implementation
public func hoist_context_to_json(_ context: OpaquePointer?) -> OpaquePointer? {
  (ContextHandle.borrow(context) ?? ContextHandle.copy(context)).map { TextHandle.give(ContextJSON.text(of: $0)) }
}

/// - Parameter value: nil for one that C gave wrongly.
private func set(_ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: AttributeValue?) -> hoist_status {
  guard let object = ContextHandle.borrow(context), let name = CString.array(name), let value else {
    return Status.argument.rawValue
  }
  return attempt { try object.set(name, value) }
}
