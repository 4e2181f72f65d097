public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_value_new_null") @implementation
public func hoist_launchdarkly_value_new_null() -> OpaquePointer { Handle.give(OwnedValue(small: .null)) }

@_cdecl("hoist_launchdarkly_value_new_bool") @implementation
public func hoist_launchdarkly_value_new_bool(_ value: Bool) -> OpaquePointer { Handle.give(OwnedValue(small: .bool(value))) }

@_cdecl("hoist_launchdarkly_value_new_number") @implementation
public func hoist_launchdarkly_value_new_number(_ value: Double) -> OpaquePointer? {
  value.isFinite ? Handle.give(OwnedValue(small: .number(value))) : nil
}

@_cdecl("hoist_launchdarkly_value_new_string") @implementation
public func hoist_launchdarkly_value_new_string(_ value: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.text(value).flatMap { OwnedValue(.string($0)) }.map { Handle.give($0) }
}

@_cdecl("hoist_launchdarkly_value_new_array") @implementation
public func hoist_launchdarkly_value_new_array() -> OpaquePointer { Handle.give(OwnedValue(small: .array([]))) }

@_cdecl("hoist_launchdarkly_value_new_object") @implementation
public func hoist_launchdarkly_value_new_object() -> OpaquePointer { Handle.give(OwnedValue(small: .object(LDObject()))) }

@_cdecl("hoist_launchdarkly_value_from_json") @implementation
public func hoist_launchdarkly_value_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) {
    let text = try CString.json(json, length)
    do throws(JSONFailure) {
      if let value = OwnedValue(try LDValue(json: text)) { return Handle.give(value) }
      throw JSONFailure(.limit, "the value takes more than \(OwnedValue.maximumBytes) bytes")
    } catch {
      throw Refusal(error.kind == .syntax ? .parse : .limit, "the value cannot be read: \(error)")
    }
  }
}

@_cdecl("hoist_launchdarkly_value_to_json") @implementation
public func hoist_launchdarkly_value_to_json(_ value: OpaquePointer?) -> OpaquePointer? {
  held(value).map { TextHandle.give($0.value.json) }
}

@_cdecl("hoist_launchdarkly_value_copy") @implementation
public func hoist_launchdarkly_value_copy(_ value: OpaquePointer?) -> OpaquePointer? {
  held(value).flatMap { give($0.value) }
}

@_cdecl("hoist_launchdarkly_value_free") @implementation
public func hoist_launchdarkly_value_free(_ value: OpaquePointer?) { Handle<OwnedValue>.take(value) }

@_cdecl("hoist_launchdarkly_value_equals") @implementation
public func hoist_launchdarkly_value_equals(_ value: OpaquePointer?, _ other: OpaquePointer?) -> Bool {
  guard let value = held(value), let other = held(other) else { return false }
  return value.value == other.value
}

@_cdecl("hoist_launchdarkly_value_kind") @implementation
public func hoist_launchdarkly_value_kind(_ value: OpaquePointer?) -> hoist_launchdarkly_kind {
  let kind =
    switch held(value)?.value {
    case nil, .null: HOIST_LAUNCHDARKLY_NULL
    case .bool: HOIST_LAUNCHDARKLY_BOOL
    case .number: HOIST_LAUNCHDARKLY_NUMBER
    case .string: HOIST_LAUNCHDARKLY_STRING
    case .array: HOIST_LAUNCHDARKLY_ARRAY
    case .object: HOIST_LAUNCHDARKLY_OBJECT
    }
  return hoist_launchdarkly_kind(kind)
}

@_cdecl("hoist_launchdarkly_value_as_bool") @implementation
public func hoist_launchdarkly_value_as_bool(_ value: OpaquePointer?, _ fallback: Bool) -> Bool {
  held(value)?.value.bool ?? fallback
}

@_cdecl("hoist_launchdarkly_value_as_int64") @implementation
public func hoist_launchdarkly_value_as_int64(_ value: OpaquePointer?, _ fallback: Int64) -> Int64 {
  held(value)?.value.int64 ?? fallback
}

@_cdecl("hoist_launchdarkly_value_as_double") @implementation
public func hoist_launchdarkly_value_as_double(_ value: OpaquePointer?, _ fallback: Double) -> Double {
  held(value)?.value.number ?? fallback
}

@_cdecl("hoist_launchdarkly_value_as_string") @implementation
public func hoist_launchdarkly_value_as_string(_ value: OpaquePointer?) -> UnsafePointer<CChar>? {
  held(value).map { $0.string?.pointer ?? Constants.empty }
}

@_cdecl("hoist_launchdarkly_value_string_length") @implementation
public func hoist_launchdarkly_value_string_length(_ value: OpaquePointer?) -> Int {
  held(value)?.value.string?.utf8.count ?? 0
}

@_cdecl("hoist_launchdarkly_value_count") @implementation
public func hoist_launchdarkly_value_count(_ value: OpaquePointer?) -> Int {
  switch held(value)?.value {
  case .array(let elements): elements.count
  case .object(let object): object.count
  case nil, .null, .bool, .number, .string: 0
  }
}

@_cdecl("hoist_launchdarkly_value_at") @implementation
public func hoist_launchdarkly_value_at(_ value: OpaquePointer?, _ index: Int) -> OpaquePointer? {
  switch held(value)?.value {
  case .array(let elements): elements.indices.contains(index) ? give(elements[index]) : nil
  case .object(let object): object.member(at: index).flatMap { give($0.value) }
  case nil, .null, .bool, .number, .string: nil
  }
}

@_cdecl("hoist_launchdarkly_value_key_at") @implementation
public func hoist_launchdarkly_value_key_at(_ value: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  held(value)?.name(at: index)?.pointer
}

@_cdecl("hoist_launchdarkly_value_get") @implementation
public func hoist_launchdarkly_value_get(_ value: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let name = CString.text(name) else { return nil }
  return held(value)?.value.object?[name].flatMap { give($0) }
}

@_cdecl("hoist_launchdarkly_value_append") @implementation
public func hoist_launchdarkly_value_append(_ value: OpaquePointer?, _ element: OpaquePointer?) -> hoist_status {
  guard let value = held(value), let element = held(element) else { return Status.argument.rawValue }
  return value.append(element).rawValue
}

@_cdecl("hoist_launchdarkly_value_set") @implementation
public func hoist_launchdarkly_value_set(
  _ value: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ member: OpaquePointer?
) -> hoist_status {
  guard let value = held(value), let name = CString.text(name), let member = held(member) else {
    return Status.argument.rawValue
  }
  return value.set(name, member).rawValue
}

@_cdecl("hoist_launchdarkly_value_remove") @implementation
public func hoist_launchdarkly_value_remove(_ value: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  guard let value = held(value), let name = CString.text(name) else { return Status.argument.rawValue }
  return value.remove(name).rawValue
}

private func held(_ value: OpaquePointer?) -> OwnedValue? { Handle<OwnedValue>.borrow(value) }

/// A handle on a value that is within the limits, being a part of one that is.
private func give(_ value: LDValue) -> OpaquePointer? { OwnedValue(value).map { Handle.give($0) } }
