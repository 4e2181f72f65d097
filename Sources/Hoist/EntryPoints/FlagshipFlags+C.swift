public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_flag_state_name") @implementation
public func hoist_flagship_flag_state_name(_ state: hoist_flagship_flag_state) -> UnsafePointer<CChar> {
  Constants.pointer(FlagState(rawValue: state)?.name ?? "")
}

// Values by key.

@_cdecl("hoist_flagship_visitor_bool") @implementation
public func hoist_flagship_visitor_bool(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: Bool, _ exposed: Bool,
  _ value: UnsafeMutablePointer<Bool>?
) -> hoist_status {
  read(visitor, key, value) { $0.bool($1, fallback: fallback, exposes: exposed) }
}

@_cdecl("hoist_flagship_visitor_int64") @implementation
public func hoist_flagship_visitor_int64(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: Int64, _ exposed: Bool,
  _ value: UnsafeMutablePointer<Int64>?
) -> hoist_status {
  read(visitor, key, value) { $0.int($1, fallback: fallback, exposes: exposed) }
}

@_cdecl("hoist_flagship_visitor_double") @implementation
public func hoist_flagship_visitor_double(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: Double, _ exposed: Bool,
  _ value: UnsafeMutablePointer<Double>?
) -> hoist_status {
  read(visitor, key, value) { $0.double($1, fallback: fallback, exposes: exposed) }
}

@_cdecl("hoist_flagship_visitor_string") @implementation
public func hoist_flagship_visitor_string(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: UnsafePointer<CChar>?, _ exposed: Bool,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  readText(visitor, key, fallback, whenNone: "", value) {
    $0.string($1, fallback: $2, exposes: exposed) { give($0, lentBy: $1, to: value) }
  }
}

@_cdecl("hoist_flagship_visitor_json") @implementation
public func hoist_flagship_visitor_json(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: UnsafePointer<CChar>?, _ exposed: Bool,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  readText(visitor, key, fallback, whenNone: "null", value) {
    $0.json($1, fallback: $2, exposes: exposed) { give($0, lentBy: $1, to: value) }
  }
}

@inline(__always)
private func read<Value>(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Value>?,
  _ body: (FlagshipVisitor, FlagKey) -> (value: Value, status: Status)
) -> hoist_status {
  guard let key = CString.view(key), let value else { return Status.argument.rawValue }
  return Handle<FlagshipVisitor>.with(visitor) { visitor in
    let answer = body(visitor, FlagKey(key))
    value.pointee = answer.value
    return answer.status.rawValue
  } ?? Status.argument.rawValue
}

/// - Parameter whenNone: what a fallback of NULL means.
@inline(__always)
private func readText(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: UnsafePointer<CChar>?, whenNone: StaticString,
  _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ body: (FlagshipVisitor, FlagKey, ByteView?) -> Status
) -> hoist_status {
  value?.pointee = nil
  guard let key = CString.view(key) else { return Status.argument.rawValue }
  return Handle<FlagshipVisitor>.with(visitor) { visitor in
    readText(fallback, whenNone: whenNone, value) { body(visitor, FlagKey(key), $0) }
  } ?? Status.argument.rawValue
}

private func give(_ text: ByteView, lentBy flags: VisitorFlags, to value: UnsafeMutablePointer<OpaquePointer?>?) {
  value?.pointee = TextHandle.give(text, lentBy: flags)
}

/// - Parameters:
///   - whenNone: what a fallback of NULL means.
///   - body: hands the text to `value` where there is one.
private func readText(
  _ fallback: UnsafePointer<CChar>?, whenNone: StaticString, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ body: (ByteView?) -> Status
) -> hoist_status {
  let named = CString.view(fallback)
  guard let value, fallback == nil || named != nil else { return Status.argument.rawValue }
  let status = body(named)
  if status != .parse, value.pointee == nil {
    value.pointee = named.map { TextHandle.give($0) } ?? TextHandle.give(whenNone)
  }
  return status.rawValue
}

// Flags.

