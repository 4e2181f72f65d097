public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_start") @implementation
public func hoist_launchdarkly_start(
  _ client: OpaquePointer?, _ wait_ms: Int64, _ done: hoist_launchdarkly_started?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  withLaunchDarkly(client) { face in
    let host = HostPointer(user_data)
    return face.start(
      waitMilliseconds: wait_ms,
      completion: done.map { done in { status in done(host.pointer, status == .timeout, status.rawValue) } })
  }
}

@_cdecl("hoist_launchdarkly_start_wait") @implementation
public func hoist_launchdarkly_start_wait(
  _ client: OpaquePointer?, _ wait_ms: Int64, _ timed_out: UnsafeMutablePointer<Bool>?
) -> hoist_status {
  timed_out?.pointee = false
  return withLaunchDarkly(client) { face in
    let status = face.startAndWait(waitMilliseconds: wait_ms)
    timed_out?.pointee = status == .timeout
    return status
  }
}

@_cdecl("hoist_launchdarkly_is_initialized") @implementation
public func hoist_launchdarkly_is_initialized(_ client: OpaquePointer?) -> Bool { launchDarkly(client)?.isInitialized ?? false }

@_cdecl("hoist_launchdarkly_is_online") @implementation
public func hoist_launchdarkly_is_online(_ client: OpaquePointer?) -> Bool { launchDarkly(client)?.isOnline ?? false }

@_cdecl("hoist_launchdarkly_set_online") @implementation
public func hoist_launchdarkly_set_online(
  _ client: OpaquePointer?, _ online: Bool, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  withLaunchDarkly(client) { $0.setOnline(online, completion: done.map { Completion($0, user_data) }?.call) }
}

@_cdecl("hoist_launchdarkly_identify") @implementation
public func hoist_launchdarkly_identify(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ timeout_ms: Int64, _ options: UInt32,
  _ done: hoist_launchdarkly_identified?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  withLaunchDarkly(client) { face in
    guard context == nil || ContextHandle.borrow(context) != nil else { return .argument }
    let host = HostPointer(user_data)
    return face.identify(
      ContextHandle.borrow(context)?.reference(), timeoutMilliseconds: timeout_ms, options: IdentifyOptions(rawValue: options),
      completion: done.map { done in
        { status in done(host.pointer, IdentifyResult(status).rawValue, status.rawValue) }
      })
  }
}

@_cdecl("hoist_launchdarkly_identify_wait") @implementation
public func hoist_launchdarkly_identify_wait(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ timeout_ms: Int64, _ options: UInt32,
  _ result: UnsafeMutablePointer<hoist_launchdarkly_identify_result>?
) -> hoist_status {
  result?.pointee = IdentifyResult.error.rawValue
  return withLaunchDarkly(client) { face in
    guard context == nil || ContextHandle.borrow(context) != nil else { return .argument }
    let status = face.identifyAndWait(
      ContextHandle.borrow(context)?.reference(), timeoutMilliseconds: timeout_ms, options: IdentifyOptions(rawValue: options))
    result?.pointee = IdentifyResult(status).rawValue
    return status
  }
}

@_cdecl("hoist_launchdarkly_environment") @implementation
public func hoist_launchdarkly_environment(_ client: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let face = launchDarkly(client) else { return nil }
  guard let name else { return face.environment(named: "default").map { OpaquePointer($0.hot) } }
  return CString.text(name).flatMap { face.environment(named: $0) }.map { OpaquePointer($0.hot) }
}

/// `.argument` for NULL, `.unsupported` for a client of another service.
func withLaunchDarkly(_ client: OpaquePointer?, _ body: (LaunchDarklyFace) -> Status) -> hoist_status {
  guard let client = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  return (LaunchDarklyFace(client).map(body) ?? .unsupported).rawValue
}

/// A host's pointer on its way to a completion.
struct HostPointer: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
  init(_ pointer: UnsafeMutableRawPointer?) { self.pointer = pointer }
}
