public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_start") @implementation
public func hoist_launchdarkly_start(
  _ client: OpaquePointer?, _ wait_ms: Int64, _ done: hoist_launchdarkly_started?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  let completion = done.map { StartCompletion($0, user_data) }
  return withLaunchDarkly(client) { $0.start(waitMilliseconds: wait_ms, completion: completion?.call) }
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
  let completion = done.map { Completion($0, user_data) }
  return withLaunchDarkly(client) { $0.setOnline(online, completion: completion?.call) }
}

@_cdecl("hoist_launchdarkly_identify") @implementation
public func hoist_launchdarkly_identify(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ timeout_ms: Int64, _ options: UInt32,
  _ done: hoist_launchdarkly_identified?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  let completion = done.map { IdentifyCompletion($0, user_data) }
  return withLaunchDarkly(client) { face in
    guard context == nil || ContextHandle.borrow(context) != nil else { return .argument }
    return face.identify(
      ContextHandle.borrow(context)?.reference(), timeoutMilliseconds: timeout_ms, options: IdentifyOptions(rawValue: options),
      completion: completion?.call)
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

private struct StartCompletion: @unchecked Sendable {
  private let done: hoist_launchdarkly_started
  private let userData: UnsafeMutableRawPointer?

  init(_ done: hoist_launchdarkly_started, _ userData: UnsafeMutableRawPointer?) {
    self.done = done
    self.userData = userData
  }

  func call(_ status: Status) { done(userData, status == .timeout, status.rawValue) }
}

private struct IdentifyCompletion: @unchecked Sendable {
  private let done: hoist_launchdarkly_identified
  private let userData: UnsafeMutableRawPointer?

  init(_ done: hoist_launchdarkly_identified, _ userData: UnsafeMutableRawPointer?) {
    self.done = done
    self.userData = userData
  }

  func call(_ status: Status) { done(userData, IdentifyResult(status).rawValue, status.rawValue) }
}
