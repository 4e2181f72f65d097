public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Most properties one event may have.
private let maximumProperties = 64

@_cdecl("hoist_client_track") @implementation
public func hoist_client_track(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ event: UnsafePointer<hoist_event>?
) -> hoist_status {
  guard let object = ClientHandle.hot(client)?.pointee.object, let key = CString.view(key), key.count > 0,
    context == nil || ContextHandle.subject(context)?.pointee.object != nil
  else { return Status.argument.rawValue }
  return Unmanaged<Client>.fromOpaque(object)._withUnsafeGuaranteedRef { client in
    track(key, context, event, with: client).rawValue
  }
}

private func track(
  _ key: ByteView, _ context: OpaquePointer?, _ event: UnsafePointer<hoist_event>?, with client: Client
) -> Status {
  var view = EventView(
    key: key, value: nil, properties: UnsafeBufferPointer(start: nil, count: 0),
    unixMilliseconds: client.clock.recentUnixMilliseconds)
  func record(_ view: EventView) -> Status {
    client.track(view, of: ContextHandle.subject(context))
  }
  guard let event else { return record(view) }
  // Of the usual size it is not copied byte by byte.
  let isWhole = event.pointee.struct_size == MemoryLayout<hoist_event>.size
  guard let given = isWhole ? event.pointee : HostTable.read(event) else {
    return .argument
  }
  if given.has_value || given.value != 0 {
    guard given.value.isFinite else { return .argument }
    view.value = given.value
  }
  guard given.property_count >= 0, given.properties != nil || given.property_count == 0 else { return .argument }
  guard given.property_count <= maximumProperties else { return .limit }
  return withUnsafeTemporaryAllocation(of: EventView.Property.self, capacity: given.property_count) { properties in
    for index in 0..<given.property_count {
      guard let told = given.properties.flatMap({ HostTable.element(of: $0, at: index) }), let property = read(told) else {
        return .argument
      }
      properties.initializeElement(at: index, to: property)
    }
    view.properties = UnsafeBufferPointer(properties)
    return record(view)
  }
}

/// nil when the name or the value cannot be used.
private func read(_ told: hoist_event_property) -> EventView.Property? {
  guard let name = CString.view(told.name), name.count > 0 else { return nil }
  func property(_ value: EventView.Value) -> EventView.Property { EventView.Property(name: name, value) }
  switch Int(told.type) {
  case HOIST_EVENT_TEXT: return CString.view(told.text).map { property(.text($0)) }
  case HOIST_EVENT_NUMBER: return told.number.isFinite ? property(.number(told.number)) : nil
  case HOIST_EVENT_BOOL: return property(.boolean(told.boolean))
  case HOIST_EVENT_JSON:
    guard let text = CString.view(told.text), (try? JSONNode.parse(text) { _ in }) != nil else { return nil }
    return property(.json(text))
  default: return nil
  }
}
