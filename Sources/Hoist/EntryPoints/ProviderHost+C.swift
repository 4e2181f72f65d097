public import CHoist
internal import HoistBase
internal import HoistCore

@_cdecl("hoist_provider_host_property") @implementation
public func hoist_provider_host_property(_ host: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let provider = HostedProvider.handles.borrow(host), let name = CString.text(name) else { return nil }
  return provider.values.revealed(name).map { TextHandle.give($0) }
}

@_cdecl("hoist_provider_host_context") @implementation
public func hoist_provider_host_context(_ host: OpaquePointer?) -> OpaquePointer? {
  guard let context = HostedProvider.handles.borrow(host)?.client.currentContext else { return nil }
  return ContextHandle.give(EvaluationContext(copying: context.frozen))
}

@_cdecl("hoist_provider_host_is_online") @implementation
public func hoist_provider_host_is_online(_ host: OpaquePointer?) -> Bool {
  HostedProvider.handles.borrow(host)?.client.isOnline ?? false
}

@_cdecl("hoist_provider_host_unix_ms") @implementation
public func hoist_provider_host_unix_ms(_ host: OpaquePointer?) -> Int64 {
  HostedProvider.handles.borrow(host)?.client.clock.unixMilliseconds ?? 0
}

@_cdecl("hoist_provider_host_monotonic_ms") @implementation
public func hoist_provider_host_monotonic_ms(_ host: OpaquePointer?) -> Int64 {
  (HostedProvider.handles.borrow(host)?.client.clock.monotonicNanoseconds ?? 0) / 1_000_000
}

@_cdecl("hoist_provider_host_log") @implementation
public func hoist_provider_host_log(_ host: OpaquePointer?, _ level: hoist_log_level, _ message: UnsafePointer<CChar>?) {
  guard let provider = HostedProvider.handles.borrow(host), let level = LogLevel(rawValue: level), let message else { return }
  let line = String(decoding: CString.bytes(message), as: UTF8.self)
  switch level {
  case .error: provider.client.log.error(line)
  case .warning: provider.client.log.warning(line)
  case .info: provider.client.log.info(line)
  case .debug: provider.client.log.debug(line)
  }
}

@_cdecl("hoist_provider_host_set_state") @implementation
public func hoist_provider_host_set_state(
  _ host: OpaquePointer?, _ state: hoist_client_state, _ message: UnsafePointer<CChar>?
) -> hoist_status {
  guard host != nil, let state = ClientState(rawValue: state), state != .closed,
    let message = message == nil ? "" : CString.text(message)
  else { return Status.argument.rawValue }
  return withOpen(host) { $0.setState(state, message) ? .ok : .state }
}

@_cdecl("hoist_provider_host_send") @implementation
public func hoist_provider_host_send(
  _ host: OpaquePointer?, _ request: UnsafePointer<hoist_http_request>?, _ answered: hoist_provider_answered?,
  _ user_data: UnsafeMutableRawPointer?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  guard let answered else { return Status.argument.rawValue }
  let data = UserData(user_data)
  return withOpen(host) { provider in
    switch HTTPRequest.read(request, HostedRequestLimits(provider.values)) {
    case .failure(let status): return status
    case .success(let request):
      guard provider.client.isOnline else { return .state }
      return begun(
        provider.operations.send(request) { answer in HostedAnswer.with(answer) { answered(data.pointer, $0) } }, token)
    }
  }
}

@_cdecl("hoist_provider_host_schedule") @implementation
public func hoist_provider_host_schedule(
  _ host: OpaquePointer?, _ delay_ms: Int64, _ due: hoist_provider_due?, _ user_data: UnsafeMutableRawPointer?,
  _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  guard let due else { return Status.argument.rawValue }
  let data = UserData(user_data)
  return withOpen(host) { begun($0.operations.schedule(afterMilliseconds: delay_ms) { due(data.pointer) }, token) }
}

@_cdecl("hoist_provider_host_cancel") @implementation
public func hoist_provider_host_cancel(_ host: OpaquePointer?, _ token: hoist_token) -> hoist_status {
  guard let provider = HostedProvider.handles.borrow(host) else {
    return (host == nil ? Status.argument : .state).rawValue
  }
  return (provider.operations.cancel(token) ? Status.ok : .notFound).rawValue
}

@_cdecl("hoist_provider_host_load") @implementation
public func hoist_provider_host_load(
  _ host: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ loaded: hoist_provider_loaded?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let key = storeKey(key), let loaded else { return Status.argument.rawValue }
  let data = UserData(user_data)
  return withOpen(host) { provider in
    let number = provider.operations.load(key, from: provider.client.store) { value in
      guard let value else { return loaded(data.pointer, Status.notFound.rawValue, nil, 0) }
      value.withUnsafeBytes { loaded(data.pointer, Status.ok.rawValue, $0.baseAddress, $0.count) }
    }
    return begun(number, nil)
  }
}

@_cdecl("hoist_provider_host_save") @implementation
public func hoist_provider_host_save(
  _ host: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafeRawPointer?, _ value_size: Int
) -> hoist_status {
  guard let key = storeKey(key), value_size >= 0, value != nil || value_size == 0 else { return Status.argument.rawValue }
  guard value_size <= BytesSink.maximumBytes else { return Status.limit.rawValue }
  return withOpen(host) { provider in
    provider.client.store.save(key, Array(UnsafeRawBufferPointer(start: value, count: value_size)))
    return .ok
  }
}

@_cdecl("hoist_provider_host_remove") @implementation
public func hoist_provider_host_remove(_ host: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> hoist_status {
  guard let key = storeKey(key) else { return Status.argument.rawValue }
  return withOpen(host) { provider in
    provider.client.store.remove(key)
    return .ok
  }
}

@_cdecl("hoist_provider_host_record") @implementation
public func hoist_provider_host_record(
  _ host: OpaquePointer?, _ pipeline: UnsafePointer<CChar>?, _ subject: UnsafePointer<CChar>?,
  _ payload: UnsafeRawPointer?, _ payload_size: Int
) -> hoist_status {
  guard let name = CString.text(pipeline), payload_size >= 0, payload != nil || payload_size == 0,
    let subject = subject == nil ? ByteView(start: nil, count: 0) : CString.view(subject)
  else { return Status.argument.rawValue }
  return withOpen(host) { provider in
    guard let queue = provider.pipelines.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return .notFound }
    return queue.record(ByteView(start: payload, count: payload_size), subject: subject)
  }
}

private func withOpen(_ host: OpaquePointer?, _ body: (HostedProvider) -> Status) -> hoist_status {
  guard host != nil else { return Status.argument.rawValue }
  guard let provider = HostedProvider.handles.borrow(host), provider.isOpen else { return Status.state.rawValue }
  return body(provider).rawValue
}

/// - Parameter number: nil when there are too many.
private func begun(_ number: UInt64?, _ token: UnsafeMutablePointer<hoist_token>?) -> Status {
  token?.pointee = number ?? 0
  return number == nil ? .limit : .ok
}

/// Apart from what the core keeps in the same store.
private func storeKey(_ key: UnsafePointer<CChar>?) -> String? {
  guard let key = CString.text(key), !key.isEmpty, key.utf8.count <= 1024 else { return nil }
  return "provider.\(key)"
}
