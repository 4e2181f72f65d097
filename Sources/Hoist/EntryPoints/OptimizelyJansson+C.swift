public import CHoist
public import CHoist.Jansson
internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import HoistOptimizely

@_cdecl("hoist_optimizely_user_set_jansson") @implementation
public func hoist_optimizely_user_set_jansson(
  _ user: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<json_t>?
) -> hoist_status {
  JanssonText.lend(value) { hoist_optimizely_user_set_json(user, name, $0, $1) } ?? Status.argument.rawValue
}

@_cdecl("hoist_optimizely_user_attributes_jansson") @implementation
public func hoist_optimizely_user_attributes_jansson(_ user: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_user_attributes(user))
}

@_cdecl("hoist_optimizely_user_track_jansson") @implementation
public func hoist_optimizely_user_track_jansson(
  _ user: OpaquePointer?, _ event_key: UnsafePointer<CChar>?, _ tags: UnsafePointer<json_t>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  JanssonText.lend(tags) { hoist_optimizely_user_track(user, event_key, $0, $1, error) }
    ?? ErrorSlot(error).fail(.argument, "tags are NULL, or nested too deeply")
}

@_cdecl("hoist_optimizely_send_odp_event_jansson") @implementation
public func hoist_optimizely_send_odp_event_jansson(
  _ client: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ action: UnsafePointer<CChar>?,
  _ identifiers: UnsafePointer<json_t>?, _ data: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let texts = (JanssonText.bytes(identifiers), JanssonText.bytes(data))
  guard (texts.0 != nil || identifiers == nil) && (texts.1 != nil || data == nil) else {
    return ErrorSlot(error).fail(.argument, "identifiers or data are nested too deeply")
  }
  return (texts.0 ?? []).withBytes { identifierBytes in
    (texts.1 ?? []).withBytes { dataBytes in
      sendPlatformEvent(
        client, type, action, identifiers == nil ? nil : identifierBytes, data == nil ? nil : dataBytes, error)
    }
  }
}

@_cdecl("hoist_optimizely_decision_variables_jansson") @implementation
public func hoist_optimizely_decision_variables_jansson(_ decision: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  Handle<OwnedDecision>.borrow(decision).flatMap { JanssonText.value(Array($0.variables)) }
}

@_cdecl("hoist_optimizely_decision_value_jansson") @implementation
public func hoist_optimizely_decision_value_jansson(
  _ decision: OpaquePointer?, _ path: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_decision_value(decision, path))
}

@_cdecl("hoist_optimizely_decision_to_jansson") @implementation
public func hoist_optimizely_decision_to_jansson(_ decision: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_decision_to_json(decision))
}

@_cdecl("hoist_optimizely_decisions_to_jansson") @implementation
public func hoist_optimizely_decisions_to_jansson(_ decisions: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_decisions_to_json(decisions))
}

@_cdecl("hoist_optimizely_start_with_datafile_jansson") @implementation
public func hoist_optimizely_start_with_datafile_jansson(
  _ client: OpaquePointer?, _ datafile: UnsafePointer<json_t>?,
  _ flags: UInt32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  JanssonText.send(datafile, error) { hoist_optimizely_start_with_datafile(client, $0, $1, flags, error) }
}

@_cdecl("hoist_optimizely_datafile_jansson") @implementation
public func hoist_optimizely_datafile_jansson(_ client: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_datafile(client))
}

@_cdecl("hoist_optimizely_saved_datafile_jansson") @implementation
public func hoist_optimizely_saved_datafile_jansson(_ client: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_saved_datafile(client))
}

@_cdecl("hoist_optimizely_save_datafile_jansson") @implementation
public func hoist_optimizely_save_datafile_jansson(
  _ client: OpaquePointer?, _ datafile: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  JanssonText.send(datafile, error) { hoist_optimizely_save_datafile(client, $0, $1, error) }
}

@_cdecl("hoist_optimizely_config_to_jansson") @implementation
public func hoist_optimizely_config_to_jansson(_ client: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_config_to_json(client))
}

@_cdecl("hoist_optimizely_profile_sink_put_jansson") @implementation
public func hoist_optimizely_profile_sink_put_jansson(
  _ sink: OpaquePointer?, _ profile: UnsafePointer<json_t>?
) -> hoist_status {
  JanssonText.send(profile) { hoist_optimizely_profile_sink_put(sink, $0, $1) }
}

@_cdecl("hoist_optimizely_user_segments_jansson") @implementation
public func hoist_optimizely_user_segments_jansson(_ user: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_user_segments(user))
}

@_cdecl("hoist_optimizely_user_explain_jansson") @implementation
public func hoist_optimizely_user_explain_jansson(
  _ user: OpaquePointer?, _ key: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_user_explain(user, key))
}

@_cdecl("hoist_optimizely_feature_jansson") @implementation
public func hoist_optimizely_feature_jansson(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?,
  _ variable_key: UnsafePointer<CChar>?, _ user: OpaquePointer?, _ value: UnsafeMutablePointer<UnsafeMutablePointer<json_t>?>?
) -> hoist_status {
  JanssonText.hand(value) { hoist_optimizely_feature_json(client, feature_key, variable_key, user, $0) }
}

@_cdecl("hoist_optimizely_feature_variables_jansson") @implementation
public func hoist_optimizely_feature_variables_jansson(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ user: OpaquePointer?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_feature_variables(client, feature_key, user))
}

@_cdecl("hoist_optimizely_enabled_features_jansson") @implementation
public func hoist_optimizely_enabled_features_jansson(
  _ client: OpaquePointer?, _ user: OpaquePointer?
) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_optimizely_enabled_features(client, user))
}

@_cdecl("hoist_optimizely_track_jansson") @implementation
public func hoist_optimizely_track_jansson(
  _ client: OpaquePointer?, _ event_key: UnsafePointer<CChar>?,
  _ user: OpaquePointer?, _ tags: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  JanssonText.send(tags, error) { hoist_optimizely_track(client, event_key, user, $0, $1, error) }
}
