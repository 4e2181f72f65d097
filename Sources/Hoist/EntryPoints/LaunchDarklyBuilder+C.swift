public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_builder_new") @implementation
public func hoist_launchdarkly_builder_new(
  _ kind: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let kind = optional(kind), let key = optional(key) else { return nil }
  return Handle.give(HeldBuilder(LDContextBuilder(kind: kind ?? "", key: key)))
}

@_cdecl("hoist_launchdarkly_builder_set_kind") @implementation
public func hoist_launchdarkly_builder_set_kind(_ builder: OpaquePointer?, _ kind: UnsafePointer<CChar>?) -> hoist_status {
  guard let builder = held(builder), let kind = optional(kind) else { return Status.argument.rawValue }
  builder.builder.kind = kind ?? ""
  return Status.ok.rawValue
}

@_cdecl("hoist_launchdarkly_builder_set_key") @implementation
public func hoist_launchdarkly_builder_set_key(_ builder: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> hoist_status {
  guard let builder = held(builder), let key = optional(key) else { return Status.argument.rawValue }
  builder.builder.key = key
  return Status.ok.rawValue
}

@_cdecl("hoist_launchdarkly_builder_set_name") @implementation
public func hoist_launchdarkly_builder_set_name(_ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  guard let builder = held(builder), let name = optional(name) else { return Status.argument.rawValue }
  builder.builder.name = name
  return Status.ok.rawValue
}

@_cdecl("hoist_launchdarkly_builder_set_anonymous") @implementation
public func hoist_launchdarkly_builder_set_anonymous(_ builder: OpaquePointer?, _ anonymous: Bool) -> hoist_status {
  guard let builder = held(builder) else { return Status.argument.rawValue }
  builder.builder.isAnonymous = anonymous
  return Status.ok.rawValue
}

@_cdecl("hoist_launchdarkly_builder_set") @implementation
public func hoist_launchdarkly_builder_set(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let value = Handle<HeldValue>.borrow(value) else { return slot.fail(.argument, "value is NULL") }
  return set(builder, name, value.value, slot)
}

@_cdecl("hoist_launchdarkly_builder_set_json") @implementation
public func hoist_launchdarkly_builder_set_json(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let text = CString.json(json, length, slot) else { return Status.argument.rawValue }
  guard let attribute = CString.text(name) else { return slot.fail(.argument, wrongName) }
  do {
    return set(builder, name, try LDValue(json: text), slot)
  } catch {
    return slot.fail(
      error.kind == .syntax ? .parse : .limit, "the value of attribute \"\(attribute.prefix(80))\" cannot be read: \(error)")
  }
}

@_cdecl("hoist_launchdarkly_builder_set_string") @implementation
public func hoist_launchdarkly_builder_set_string(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  guard let value = CString.text(value) else { return Status.argument.rawValue }
  return set(builder, name, .string(value), ErrorSlot(nil))
}

@_cdecl("hoist_launchdarkly_builder_set_bool") @implementation
public func hoist_launchdarkly_builder_set_bool(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Bool
) -> hoist_status {
  set(builder, name, .bool(value), ErrorSlot(nil))
}

@_cdecl("hoist_launchdarkly_builder_set_number") @implementation
public func hoist_launchdarkly_builder_set_number(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Double
) -> hoist_status {
  value.isFinite ? set(builder, name, .number(value), ErrorSlot(nil)) : Status.argument.rawValue
}

@_cdecl("hoist_launchdarkly_builder_remove") @implementation
public func hoist_launchdarkly_builder_remove(_ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  guard let builder = held(builder), let name = CString.text(name) else { return Status.argument.rawValue }
  return (builder.builder.remove(name) ? Status.ok : .notFound).rawValue
}

@_cdecl("hoist_launchdarkly_builder_add_private") @implementation
public func hoist_launchdarkly_builder_add_private(
  _ builder: OpaquePointer?, _ reference: UnsafePointer<CChar>?
) -> hoist_status {
  guard let builder = held(builder), let reference = CString.text(reference) else { return Status.argument.rawValue }
  do {
    try builder.builder.addPrivate(AttributeReference(reference))
    return Status.ok.rawValue
  } catch {
    return error.status.rawValue
  }
}

@_cdecl("hoist_launchdarkly_builder_remove_private") @implementation
public func hoist_launchdarkly_builder_remove_private(
  _ builder: OpaquePointer?, _ reference: UnsafePointer<CChar>?
) -> hoist_status {
  guard let builder = held(builder), let reference = CString.text(reference) else { return Status.argument.rawValue }
  return (builder.builder.removePrivate(AttributeReference(reference)) ? Status.ok : .notFound).rawValue
}

@_cdecl("hoist_launchdarkly_builder_build") @implementation
public func hoist_launchdarkly_builder_build(
  _ builder: OpaquePointer?, _ context: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  build(held(builder), context, ErrorSlot(error)) { builder throws(ContextFailure) in try builder.builder.build() }
}

@_cdecl("hoist_launchdarkly_builder_free") @implementation
public func hoist_launchdarkly_builder_free(_ builder: OpaquePointer?) { Handle<HeldBuilder>.take(builder) }

@_cdecl("hoist_launchdarkly_multi_new") @implementation
public func hoist_launchdarkly_multi_new() -> OpaquePointer { Handle.give(HeldMultiBuilder()) }

@_cdecl("hoist_launchdarkly_multi_add") @implementation
public func hoist_launchdarkly_multi_add(_ multi: OpaquePointer?, _ context: OpaquePointer?) -> hoist_status {
  guard let multi = Handle<HeldMultiBuilder>.borrow(multi), let context = Handle<HeldContext>.borrow(context) else {
    return Status.argument.rawValue
  }
  do {
    try multi.builder.add(context.context)
    return Status.ok.rawValue
  } catch {
    return error.status.rawValue
  }
}

@_cdecl("hoist_launchdarkly_multi_build") @implementation
public func hoist_launchdarkly_multi_build(
  _ multi: OpaquePointer?, _ context: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  build(Handle<HeldMultiBuilder>.borrow(multi), context, ErrorSlot(error)) { multi throws(ContextFailure) in
    try multi.builder.build()
  }
}

@_cdecl("hoist_launchdarkly_multi_free") @implementation
public func hoist_launchdarkly_multi_free(_ multi: OpaquePointer?) { Handle<HeldMultiBuilder>.take(multi) }

private var wrongName: String { "name is NULL or not UTF-8" }

private func held(_ builder: OpaquePointer?) -> HeldBuilder? { Handle<HeldBuilder>.borrow(builder) }

/// - Returns: nil for invalid UTF-8; a text that is nil for NULL.
private func optional(_ text: UnsafePointer<CChar>?) -> String?? {
  guard text != nil else { return .some(nil) }
  return CString.text(text).map { .some($0) }
}

private func set(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: LDValue, _ slot: ErrorSlot
) -> hoist_status {
  guard let builder = held(builder) else { return slot.fail(.argument, "builder is NULL") }
  guard let name = CString.text(name) else { return slot.fail(.argument, wrongName) }
  do {
    try builder.builder.set(name, value)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error)
  }
}

private func build<Builder>(
  _ builder: Builder?, _ context: UnsafeMutablePointer<OpaquePointer?>?, _ slot: ErrorSlot,
  _ make: (Builder) throws(ContextFailure) -> LDContext
) -> hoist_status {
  context?.pointee = nil
  guard let builder else { return slot.fail(.argument, "builder is NULL") }
  do {
    let made = try make(builder)
    context?.pointee = Handle.give(HeldContext(made))
    return Status.ok.rawValue
  } catch {
    return slot.fail(error)
  }
}
