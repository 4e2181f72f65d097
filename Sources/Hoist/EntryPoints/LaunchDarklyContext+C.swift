internal import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_context_from_json") @implementation
public func hoist_launchdarkly_context_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) { Handle.give(OwnedContext(try LDContext.read(given: try CString.json(json, length)))) }
}

@_cdecl("hoist_launchdarkly_context_to_json") @implementation
public func hoist_launchdarkly_context_to_json(_ context: OpaquePointer?) -> OpaquePointer? {
  held(context).map { TextHandle.give($0.requestJSON) }
}

@_cdecl("hoist_launchdarkly_context_redacted") @implementation
public func hoist_launchdarkly_context_redacted(
  _ context: OpaquePointer?, _ references: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ options: UInt32
) -> OpaquePointer? {
  guard let context = held(context), let references = try? CString.list(references, count, limit: LDContext.maximumAttributes)
  else { return nil }
  let redaction = Redaction(
    allAttributesPrivate: options & UInt32(HOIST_LAUNCHDARKLY_REDACT_ALL) != 0,
    globalPrivate: references.map { AttributeReference(String(decoding: $0, as: UTF8.self)) })
  let hidesAnonymous = options & UInt32(HOIST_LAUNCHDARKLY_REDACT_ANONYMOUS) != 0
  return TextHandle.give(redaction.json(of: context, hidingAnonymous: hidesAnonymous))
}

@_cdecl("hoist_launchdarkly_context_from_hoist") @implementation
public func hoist_launchdarkly_context_from_hoist(
  _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) {
    guard let hold = ContextHandle.borrow(context)?.reference() else { throw Refusal(.argument, "context is NULL") }
    return Handle.give(OwnedContext(try LDContext.read(hold)))
  }
}

@_cdecl("hoist_launchdarkly_context_to_hoist") @implementation
public func hoist_launchdarkly_context_to_hoist(_ context: OpaquePointer?) -> OpaquePointer? {
  held(context)?.evaluationContext.map { ContextHandle.give($0) }
}

@_cdecl("hoist_launchdarkly_context_is_multi") @implementation
public func hoist_launchdarkly_context_is_multi(_ context: OpaquePointer?) -> Bool { held(context)?.isMulti ?? false }

@_cdecl("hoist_launchdarkly_context_kind") @implementation
public func hoist_launchdarkly_context_kind(_ context: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OwnedContext>.borrow(context)?.kind.pointer
}

@_cdecl("hoist_launchdarkly_context_key") @implementation
public func hoist_launchdarkly_context_key(_ context: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OwnedContext>.borrow(context).map { $0.key?.pointer ?? Constants.empty }
}

@_cdecl("hoist_launchdarkly_context_fully_qualified_key") @implementation
public func hoist_launchdarkly_context_fully_qualified_key(_ context: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OwnedContext>.borrow(context)?.fullyQualifiedKey.pointer
}

@_cdecl("hoist_launchdarkly_context_keys") @implementation
public func hoist_launchdarkly_context_keys(_ context: OpaquePointer?) -> OpaquePointer? {
  held(context).flatMap { OwnedValue($0.keys) }.map { Handle.give($0) }
}

@_cdecl("hoist_launchdarkly_context_part") @implementation
public func hoist_launchdarkly_context_part(
  _ context: OpaquePointer?, _ kind: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let context = held(context), let kind = CString.text(kind) else { return nil }
  return context.context(ofKind: kind).map { Handle.give(OwnedContext($0)) }
}

@_cdecl("hoist_launchdarkly_context_get") @implementation
public func hoist_launchdarkly_context_get(
  _ context: OpaquePointer?, _ reference: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let context = held(context), let reference = CString.text(reference) else { return nil }
  return context.value(at: AttributeReference(reference)).flatMap { OwnedValue($0) }.map { Handle.give($0) }
}

@_cdecl("hoist_launchdarkly_context_equals") @implementation
public func hoist_launchdarkly_context_equals(_ context: OpaquePointer?, _ other: OpaquePointer?) -> Bool {
  guard let context = held(context), let other = held(other) else { return false }
  return context == other
}

@_cdecl("hoist_launchdarkly_context_free") @implementation
public func hoist_launchdarkly_context_free(_ context: OpaquePointer?) { Handle<OwnedContext>.take(context) }

@_cdecl("hoist_launchdarkly_reference_names") @implementation
public func hoist_launchdarkly_reference_names(
  _ reference: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) {
    let text = try CString.need(reference, "reference")
    let read = AttributeReference(text)
    if let failure = read.failure { throw Refusal(.parse, "the reference \"\(text.prefix(80))\" \(failure.reason)") }
    guard let names = OwnedValue(.array(read.components.map { .string($0) })) else {
      throw Refusal(.limit, "the reference is longer than \(OwnedValue.maximumBytes) bytes")
    }
    return Handle.give(names)
  }
}

@_cdecl("hoist_launchdarkly_reference_literal") @implementation
public func hoist_launchdarkly_reference_literal(_ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let name = CString.text(name) else { return nil }
  let reference = AttributeReference(literal: name)
  return reference.isValid ? TextHandle.give(reference.raw) : nil
}

private func held(_ context: OpaquePointer?) -> LDContext? { Handle<OwnedContext>.borrow(context)?.context }
