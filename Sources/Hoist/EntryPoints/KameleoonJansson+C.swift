public import CHoist
public import CHoist.Jansson

@_cdecl("hoist_kameleoon_data_from_jansson") @implementation
public func hoist_kameleoon_data_from_jansson(
  _ object: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  JanssonText.make(object, error) { hoist_kameleoon_data_from_json($0, $1, error) }
}

@_cdecl("hoist_kameleoon_visitor_add_remote_visitor_data_jansson") @implementation
public func hoist_kameleoon_visitor_add_remote_visitor_data_jansson(
  _ visitor: OpaquePointer?, _ object: UnsafePointer<json_t>?, _ track: Bool, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  JanssonText.send(object, error) { hoist_kameleoon_visitor_add_remote_visitor_data(visitor, $0, $1, track, error) }
}

@_cdecl("hoist_kameleoon_data_to_jansson") @implementation
public func hoist_kameleoon_data_to_jansson(_ data: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_kameleoon_data_to_json(data))
}

@_cdecl("hoist_kameleoon_variable_jansson") @implementation
public func hoist_kameleoon_variable_jansson(_ variable: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  hoist_kameleoon_variable_json(variable).flatMap { JanssonText.value(Array(CString.bytes($0))) }
}

@_cdecl("hoist_kameleoon_variation_to_jansson") @implementation
public func hoist_kameleoon_variation_to_jansson(_ variation: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_kameleoon_variation_to_json(variation))
}

@_cdecl("hoist_kameleoon_visitor_explain_jansson") @implementation
public func hoist_kameleoon_visitor_explain_jansson(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_kameleoon_visitor_explain(visitor, key))
}

@_cdecl("hoist_kameleoon_feature_list_jansson") @implementation
public func hoist_kameleoon_feature_list_jansson(
  _ client: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_kameleoon_feature_list(client, error))
}

@_cdecl("hoist_kameleoon_datafile_jansson") @implementation
public func hoist_kameleoon_datafile_jansson(
  _ client: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_kameleoon_datafile(client, error))
}

@_cdecl("hoist_kameleoon_visitor_active_feature_list_jansson") @implementation
public func hoist_kameleoon_visitor_active_feature_list_jansson(
  _ visitor: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: KameleoonListing.activeFeatures(visitor, error))
}

@_cdecl("hoist_kameleoon_feature_variation_variables_jansson") @implementation
public func hoist_kameleoon_feature_variation_variables_jansson(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?,
  _ variation_key: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: KameleoonListing.variables(client, key, variation_key, error))
}

@_cdecl("hoist_kameleoon_visitor_get_remote_data_wait_jansson") @implementation
public func hoist_kameleoon_visitor_get_remote_data_wait_jansson(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?,
  _ timeout_ms: Int64, _ data: UnsafeMutablePointer<UnsafeMutablePointer<json_t>?>?
) -> hoist_status {
  JanssonText.hand(data) { hoist_kameleoon_visitor_get_remote_data_wait(visitor, key, timeout_ms, $0) }
}
