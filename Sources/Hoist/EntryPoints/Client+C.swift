public import CHoist
internal import HoistCore

@_cdecl("hoist_client_open") @implementation
public func hoist_client_open(
  _ config: OpaquePointer?, _ client: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  client?.pointee = nil
  guard let client else { return slot.fail(.argument, "the place for the client is NULL") }
  guard let box = Handle<ConfigBox>.borrow(config) else { return slot.fail(.argument, "config is NULL") }
  guard let factory = box.factory else { return slot.fail(.configuration, box.unknownProvider) }
  do throws(ConfigurationFailure) {
    let opened = try Client(factory: factory, values: box.values, plugins: box.plugins, services: BuiltInServices.shared)
    opened.open()
    let handle = ClientHandle.give(opened)
    client.pointee = handle
    CLaunchDarklyClientPlugin.register(opened, handle)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error)
  }
}

@_cdecl("hoist_client_wait_ready") @implementation
public func hoist_client_wait_ready(_ client: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  guard let client = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  return client.waitReady(timeoutMilliseconds: timeout_ms).rawValue
}

@_cdecl("hoist_client_get_state") @implementation
public func hoist_client_get_state(_ client: OpaquePointer?) -> hoist_client_state {
  (ClientHandle.borrow(client)?.state ?? .closed).rawValue
}

@_cdecl("hoist_client_identify") @implementation
public func hoist_client_identify(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let client = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  guard context == nil || ContextHandle.borrow(context) != nil else { return Status.argument.rawValue }
  let completion = done.map { Completion($0, user_data) }
  return client.identify(ContextHandle.borrow(context)?.reference(), completion: completion?.call).rawValue
}

@_cdecl("hoist_client_identify_wait") @implementation
public func hoist_client_identify_wait(_ client: OpaquePointer?, _ context: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  guard let client = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  guard context == nil || ContextHandle.borrow(context) != nil else { return Status.argument.rawValue }
  return client.identifyAndWait(ContextHandle.borrow(context)?.reference(), timeoutMilliseconds: timeout_ms).rawValue
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
  let slot = ErrorSlot(error)
  guard let client = ClientHandle.borrow(client) else { return slot.fail(.argument, "client is NULL") }
  let status = client.reopen()
  return status == .ok ? status.rawValue : slot.fail(status, "the client is not closed")
}

@_cdecl("hoist_client_free") @implementation
public func hoist_client_free(_ client: OpaquePointer?) { ClientHandle.take(client) }

/// A C completion with its user data.
struct Completion: @unchecked Sendable {
  private let done: hoist_done
  private let userData: UnsafeMutableRawPointer?

  init(_ done: hoist_done, _ userData: UnsafeMutableRawPointer?) {
    self.done = done
    self.userData = userData
  }

  func call(_ status: Status) { done(userData, status.rawValue) }
}
