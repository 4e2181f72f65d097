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
    object.state != .closed
  else {
    return hoist_client_bool(client, name, context, false, nil)
  }
  let key = CString.bytes(name)
  let known = object.evaluate(key, ContextHandle.subject(context), .bool, []) { evaluation, _ -> Bool in
    evaluation.errorCode != .flagNotFound && evaluation.errorCode != .providerNotReady
  }
  if known { return hoist_client_bool(client, name, context, false, nil) }
  let answer = face.answersForUnknown ? fallback(user_data, name, context) : false
  if let text = CString.text(name) { face.countFallback(text, enabled: answer) }
  return answer
}

@_cdecl("hoist_unleash_check_enabled") @implementation
public func hoist_unleash_check_enabled(_ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?) -> Bool {
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
public func hoist_unleash_variant_name(_ variant: OpaquePointer?) -> UnsafePointer<CChar> {
  Handle<HeldVariant>.borrow(variant)?.name.pointer ?? Constants.pointer("disabled")
}

@_cdecl("hoist_unleash_variant_enabled") @implementation
public func hoist_unleash_variant_enabled(_ variant: OpaquePointer?) -> Bool {
  Handle<HeldVariant>.borrow(variant)?.isEnabled ?? false
}

@_cdecl("hoist_unleash_variant_feature_enabled") @implementation
public func hoist_unleash_variant_feature_enabled(_ variant: OpaquePointer?) -> hoist_unleash_tristate {
  guard let variant = Handle<HeldVariant>.borrow(variant), let sent = variant.featureEnabled else { return -1 }
  return sent ? 1 : 0
}

@_cdecl("hoist_unleash_variant_is_feature_enabled") @implementation
public func hoist_unleash_variant_is_feature_enabled(_ variant: OpaquePointer?) -> Bool {
  Handle<HeldVariant>.borrow(variant)?.isFeatureEnabled ?? false
}

@_cdecl("hoist_unleash_variant_payload_type") @implementation
public func hoist_unleash_variant_payload_type(_ variant: OpaquePointer?) -> UnsafePointer<CChar> {
  Handle<HeldVariant>.borrow(variant)?.payloadType?.pointer ?? Constants.empty
}

@_cdecl("hoist_unleash_variant_payload_value") @implementation
public func hoist_unleash_variant_payload_value(_ variant: OpaquePointer?) -> UnsafePointer<CChar> {
  Handle<HeldVariant>.borrow(variant)?.payloadValue?.pointer ?? Constants.empty
}

@_cdecl("hoist_unleash_variant_free") @implementation
public func hoist_unleash_variant_free(_ variant: OpaquePointer?) { Handle<HeldVariant>.take(variant) }

private enum VariantHandle {
  static func make(
    _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ mode: EvaluationMode
  ) -> OpaquePointer? {
    guard let name, let client = ClientHandle.borrow(client), let face = UnleashFace(client) else { return nil }
    return Handle<HeldVariant>.give(face.variant(CString.bytes(name), ContextHandle.subject(context), mode))
  }
}

@_cdecl("hoist_unleash_list_toggles") @implementation
public func hoist_unleash_list_toggles(_ client: OpaquePointer?) -> OpaquePointer? {
  unleash(client).map { TextHandle.give($0.listing()) }
}

@_cdecl("hoist_unleash_context_from_json") @implementation
public func hoist_unleash_context_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  let slot = ErrorSlot(error)
  guard let text = CString.json(json, length, slot) else { return nil }
  do throws(UnleashDocumentFailure) {
    return ContextHandle.give(try UnleashContextReader.read(text))
  } catch {
    _ = slot.fail(.parse, error.message)
    return nil
  }
}

