public import CHoist
internal import CShims
internal import HoistBase
internal import HoistCore

@_cdecl("hoist_context_get_targeting_key") @implementation
public func hoist_context_get_targeting_key(_ context: OpaquePointer?) -> UnsafePointer<CChar>? {
  ContextHandle.frozen(context) { frozen in
    frozen.targetingKey?.chars ?? Constants.empty
  }
}

@_cdecl("hoist_context_get") @implementation
public func hoist_context_get(
  _ context: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ attribute: UnsafeMutablePointer<hoist_attribute>?
) -> hoist_status {
  guard let name = CString.view(name), let attribute else { return Status.argument.rawValue }
  let status = ContextHandle.frozen(context) { frozen -> Status in
    let size = attribute.pointee.struct_size
    guard let found = frozen.find(name, hash: Hash64.hash(name)) else { return .notFound }
    let told = hoist_attribute(
      struct_size: size, type: hoist_attribute_type(found.pointee.kind.rawValue),
      text: found.pointee.textBytes.chars,
      length: Int(found.pointee.textCount), integer: found.pointee.integer,
      number: found.pointee.number.isNaN ? 0 : found.pointee.number)
    return HostTable.write(told, to: attribute, size: size) ? .ok : .argument
  }
  return (status ?? .argument).rawValue
}

extension ContextHandle {
  /// Reads a context as it is now: one of the host's, or one lent to the host.
  /// - Returns: nil for a handle that is none.
  static func frozen<Value>(_ handle: OpaquePointer?, _ body: (FrozenContext) -> Value) -> Value? {
    guard let subject = subject(handle) else { return nil }
    let slot = shim_enter()
    defer { shim_leave(slot) }
    return FrozenContext(of: subject).map(body)
  }

  /// A copy, also of one that was lent.
  static func copy(_ handle: OpaquePointer?) -> EvaluationContext? {
    borrow(handle)?.copy() ?? frozen(handle) { EvaluationContext(copying: $0) }
  }
}
