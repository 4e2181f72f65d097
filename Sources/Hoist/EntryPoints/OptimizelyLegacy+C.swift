public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_set_forced_variation") @implementation
public func hoist_optimizely_set_forced_variation(
  _ client: OpaquePointer?, _ experiment_key: UnsafePointer<CChar>?, _ user_id: UnsafePointer<CChar>?,
  _ variation_key: UnsafePointer<CChar>?
) -> Bool {
  let variation = CString.array(variation_key)
  guard let face = OptimizelyFace.of(client), let experiment = CString.array(experiment_key), let user = CString.array(user_id),
    variation_key == nil || variation != nil
  else { return false }
  return face.setForcedVariation(experiment, user: user, variation)
}

@_cdecl("hoist_optimizely_forced_variation") @implementation
public func hoist_optimizely_forced_variation(
  _ client: OpaquePointer?, _ experiment_key: UnsafePointer<CChar>?, _ user_id: UnsafePointer<CChar>?
) -> OpaquePointer? {
  OptimizelyFace.text(of: client) { face in
    guard let experiment = CString.array(experiment_key), let user = CString.array(user_id) else { return nil }
    return face.forcedVariation(experiment, user: user)
  }
}

@_cdecl("hoist_optimizely_activate") @implementation
public func hoist_optimizely_activate(
  _ client: OpaquePointer?, _ experiment_key: UnsafePointer<CChar>?, _ user: OpaquePointer?,
  _ variation_key: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  variation(client, experiment_key, user, variation_key, activates: true)
}

@_cdecl("hoist_optimizely_variation") @implementation
public func hoist_optimizely_variation(
  _ client: OpaquePointer?, _ experiment_key: UnsafePointer<CChar>?, _ user: OpaquePointer?,
  _ variation_key: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  variation(client, experiment_key, user, variation_key, activates: false)
}

private func variation(
  _ client: OpaquePointer?, _ experiment_key: UnsafePointer<CChar>?, _ user: OpaquePointer?,
  _ out: UnsafeMutablePointer<OpaquePointer?>?, activates: Bool
) -> hoist_status {
  out?.pointee = nil
  return answer {
    let face = try OptimizelyFace.need(client)
    guard let key = CString.view(experiment_key) else { return .argument }
    let variation = try face.variation(key, ContextHandle.borrow(user), activates: activates).get()
    out?.pointee = TextHandle.give(variation)
    return .ok
  }
}

@_cdecl("hoist_optimizely_is_feature_enabled") @implementation
public func hoist_optimizely_is_feature_enabled(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ user: OpaquePointer?
) -> Bool {
  guard let face = OptimizelyFace.of(client), let key = CString.view(feature_key) else { return false }
  return face.isFeatureEnabled(key, ContextHandle.borrow(user))
}

@_cdecl("hoist_optimizely_feature_bool") @implementation
public func hoist_optimizely_feature_bool(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ variable_key: UnsafePointer<CChar>?,
  _ user: OpaquePointer?, _ value: UnsafeMutablePointer<Bool>?
) -> hoist_status {
  featureVariable(client, feature_key, variable_key, user, .boolean) {
    if case .boolean(let truth) = $0 { value?.pointee = truth }
  }
}

@_cdecl("hoist_optimizely_feature_int64") @implementation
public func hoist_optimizely_feature_int64(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ variable_key: UnsafePointer<CChar>?,
  _ user: OpaquePointer?, _ value: UnsafeMutablePointer<Int64>?
) -> hoist_status {
  featureVariable(client, feature_key, variable_key, user, .integer) {
    if case .integer(let whole) = $0 { value?.pointee = whole }
  }
}

@_cdecl("hoist_optimizely_feature_double") @implementation
public func hoist_optimizely_feature_double(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ variable_key: UnsafePointer<CChar>?,
  _ user: OpaquePointer?, _ value: UnsafeMutablePointer<Double>?
) -> hoist_status {
  featureVariable(client, feature_key, variable_key, user, .double) {
    if case .double(let number) = $0 { value?.pointee = number }
  }
}

@_cdecl("hoist_optimizely_feature_string") @implementation
public func hoist_optimizely_feature_string(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ variable_key: UnsafePointer<CChar>?,
  _ user: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  value?.pointee = nil
  return featureVariable(client, feature_key, variable_key, user, .string) {
    if case .string(let text) = $0 { value?.pointee = TextHandle.give(text) }
  }
}

@_cdecl("hoist_optimizely_feature_json") @implementation
public func hoist_optimizely_feature_json(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ variable_key: UnsafePointer<CChar>?,
  _ user: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  value?.pointee = nil
  return featureVariable(client, feature_key, variable_key, user, .json) {
    if case .json(let text) = $0 { value?.pointee = TextHandle.give(text) }
  }
}

private func featureVariable(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ variable_key: UnsafePointer<CChar>?,
  _ user: OpaquePointer?, _ type: OptimizelyVariableType, _ take: (OptimizelyValue) -> Void
) -> hoist_status {
  answer {
    let face = try OptimizelyFace.need(client)
    guard let feature = CString.view(feature_key), let key = CString.view(variable_key) else { return .argument }
    _ = try face.variable(key, of: feature, as: type, ContextHandle.borrow(user), take).get()
    return .ok
  }
}

@_cdecl("hoist_optimizely_feature_variables") @implementation
public func hoist_optimizely_feature_variables(
  _ client: OpaquePointer?, _ feature_key: UnsafePointer<CChar>?, _ user: OpaquePointer?
) -> OpaquePointer? {
  OptimizelyFace.text(of: client, orElse: "null") { face in
    CString.view(feature_key).flatMap { try? face.variables(of: $0, ContextHandle.borrow(user)).get() }
  }
}

@_cdecl("hoist_optimizely_enabled_features") @implementation
public func hoist_optimizely_enabled_features(_ client: OpaquePointer?, _ user: OpaquePointer?) -> OpaquePointer? {
  OptimizelyFace.text(of: client, orElse: "[]") { try? $0.enabledFeatures(ContextHandle.borrow(user)).get() }
}

@_cdecl("hoist_optimizely_track") @implementation
public func hoist_optimizely_track(
  _ client: OpaquePointer?, _ event_key: UnsafePointer<CChar>?, _ user: OpaquePointer?,
  _ tags_json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  OptimizelyTracking.track(event_key, tags_json, length, error) {
    let face = try OptimizelyFace.need(client)
    return { face.track($0, ContextHandle.borrow(user), tags: $1) }
  }
}
