public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_builder_new") @implementation
public func hoist_launchdarkly_builder_new(
  _ kind: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?
) -> OpaquePointer? {
  result(nil) { Handle.give(HeldBuilder(LDContextBuilder(kind: try optional(kind) ?? "", key: try optional(key)))) }
}

@_cdecl("hoist_launchdarkly_builder_set_kind") @implementation
public func hoist_launchdarkly_builder_set_kind(_ builder: OpaquePointer?, _ kind: UnsafePointer<CChar>?) -> hoist_status {
  change(builder) { $0.kind = try optional(kind) ?? "" }
}

@_cdecl("hoist_launchdarkly_builder_set_key") @implementation
public func hoist_launchdarkly_builder_set_key(_ builder: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> hoist_status {
  change(builder) { $0.key = try optional(key) }
}

@_cdecl("hoist_launchdarkly_builder_set_name") @implementation
public func hoist_launchdarkly_builder_set_name(_ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  change(builder) { $0.name = try optional(name) }
}

@_cdecl("hoist_launchdarkly_builder_set_anonymous") @implementation
public func hoist_launchdarkly_builder_set_anonymous(_ builder: OpaquePointer?, _ anonymous: Bool) -> hoist_status {
  change(builder) { $0.isAnonymous = anonymous }
}

@_cdecl("hoist_launchdarkly_builder_set") @implementation
public func hoist_launchdarkly_builder_set(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status { set(builder, name, error) { _ in try Handle<OwnedValue>.need(value, "value").value } }

@_cdecl("hoist_launchdarkly_builder_set_json") @implementation
public func hoist_launchdarkly_builder_set_json(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  set(builder, name, error) { name in
    let text = try CString.json(json, length)
    do throws(JSONFailure) {
      return try LDValue(json: text)
    } catch {
      throw Refusal(
        error.kind == .syntax ? .parse : .limit, "the value of attribute \"\(name.prefix(80))\" cannot be read: \(error)")
    }
  }
}

@_cdecl("hoist_launchdarkly_builder_set_string") @implementation
public func hoist_launchdarkly_builder_set_string(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status { set(builder, name) { _ in .string(try CString.need(value, "value")) } }

@_cdecl("hoist_launchdarkly_builder_set_bool") @implementation
public func hoist_launchdarkly_builder_set_bool(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Bool
) -> hoist_status { set(builder, name) { _ in .bool(value) } }

@_cdecl("hoist_launchdarkly_builder_set_number") @implementation
public func hoist_launchdarkly_builder_set_number(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Double
) -> hoist_status { value.isFinite ? set(builder, name) { _ in .number(value) } : Status.argument.rawValue }

@_cdecl("hoist_launchdarkly_builder_remove") @implementation
public func hoist_launchdarkly_builder_remove(_ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  guard let builder = held(builder), let name = CString.text(name) else { return Status.argument.rawValue }
  return (builder.builder.remove(name) ? Status.ok : .notFound).rawValue
}

@_cdecl("hoist_launchdarkly_builder_add_private") @implementation
public func hoist_launchdarkly_builder_add_private(
  _ builder: OpaquePointer?, _ reference: UnsafePointer<CChar>?
) -> hoist_status {
  change(builder) { try $0.addPrivate(AttributeReference(try CString.need(reference, "reference"))) }
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
) -> hoist_status { build(context, error) { try Handle<HeldBuilder>.need(builder, "builder").builder.build() } }

@_cdecl("hoist_launchdarkly_builder_free") @implementation
public func hoist_launchdarkly_builder_free(_ builder: OpaquePointer?) { Handle<HeldBuilder>.take(builder) }

@_cdecl("hoist_launchdarkly_multi_new") @implementation
public func hoist_launchdarkly_multi_new() -> OpaquePointer { Handle.give(HeldMultiBuilder()) }

@_cdecl("hoist_launchdarkly_multi_add") @implementation
public func hoist_launchdarkly_multi_add(_ multi: OpaquePointer?, _ context: OpaquePointer?) -> hoist_status {
  attempt {
    let context = try Handle<OwnedContext>.need(context, "context").context
    try Handle<HeldMultiBuilder>.need(multi, "builder").builder.add(context)
  }
}

@_cdecl("hoist_launchdarkly_multi_build") @implementation
public func hoist_launchdarkly_multi_build(
  _ multi: OpaquePointer?, _ context: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status { build(context, error) { try Handle<HeldMultiBuilder>.need(multi, "builder").builder.build() } }

@_cdecl("hoist_launchdarkly_multi_free") @implementation
public func hoist_launchdarkly_multi_free(_ multi: OpaquePointer?) { Handle<HeldMultiBuilder>.take(multi) }

private func held(_ builder: OpaquePointer?) -> HeldBuilder? { Handle<HeldBuilder>.borrow(builder) }

/// A text that may be NULL.
private func optional(_ text: UnsafePointer<CChar>?) throws(Refusal) -> String? {
  try CString.optional(text, "a text").map { String(decoding: $0, as: UTF8.self) }
}

private func change(_ builder: OpaquePointer?, _ body: (inout LDContextBuilder) throws -> Void) -> hoist_status {
  attempt { try body(&Handle<HeldBuilder>.need(builder, "builder").builder) }
}

/// - Parameter value: gets the attribute's name.
private func set(
  _ builder: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>? = nil,
  _ value: (String) throws -> LDValue
) -> hoist_status {
  attempt(error) {
    let name = try CString.need(name, "name")
    let value = try value(name)
    try Handle<HeldBuilder>.need(builder, "builder").builder.set(name, value)
  }
}

private func build(
  _ context: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?,
  _ make: () throws -> LDContext
) -> hoist_status {
  context?.pointee = nil
  return attempt(error) {
    let made = try make()
    context?.pointee = Handle.give(OwnedContext(made))
  }
}
