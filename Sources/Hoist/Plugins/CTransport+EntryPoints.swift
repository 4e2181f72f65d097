public import CHoist
internal import HoistCore

/// Largest body a plug-in may hand in at once, in bytes.
private let maximumBodyBytes = 1 << 30

@_cdecl("hoist_config_set_transport") @implementation
public func hoist_config_set_transport(
  _ config: OpaquePointer?, _ transport: UnsafePointer<hoist_transport>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(config, transport, error, "transport", \.transport) { CTransport($0) }
}

@_cdecl("hoist_http_exchange_respond") @implementation
public func hoist_http_exchange_respond(
  _ exchange: OpaquePointer?, _ status: Int32, _ headers: UnsafePointer<hoist_header>?, _ header_count: Int,
  _ body: UnsafeRawPointer?, _ body_size: Int
) -> hoist_status {
  guard let exchange = HostExchange.handles.borrow(exchange), (100...599).contains(status),
    let headers = CHeaders.read(headers, header_count), body_size >= 0, body_size <= maximumBodyBytes,
    body != nil || body_size == 0
  else { return Status.argument.rawValue }
  var response = HTTPResponse(
    status: Int(status), headers: headers, body: Array(UnsafeRawBufferPointer(start: body, count: body_size)))
  response.hasNoBody = body == nil
  return (exchange.finish(.success(response)) ? Status.ok : .state).rawValue
}

@_cdecl("hoist_http_exchange_fail") @implementation
public func hoist_http_exchange_fail(_ exchange: OpaquePointer?, _ message: UnsafePointer<CChar>?) -> hoist_status {
  guard let exchange = HostExchange.handles.borrow(exchange) else { return Status.argument.rawValue }
  let failure = TransportFailure(.unreachable, CString.text(message) ?? "the transport plug-in failed")
  return (exchange.finish(.failure(failure)) ? Status.ok : .state).rawValue
}

@_cdecl("hoist_http_exchange_open") @implementation
public func hoist_http_exchange_open(
  _ exchange: OpaquePointer?, _ status: Int32, _ headers: UnsafePointer<hoist_header>?, _ header_count: Int
) -> hoist_status {
  guard let exchange = HostExchange.handles.borrow(exchange), (100...599).contains(status),
    let headers = CHeaders.read(headers, header_count)
  else { return Status.argument.rawValue }
  return (exchange.open(HTTPResponse(status: Int(status), headers: headers)) ? Status.ok : .state).rawValue
}

@_cdecl("hoist_http_exchange_receive") @implementation
public func hoist_http_exchange_receive(_ exchange: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int) -> hoist_status {
  guard let exchange = HostExchange.handles.borrow(exchange), size >= 0, size <= maximumBodyBytes, bytes != nil || size == 0
  else { return Status.argument.rawValue }
  let copy = Array(UnsafeRawBufferPointer(start: bytes, count: size))
  return (exchange.receive(copy) ? Status.ok : .cancelled).rawValue
}

@_cdecl("hoist_http_exchange_end") @implementation
public func hoist_http_exchange_end(_ exchange: OpaquePointer?) -> hoist_status {
  guard let exchange = HostExchange.handles.borrow(exchange) else { return Status.argument.rawValue }
  guard exchange.isStream else { return Status.argument.rawValue }
  return (exchange.finish(.success(HTTPResponse(status: 200))) ? Status.ok : .state).rawValue
}

@_cdecl("hoist_http_exchange_is_cancelled") @implementation
public func hoist_http_exchange_is_cancelled(_ exchange: OpaquePointer?) -> Bool {
  HostExchange.handles.borrow(exchange)?.isFinished ?? true
}

@_cdecl("hoist_http_exchange_release") @implementation
public func hoist_http_exchange_release(_ exchange: OpaquePointer?) {
  HostExchange.handles.take(exchange)
}