@_cdecl("hoist_unleash_start") @implementation
public func hoist_unleash_start(
  _ client: OpaquePointer?, _ bootstrap: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let object = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  guard let face = UnleashFace(object) else { return Status.unsupported.rawValue }
  let completion = done.map { Completion($0, user_data) }
  return object.promise(completion?.call) {
    face.start(bootstrap: Handle<BootstrapBox>.borrow(bootstrap)?.document, completion: $0)
  }.rawValue
}

@_cdecl("hoist_unleash_start_wait") @implementation
public func hoist_unleash_start_wait(_ client: OpaquePointer?, _ bootstrap: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  waiting(client, timeout_ms) { face, done in face.start(bootstrap: Handle<BootstrapBox>.borrow(bootstrap)?.document, completion: done) }
}

@_cdecl("hoist_unleash_stop") @implementation
public func hoist_unleash_stop(_ client: OpaquePointer?) -> hoist_status {
  guard ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  return (unleash(client)?.stop() ?? .unsupported).rawValue
}

@_cdecl("hoist_unleash_is_ready") @implementation
public func hoist_unleash_is_ready(_ client: OpaquePointer?) -> Bool { unleash(client)?.isReady ?? false }

@_cdecl("hoist_unleash_last_error") @implementation
public func hoist_unleash_last_error(_ client: OpaquePointer?) -> hoist_status {
  guard ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  return (unleash(client)?.lastFailure ?? .unsupported).rawValue
}

@_cdecl("hoist_unleash_update_context") @implementation
public func hoist_unleash_update_context(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ properties: OpaquePointer?, _ done: hoist_done?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let object = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  guard let face = UnleashFace(object) else { return Status.unsupported.rawValue }
  let completion = done.map { Completion($0, user_data) }
  return object.promise(completion?.call) {
    face.updateContext(members(context), properties: members(properties), completion: $0)
  }.rawValue
}

@_cdecl("hoist_unleash_update_context_wait") @implementation
public func hoist_unleash_update_context_wait(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ properties: OpaquePointer?, _ timeout_ms: Int64
) -> hoist_status {
  waiting(client, timeout_ms) { face, done in
    face.updateContext(members(context), properties: members(properties), completion: done)
  }
}

@_cdecl("hoist_unleash_set_context_field") @implementation
public func hoist_unleash_set_context_field(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  guard ClientHandle.borrow(client) != nil, let name = CString.text(name), !name.isEmpty,
    value == nil || CString.text(value) != nil
  else { return Status.argument.rawValue }
  return (unleash(client)?.setContextField(name, CString.text(value)) ?? .unsupported).rawValue
}

@_cdecl("hoist_unleash_context") @implementation
public func hoist_unleash_context(_ client: OpaquePointer?) -> OpaquePointer? {
  unleash(client).map { TextHandle.give($0.flattenedContextJSON()) }
}

@_cdecl("hoist_unleash_event_topic") @implementation
public func hoist_unleash_event_topic(_ name: UnsafePointer<CChar>?) -> hoist_topic {
  CString.text(name).flatMap { UnleashFace.topic(ofEvent: $0) }?.rawValue ?? 0
}

/// nil for NULL and for clients of other services.
private func unleash(_ client: OpaquePointer?) -> UnleashFace? { ClientHandle.borrow(client).flatMap { UnleashFace($0) } }

private func members(_ context: OpaquePointer?) -> [String: String] {
  ContextHandle.borrow(context).map { UnleashFace.members(of: $0) } ?? [:]
}

/// Runs an asynchronous call and waits for its end.
private func waiting(
  _ client: OpaquePointer?, _ timeout_ms: Int64,
  _ begin: (UnleashFace, @escaping @Sendable (Status) -> Void) -> Status
) -> hoist_status {
  guard let object = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  guard let face = UnleashFace(object) else { return Status.unsupported.rawValue }
  if Thread.isOwn { return Status.state.rawValue }
  let answer = Answer<Status>()
  let begun = begin(face) { answer.give($0) }
  guard begun == .ok else { return begun.rawValue }
  return (answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeout_ms)) ?? .timeout).rawValue
}
