public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

/// What clients of one mode alone can do.
protocol LaunchDarklyModeFace: ServiceFace {}

extension LaunchDarklyFace: LaunchDarklyModeFace {}
extension LaunchDarklyServerFace: LaunchDarklyModeFace {}

extension LaunchDarklyModeFace {
  /// - Throws: `.state` in the other mode, which is logged, too; else as for every service.
  static func need(_ client: OpaquePointer?) throws(Refusal) -> Self {
    let given = try ClientHandle.need(client)
    if let face = Self(given) { return face }
    guard let other = LaunchDarklyAnyFace(given) else { throw Refusal(.unsupported, "the client is of another service") }
    throw Refusal(.state, other.refuse())
  }
}

@_cdecl("hoist_launchdarkly_version") @implementation
public func hoist_launchdarkly_version() -> UnsafePointer<CChar> { Constants.pointer("HoistClient/0.1.0") }

@_cdecl("hoist_launchdarkly_start") @implementation
public func hoist_launchdarkly_start(
  _ client: OpaquePointer?, _ wait_ms: Int64, _ done: hoist_launchdarkly_started?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  let data = UserData(user_data)
  @Sendable func tell(_ status: Status) { done?(data.pointer, status == .timeout, status.rawValue) }
  return answer {
    try LaunchDarklyFace.need(client).start(waitMilliseconds: wait_ms, completion: done == nil ? nil : tell)
  }
}

@_cdecl("hoist_launchdarkly_start_wait") @implementation
public func hoist_launchdarkly_start_wait(
  _ client: OpaquePointer?, _ wait_ms: Int64, _ timed_out: UnsafeMutablePointer<Bool>?
) -> hoist_status {
  timed_out?.pointee = false
  return answer {
    let status = try LaunchDarklyFace.need(client).startAndWait(waitMilliseconds: wait_ms)
    timed_out?.pointee = status == .timeout
    return status
  }
}

@_cdecl("hoist_launchdarkly_is_initialized") @implementation
public func hoist_launchdarkly_is_initialized(_ client: OpaquePointer?) -> Bool {
  LaunchDarklyAnyFace.of(client)?.isInitialized ?? false
}

@_cdecl("hoist_launchdarkly_is_online") @implementation
public func hoist_launchdarkly_is_online(_ client: OpaquePointer?) -> Bool { LaunchDarklyAnyFace.of(client)?.isOnline ?? false }

@_cdecl("hoist_launchdarkly_set_online") @implementation
public func hoist_launchdarkly_set_online(
  _ client: OpaquePointer?, _ online: Bool, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  answer { try LaunchDarklyFace.need(client).setOnline(online, completion: completion(done, user_data)) }
}

@_cdecl("hoist_launchdarkly_identify") @implementation
public func hoist_launchdarkly_identify(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ timeout_ms: Int64, _ options: UInt32,
  _ done: hoist_launchdarkly_identified?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  let data = UserData(user_data)
  @Sendable func tell(_ status: Status) { done?(data.pointer, IdentifyResult(status).rawValue, status.rawValue) }
  return answer {
    try LaunchDarklyFace.need(client).identify(
      try ContextHandle.reference(context), timeoutMilliseconds: timeout_ms, options: IdentifyOptions(rawValue: options),
      completion: done == nil ? nil : tell)
  }
}

@_cdecl("hoist_launchdarkly_identify_wait") @implementation
public func hoist_launchdarkly_identify_wait(
  _ client: OpaquePointer?, _ context: OpaquePointer?, _ timeout_ms: Int64, _ options: UInt32,
  _ result: UnsafeMutablePointer<hoist_launchdarkly_identify_result>?
) -> hoist_status {
  result?.pointee = IdentifyResult.error.rawValue
  return answer {
    let status = try LaunchDarklyFace.need(client).identifyAndWait(
      try ContextHandle.reference(context), timeoutMilliseconds: timeout_ms, options: IdentifyOptions(rawValue: options))
    result?.pointee = IdentifyResult(status).rawValue
    return status
  }
}

@_cdecl("hoist_launchdarkly_environment") @implementation
public func hoist_launchdarkly_environment(_ client: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let face = LaunchDarklyFace.of(client) else { return nil }
  guard let name else { return face.environment(named: "default").map { OpaquePointer($0.hot) } }
  return CString.text(name).flatMap { face.environment(named: $0) }.map { OpaquePointer($0.hot) }
}
