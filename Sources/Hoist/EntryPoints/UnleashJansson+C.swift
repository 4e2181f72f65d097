public import CHoist
public import CHoist.Jansson

@_cdecl("hoist_unleash_context_from_jansson") @implementation
public func hoist_unleash_context_from_jansson(
  _ object: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  JanssonText.make(object, error) { hoist_unleash_context_from_json($0, $1, error) }
}

@_cdecl("hoist_unleash_context_jansson") @implementation
public func hoist_unleash_context_jansson(_ client: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_unleash_context(client))
}

@_cdecl("hoist_unleash_list_toggles_jansson") @implementation
public func hoist_unleash_list_toggles_jansson(_ client: OpaquePointer?) -> UnsafeMutablePointer<json_t>? {
  JanssonText.value(taking: hoist_unleash_list_toggles(client))
}

@_cdecl("hoist_unleash_bootstrap_from_jansson") @implementation
public func hoist_unleash_bootstrap_from_jansson(
  _ document: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  JanssonText.make(document, error) { hoist_unleash_bootstrap_from_json($0, $1, error) }
}
