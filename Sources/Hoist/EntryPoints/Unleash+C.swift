public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistUnleash

@_cdecl("hoist_unleash_version") @implementation
public func hoist_unleash_version() -> UnsafePointer<CChar> { Constants.pointer("unleash-hoist-sdk:0.1.0") }

@_cdecl("hoist_unleash_is_enabled") @implementation
public func hoist_unleash_is_enabled(_ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?) -> Bool {
  hoist_client_bool(client, name, context, false, nil)
}

@_cdecl("hoist_unleash_is_enabled_or") @implementation
public func hoist_unleash_is_enabled_or(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ fallback: hoist_unleash_fallback?, _ user_data: UnsafeMutableRawPointer?
) -> Bool {
  guard let fallback, let name, let object = ClientHandle.borrow(client), let face = UnleashFace(object),
    !object.isClosed
  else {
    return hoist_client_bool(client, name, context, false, nil)
  }
  let key = CString.bytes(name)
  let known = object.evaluate(key, ContextHandle.subject(context), .bool, []) { evaluation, _ -> Bool in
    evaluation.errorCode != .flagNotFound && evaluation.errorCode != .providerNotReady
  }
  if known { return hoist_client_bool(client, name, context, false, nil) }
  let answer = fallback(user_data, name, context)
  if let text = CString.text(name) { face.countFallback(text, enabled: answer) }
  return answer
}

@_cdecl("hoist_unleash_check_enabled") @implementation
public func hoist_unleash_check_enabled(_ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?)
  -> Bool
{
  guard let name, let client = ClientHandle.borrow(client) else { return false }
  return client.evaluate(CString.bytes(name), ContextHandle.subject(context), .bool, []) { evaluation, _ in
    evaluation.kind == .bool && evaluation.integer != 0
  }
}

@_cdecl("hoist_unleash_get_variant") @implementation
public func hoist_unleash_get_variant(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?
) -> OpaquePointer? {
  VariantHandle.make(client, name, context, .counted)
}

@_cdecl("hoist_unleash_check_variant") @implementation
public func hoist_unleash_check_variant(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?
) -> OpaquePointer? {
  VariantHandle.make(client, name, context, [])
}

@_cdecl("hoist_unleash_variant_name") @implementation
public func hoist_unleash_variant_name(_ variant: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OwnedVariant>.borrow(variant)?.name.pointer
}

@_cdecl("hoist_unleash_variant_enabled") @implementation
public func hoist_unleash_variant_enabled(_ variant: OpaquePointer?) -> Bool {
  Handle<OwnedVariant>.borrow(variant)?.isEnabled ?? false
}

@_cdecl("hoist_unleash_variant_feature_enabled") @implementation
public func hoist_unleash_variant_feature_enabled(_ variant: OpaquePointer?) -> hoist_unleash_tristate {
  guard let variant = Handle<OwnedVariant>.borrow(variant), let sent = variant.featureEnabled else { return -1 }
  return sent ? 1 : 0
}

@_cdecl("hoist_unleash_variant_is_feature_enabled") @implementation
public func hoist_unleash_variant_is_feature_enabled(_ variant: OpaquePointer?) -> Bool {
  Handle<OwnedVariant>.borrow(variant)?.isFeatureEnabled ?? false
}

@_cdecl("hoist_unleash_variant_payload_type") @implementation
public func hoist_unleash_variant_payload_type(_ variant: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OwnedVariant>.borrow(variant).map { $0.payloadType?.pointer ?? Constants.empty }
}

@_cdecl("hoist_unleash_variant_payload_value") @implementation
public func hoist_unleash_variant_payload_value(_ variant: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OwnedVariant>.borrow(variant).map { $0.payloadValue?.pointer ?? Constants.empty }
}

@_cdecl("hoist_unleash_variant_free") @implementation
public func hoist_unleash_variant_free(_ variant: OpaquePointer?) { Handle<OwnedVariant>.take(variant) }

private enum VariantHandle {
  static func make(
    _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ mode: EvaluationMode
  ) -> OpaquePointer? {
    guard let name, let client = ClientHandle.borrow(client) else { return nil }
    // Another service's client has no toggles.
    let variant = UnleashFace(client).map { $0.variant(CString.bytes(name), ContextHandle.subject(context), mode) }
    return Handle.give(variant ?? OwnedVariant.disabled)
  }
}