@_cdecl("hoist_flagship_visitor_flag") @implementation
public func hoist_flagship_visitor_flag(_ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let visitor = Handle<FlagshipVisitor>.borrow(visitor), let key = CString.view(key) else { return nil }
  return Handle<FlagshipFlag>.give(FlagshipFlag(key, of: visitor))
}

@_cdecl("hoist_flagship_flag_free") @implementation
public func hoist_flagship_flag_free(_ flag: OpaquePointer?) { Handle<FlagshipFlag>.take(flag) }

@_cdecl("hoist_flagship_flag_key") @implementation
public func hoist_flagship_flag_key(_ flag: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<FlagshipFlag>.borrow(flag)?.key.pointer
}

@_cdecl("hoist_flagship_flag_exists") @implementation
public func hoist_flagship_flag_exists(_ flag: OpaquePointer?) -> Bool { Handle<FlagshipFlag>.borrow(flag)?.exists ?? false }

@_cdecl("hoist_flagship_flag_status") @implementation
public func hoist_flagship_flag_status(_ flag: OpaquePointer?) -> hoist_flagship_flag_state {
  (Handle<FlagshipFlag>.borrow(flag)?.state ?? .notFound).rawValue
}

@_cdecl("hoist_flagship_flag_bool") @implementation
public func hoist_flagship_flag_bool(
  _ flag: OpaquePointer?, _ fallback: Bool, _ exposed: Bool, _ value: UnsafeMutablePointer<Bool>?
) -> hoist_status {
  read(flag, value) { $0.bool(fallback: fallback, exposes: exposed) }
}

@_cdecl("hoist_flagship_flag_int64") @implementation
public func hoist_flagship_flag_int64(
  _ flag: OpaquePointer?, _ fallback: Int64, _ exposed: Bool, _ value: UnsafeMutablePointer<Int64>?
) -> hoist_status {
  read(flag, value) { $0.int(fallback: fallback, exposes: exposed) }
}

@_cdecl("hoist_flagship_flag_double") @implementation
public func hoist_flagship_flag_double(
  _ flag: OpaquePointer?, _ fallback: Double, _ exposed: Bool, _ value: UnsafeMutablePointer<Double>?
) -> hoist_status {
  read(flag, value) { $0.double(fallback: fallback, exposes: exposed) }
}

@_cdecl("hoist_flagship_flag_string") @implementation
public func hoist_flagship_flag_string(
  _ flag: OpaquePointer?, _ fallback: UnsafePointer<CChar>?, _ exposed: Bool,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  value?.pointee = nil
  guard let flag = Handle<FlagshipFlag>.borrow(flag) else { return Status.argument.rawValue }
  return readText(fallback, whenNone: "", value) {
    flag.string(fallback: $0, exposes: exposed) { give($0, lentBy: $1, to: value) }
  }
}

@_cdecl("hoist_flagship_flag_json") @implementation
public func hoist_flagship_flag_json(
  _ flag: OpaquePointer?, _ fallback: UnsafePointer<CChar>?, _ exposed: Bool,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  value?.pointee = nil
  guard let flag = Handle<FlagshipFlag>.borrow(flag) else { return Status.argument.rawValue }
  return readText(fallback, whenNone: "null", value) {
    flag.json(fallback: $0, exposes: exposed) { give($0, lentBy: $1, to: value) }
  }
}

@inline(__always)
private func read<Value>(
  _ flag: OpaquePointer?, _ value: UnsafeMutablePointer<Value>?, _ body: (FlagshipFlag) -> (value: Value, status: Status)
) -> hoist_status {
  guard let flag = Handle<FlagshipFlag>.borrow(flag), let value else { return Status.argument.rawValue }
  let answer = body(flag)
  value.pointee = answer.value
  return answer.status.rawValue
}

@_cdecl("hoist_flagship_flag_expose") @implementation
public func hoist_flagship_flag_expose(_ flag: OpaquePointer?) -> hoist_status {
  (Handle<FlagshipFlag>.borrow(flag)?.expose() ?? .argument).rawValue
}

@_cdecl("hoist_flagship_flag_explain") @implementation
public func hoist_flagship_flag_explain(_ flag: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagshipFlag>.borrow(flag).map { TextHandle.give($0.explanation) }
}
