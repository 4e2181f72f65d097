public import CHoist
internal import HoistCore

@_cdecl("hoist_client_open") @implementation
public func hoist_client_open(
  _ config: OpaquePointer?, _ client: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  client?.pointee = nil
  return attempt(error) {
    guard let client else { throw Refusal(.argument, "the place for the client is NULL") }
    let box = try Handle<ConfigBox>.need(config, "config")
    guard let factory = box.factory else { throw Refusal(.configuration, box.unknownProvider) }
    let opened = try Client(
      factory: factory, values: box.values, plugins: try box.allPlugins(), services: BuiltInServices.shared)
    opened.open()
    let handle = ClientHandle.give(opened)
    client.pointee = handle
    CLaunchDarklyClientPlugin.register(opened, handle)
  }
}

@_cdecl("hoist_client_wait_ready") @implementation
public func hoist_client_wait_ready(_ client: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  (ClientHandle.borrow(client)?.waitReady(timeoutMilliseconds: timeout_ms) ?? .argument).rawValue
}

@_cdecl("hoist_client_get_state") @implementation
public func hoist_client_get_state(_ client: OpaquePointer?) -> hoist_client_state {
  (ClientHandle.borrow(client)?.state ?? .closed).rawValue
}

@_cdecl("hoist_client_identify") @implementation
public func hoist_client_identify(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  answer {
    let context = try ContextHandle.reference(context)
    return try ClientHandle.need(client).identify(context, completion: completion(done, user_data))
  }
}

@_cdecl("hoist_client_identify_wait") @implementation
public func hoist_client_identify_wait(_ client: OpaquePointer?, _ context: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  answer {
    let context = try ContextHandle.reference(context)
    return try ClientHandle.need(client).identifyAndWait(context, timeoutMilliseconds: timeout_ms)
  }
}

@_cdecl("hoist_client_set_online") @implementation
public func hoist_client_set_online(_ client: OpaquePointer?, _ online: Bool) -> hoist_status {
  (ClientHandle.borrow(client)?.setOnline(online) ?? .argument).rawValue
}

@_cdecl("hoist_client_is_online") @implementation
public func hoist_client_is_online(_ client: OpaquePointer?) -> Bool { ClientHandle.borrow(client)?.isOnline ?? false }

@_cdecl("hoist_client_refresh") @implementation
public func hoist_client_refresh(_ client: OpaquePointer?) -> hoist_status {
  (ClientHandle.borrow(client)?.refresh() ?? .argument).rawValue
}

@_cdecl("hoist_client_flush") @implementation
public func hoist_client_flush(_ client: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  (ClientHandle.borrow(client)?.flush(timeoutMilliseconds: timeout_ms) ?? .argument).rawValue
}

@_cdecl("hoist_client_statistics") @implementation
public func hoist_client_statistics(_ client: OpaquePointer?) -> OpaquePointer? {
  ClientHandle.borrow(client).map { TextHandle.give($0.statisticsJSON()) }
}

@_cdecl("hoist_client_close") @implementation
public func hoist_client_close(_ client: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  (ClientHandle.borrow(client)?.close(timeoutMilliseconds: timeout_ms) ?? .argument).rawValue
}

@_cdecl("hoist_client_reopen") @implementation
public func hoist_client_reopen(_ client: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> hoist_status {
  attempt(error) {
    let status = try ClientHandle.need(client).reopen()
    if status != .ok { throw Refusal(status, "the client is not closed, or its owner has freed it") }
  }
}

@_cdecl("hoist_client_share") @implementation
public func hoist_client_share(_ client: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  answer {
    guard let name = CString.array(name) else { return .argument }
    guard client != nil else { return SharedClients.process.unshare(name) }
    return SharedClients.process.share(try ClientHandle.need(client), as: name)
  }
}

@_cdecl("hoist_client_shared") @implementation
public func hoist_client_shared(_ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.array(name).flatMap { SharedClients.process.lend(named: $0) }.map { OpaquePointer($0.hot) }
}

@_cdecl("hoist_client_provider") @implementation
public func hoist_client_provider(_ client: OpaquePointer?) -> UnsafePointer<CChar>? {
  ClientHandle.borrow(client)?.serviceName.pointer
}

@_cdecl("hoist_client_context") @implementation
public func hoist_client_context(_ client: OpaquePointer?) -> OpaquePointer? {
  (ClientHandle.borrow(client)?.currentContext).map { ContextHandle.give(EvaluationContext(copying: $0.frozen)) }
}

@_cdecl("hoist_client_set_log_level") @implementation
public func hoist_client_set_log_level(_ client: OpaquePointer?, _ level: hoist_log_level) -> hoist_status {
  answer {
    let wanted = LogLevel(rawValue: level)
    guard level == 0 || wanted != nil else { return .argument }
    try ClientHandle.need(client).logLevel = wanted
    return .ok
  }
}

@_cdecl("hoist_client_log_level") @implementation
public func hoist_client_log_level(_ client: OpaquePointer?) -> hoist_log_level {
  ClientHandle.borrow(client)?.logLevel?.rawValue ?? 0
}

@_cdecl("hoist_client_free") @implementation
public func hoist_client_free(_ client: OpaquePointer?) { ClientHandle.take(client) }

/// A host's completion with its user data; nil for none.
func completion(_ done: hoist_done?, _ userData: UnsafeMutableRawPointer?) -> (@Sendable (Status) -> Void)? {
  let data = UserData(userData)
  @Sendable func tell(_ status: Status) { done?(data.pointer, status.rawValue) }
  return done == nil ? nil : tell
}