@_cdecl("hoist_unleash_list_toggles") @implementation
public func hoist_unleash_list_toggles(_ client: OpaquePointer?) -> OpaquePointer? {
  ClientHandle.borrow(client).map { TextHandle.give(UnleashFace($0)?.listing() ?? Array("[]".utf8)) }
}

@_cdecl("hoist_unleash_context_from_json") @implementation
public func hoist_unleash_context_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) { ContextHandle.give(try UnleashContextReader.read(try CString.json(json, length))) }
}

@_cdecl("hoist_unleash_start") @implementation
public func hoist_unleash_start(
  _ client: OpaquePointer?, _ bootstrap: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  answer {
    let face = try UnleashFace.need(client)
    return try ClientHandle.need(client).promise(completion(done, user_data)) {
      face.start(bootstrap: document(bootstrap, client), completion: $0)
    }
  }
}

@_cdecl("hoist_unleash_start_wait") @implementation
public func hoist_unleash_start_wait(_ client: OpaquePointer?, _ bootstrap: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  waiting(client, timeout_ms) { face, done in face.start(bootstrap: document(bootstrap, client), completion: done) }
}

/// nil without a bootstrap.
private func document(_ bootstrap: OpaquePointer?, _ client: OpaquePointer?) -> [UInt8]? {
  let box = Handle<BootstrapBox>.borrow(bootstrap)
  for doubt in box?.doubts ?? [] { ClientHandle.borrow(client)?.log.warning(doubt) }
  return box?.document
}

@_cdecl("hoist_unleash_stop") @implementation
public func hoist_unleash_stop(_ client: OpaquePointer?) -> hoist_status {
  answer { try UnleashFace.need(client).stop() }
}

@_cdecl("hoist_unleash_is_ready") @implementation
public func hoist_unleash_is_ready(_ client: OpaquePointer?) -> Bool { UnleashFace.of(client)?.isReady ?? false }

@_cdecl("hoist_unleash_last_error") @implementation
public func hoist_unleash_last_error(_ client: OpaquePointer?) -> hoist_status {
  answer { try UnleashFace.need(client).lastFailure }
}

@_cdecl("hoist_unleash_update_context") @implementation
public func hoist_unleash_update_context(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ properties: OpaquePointer?, _ done: hoist_done?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  answer {
    let face = try UnleashFace.need(client)
    return try ClientHandle.need(client).promise(completion(done, user_data)) {
      face.updateContext(members(context, face), properties: members(properties, face), completion: $0)
    }
  }
}

@_cdecl("hoist_unleash_update_context_wait") @implementation
public func hoist_unleash_update_context_wait(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ properties: OpaquePointer?, _ timeout_ms: Int64
) -> hoist_status {
  waiting(client, timeout_ms) { face, done in
    face.updateContext(members(context, face), properties: members(properties, face), completion: done)
  }
}

@_cdecl("hoist_unleash_set_context_field") @implementation
public func hoist_unleash_set_context_field(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  answer {
    let face = try UnleashFace.need(client)
    return face.setContextField(try CString.needPath(name, "name"), try value.map { try CString.need($0, "value") })
  }
}

@_cdecl("hoist_unleash_context") @implementation
public func hoist_unleash_context(_ client: OpaquePointer?) -> OpaquePointer? {
  ClientHandle.borrow(client).map { TextHandle.give(UnleashFace($0)?.flattenedContextJSON() ?? Array("{}".utf8)) }
}

@_cdecl("hoist_unleash_event_topic") @implementation
public func hoist_unleash_event_topic(_ name: UnsafePointer<CChar>?) -> hoist_topic {
  CString.text(name).flatMap { UnleashFace.topic(ofEvent: $0) }?.rawValue ?? 0
}

private func members(_ context: OpaquePointer?, _ face: UnleashFace) -> [String: String] {
  ContextHandle.borrow(context).map { face.members(of: $0) } ?? [:]
}

/// Runs an asynchronous call and waits for its end.
private func waiting(
  _ client: OpaquePointer?, _ timeout_ms: Int64,
  _ begin: (UnleashFace, @escaping @Sendable (Status) -> Void) -> Status
) -> hoist_status {
  answer {
    let face = try UnleashFace.need(client)
    if Thread.isOwn { return .state }
    let answer = Completion<Status>()
    let begun = begin(face) { answer.give($0) }
    guard begun == .ok else { return begun }
    return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeout_ms)) ?? .timeout
  }
}
