public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON

@_cdecl("hoist_client_track") @implementation
public func hoist_client_track(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ event: UnsafePointer<hoist_event>?
) -> hoist_status {
  GivenEvent.record(client, key, context) { client, key throws(Refusal) in
    try track(key, context, event, with: client)
  }
}

private func track(
  _ key: ByteView, _ context: OpaquePointer?, _ event: UnsafePointer<hoist_event>?, with client: Client
) throws(Refusal) -> Status {
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
    throw Refusal(.argument, "the struct_size of its hoist_event cannot be")
  }
  if given.has_value || given.value != 0 { view.value = try GivenEvent.value(given.value) }
  try GivenEvent.check(count: given.property_count)
  guard given.properties != nil || given.property_count == 0 else {
    throw Refusal(.argument, "it has properties, and their pointer is NULL")
  }
  return withUnsafeTemporaryAllocation(of: EventView.Property.self, capacity: given.property_count) { properties in
    for index in 0..<given.property_count {
      do throws(Refusal) {
        properties.initializeElement(
          at: index, to: try read(given.properties.flatMap { HostTable.element(of: $0, at: index) }, index))
      } catch {
        return client.refuse(GivenEvent.name(key), error.status, error.message)
      }
    }
    view.properties = UnsafeBufferPointer(properties)
    return record(view)
  }
}

/// - Parameter told: nil for one whose size cannot be.
private func read(_ told: hoist_event_property?, _ index: Int) throws(Refusal) -> EventView.Property {
  guard let told else { throw Refusal(.argument, "the struct_size of its property \(index) cannot be") }
  guard let name = CString.view(told.name), name.count > 0 else {
    throw Refusal(.argument, "the name of its property \(index) is NULL, empty or not UTF-8")
  }
  func text() throws(Refusal) -> ByteView {
    guard let text = CString.view(told.text) else { throw GivenEvent.refusal(name, "is NULL or not UTF-8") }
    return text
  }
  switch Int(told.type) {
  case HOIST_EVENT_TEXT: return EventView.Property(name: name, .text(try text()))
  case HOIST_EVENT_NUMBER:
    guard told.number.isFinite else { throw GivenEvent.refusal(name, "is no finite number") }
    return EventView.Property(name: name, .number(told.number))
  case HOIST_EVENT_BOOL: return EventView.Property(name: name, .boolean(told.boolean))
  case HOIST_EVENT_JSON: return EventView.Property(name: name, .json(try GivenEvent.json(text(), of: name)))
  default: throw GivenEvent.refusal(name, "is of an unknown type, \(told.type)")
  }
}

/// What all calls that record an event of the core's look at.
enum GivenEvent {
  /// Most properties one event may have.
  private static let maximumProperties = 64

  /// Runs `body` with a living client and a key that can be one. What is refused is named in the client's log.
  @inline(__always)
  static func record(
    _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
    _ body: (Client, ByteView) throws(Refusal) -> Status
  ) -> hoist_status {
    // The object without a reference: tracking costs little more than its record.
    guard let object = ClientHandle.hot(client)?.pointee.object else { return Status.argument.rawValue }
    return Unmanaged<Client>.fromOpaque(object)._withUnsafeGuaranteedRef { client in
      let key = CString.view(key)
      do throws(Refusal) {
        guard let key, key.count > 0 else { throw Refusal(.argument, "its key is NULL, empty or not UTF-8") }
        guard context == nil || ContextHandle.subject(context)?.pointee.object != nil else {
          throw Refusal(.argument, "its context is none")
        }
        return try body(client, key).rawValue
      } catch {
        return client.refuse(key.map { name($0) }, error.status, error.message).rawValue
      }
    }
  }

  static func name(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }

  static func value(_ value: Double) throws(Refusal) -> Double {
    guard value.isFinite else { throw Refusal(.argument, "its value is no finite number that a double holds") }
    return value
  }

  static func check(count: Int) throws(Refusal) {
    guard count >= 0 else { throw Refusal(.argument, "it has \(count) properties") }
    guard count <= maximumProperties else {
      throw Refusal(.limit, "it has \(count) properties, and may have \(maximumProperties)")
    }
  }

  /// A text that is JSON, and no number that a service could only be told of as another one.
  static func json(_ text: ByteView, of name: ByteView) throws(Refusal) -> ByteView {
    let isRounded: Bool
    do {
      let isReal = try JSONNode.parse(text) { $0.kind == .double }
      isRounded = isReal && text.count >= 19 && !text.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
    } catch {
      throw refusal(name, "is no JSON: \(error)")
    }
    if isRounded { throw refusal(name, "is a whole number beyond 64 bits") }
    return text
  }

  static func refusal(_ name: ByteView, _ why: String) -> Refusal { refusal(self.name(name), why) }
  static func refusal(_ name: String, _ why: String) -> Refusal { Refusal(.argument, "its property \"\(name)\" \(why)") }
}
