public import CHoist
internal import HoistCore

/// Most properties one event may have.
private let maximumProperties = 64

@_cdecl("hoist_client_track") @implementation
public func hoist_client_track(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ event: UnsafePointer<hoist_event>?
) -> hoist_status {
  guard let client = ClientHandle.borrow(client), let key = CString.text(key), !key.isEmpty,
    context == nil || ContextHandle.borrow(context) != nil
  else { return Status.argument.rawValue }
  var tracked = TrackedEvent(
    key: key, context: ContextHandle.borrow(context)?.reference() ?? client.currentContext, value: nil, properties: [],
    unixMilliseconds: client.clock.unixMilliseconds)
  if let event {
    guard let given = HostTable.read(event, size: event.pointee.struct_size, zero: hoist_event()) else {
      return Status.argument.rawValue
    }
    if given.has_value || given.value != 0 {
      guard given.value.isFinite else { return Status.argument.rawValue }
      tracked.value = given.value
    }
    guard given.property_count <= maximumProperties else { return Status.limit.rawValue }
    for index in 0..<given.property_count {
      guard let property = given.properties?[index], let name = CString.text(property.name), !name.isEmpty else {
        return Status.argument.rawValue
      }
      if property.text != nil {
        guard let text = CString.array(property.text) else { return Status.argument.rawValue }
        tracked.properties.append((name, .string(text)))
      } else {
        guard property.number.isFinite else { return Status.argument.rawValue }
        tracked.properties.append((name, .double(property.number)))
      }
    }
  }
  return client.track(tracked).rawValue
}
