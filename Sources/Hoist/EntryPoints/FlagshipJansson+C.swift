public import CHoist
public import CHoist.Jansson
internal import HoistCore

@_cdecl("hoist_flagship_visitor_jansson") @implementation
public func hoist_flagship_visitor_jansson(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?,
  _ fallback: UnsafePointer<json_t>?, _ exposed: Bool, _ value: UnsafeMutablePointer<UnsafeMutablePointer<json_t>?>?
) -> hoist_status {
  JanssonText.hand(value, orElse: fallback) { hoist_flagship_visitor_json(visitor, key, $0, exposed, $1) }
}

@_cdecl("hoist_flagship_flag_jansson") @implementation
public func hoist_flagship_flag_jansson(
  _ flag: OpaquePointer?, _ fallback: UnsafePointer<json_t>?,
  _ exposed: Bool, _ value: UnsafeMutablePointer<UnsafeMutablePointer<json_t>?>?
) -> hoist_status {
  JanssonText.hand(value, orElse: fallback) { hoist_flagship_flag_json(flag, $0, exposed, $1) }
}

@_cdecl("hoist_flagship_flag_explain_jansson") @implementation
public func hoist_flagship_flag_explain_jansson(_ flag: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_flagship_flag_explain(flag))
}

@_cdecl("hoist_flagship_metadata_to_jansson") @implementation
public func hoist_flagship_metadata_to_jansson(_ metadata: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_flagship_metadata_to_json(metadata))
}

@_cdecl("hoist_flagship_flags_to_jansson") @implementation
public func hoist_flagship_flags_to_jansson(_ flags: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_flagship_flags_to_json(flags))
}

@_cdecl("hoist_flagship_visitor_update_context_jansson") @implementation
public func hoist_flagship_visitor_update_context_jansson(
  _ visitor: OpaquePointer?, _ object: UnsafePointer<json_t>?
) -> hoist_status {
  JanssonText.send(object) { hoist_flagship_visitor_update_context_json(visitor, $0, $1) }
}

@_cdecl("hoist_flagship_visitor_context_jansson") @implementation
public func hoist_flagship_visitor_context_jansson(_ visitor: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_flagship_visitor_context(visitor))
}

@_cdecl("hoist_flagship_visitor_export_jansson") @implementation
public func hoist_flagship_visitor_export_jansson(_ visitor: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_flagship_visitor_export(visitor))
}

@_cdecl("hoist_flagship_collect_emotion_jansson") @implementation
public func hoist_flagship_collect_emotion_jansson(
  _ client: OpaquePointer?, _ event: UnsafePointer<json_t>?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  JanssonText.send(event) { hoist_flagship_collect_emotion(client, $0, $1, done, user_data) }
}

@_cdecl("hoist_flagship_visitor_lookup_reply_jansson") @implementation
public func hoist_flagship_visitor_lookup_reply_jansson(
  _ lookup: OpaquePointer?, _ record: UnsafePointer<json_t>?
) -> hoist_status {
  record == nil
    ? hoist_flagship_visitor_lookup_reply(lookup, nil, 0)
    : JanssonText.send(record) { hoist_flagship_visitor_lookup_reply(lookup, $0, $1) }
}

@_cdecl("hoist_flagship_hit_lookup_reply_jansson") @implementation
public func hoist_flagship_hit_lookup_reply_jansson(
  _ lookup: OpaquePointer?, _ records: UnsafePointer<json_t>?
) -> hoist_status {
  records == nil
    ? hoist_flagship_hit_lookup_reply(lookup, nil, 0)
    : JanssonText.send(records) { hoist_flagship_hit_lookup_reply(lookup, $0, $1) }
}
