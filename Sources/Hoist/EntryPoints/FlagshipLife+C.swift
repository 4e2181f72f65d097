public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_version") @implementation
public func hoist_flagship_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

@_cdecl("hoist_flagship_sdk_status") @implementation
public func hoist_flagship_sdk_status(_ client: OpaquePointer?) -> hoist_flagship_status {
  (FlagshipFace.of(client)?.status ?? .notInitialized).rawValue
}

@_cdecl("hoist_flagship_status_name") @implementation
public func hoist_flagship_status_name(_ status: hoist_flagship_status) -> UnsafePointer<CChar> {
  switch SDKStatus(rawValue: status) {
  case .notInitialized: Constants.pointer("SDK_NOT_INITIALIZED")
  case .initializing: Constants.pointer("SDK_INITIALIZING")
  case .initialized: Constants.pointer("SDK_INITIALIZED")
  case .panic: Constants.pointer("SDK_PANIC")
  case nil: Constants.empty
  }
}

@_cdecl("hoist_flagship_observe") @implementation
public func hoist_flagship_observe(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_flagship_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  HostRegistration.add(CFlagshipObserver(reading: observer), token) { adapter in
    let face = try FlagshipFace.need(client)
    return adapter.hasFunctions ? face.observe(adapter) : nil
  }
}

@_cdecl("hoist_flagship_start") @implementation
public func hoist_flagship_start(_ client: OpaquePointer?) -> hoist_status {
  answer { try FlagshipFace.need(client).start() }
}

@_cdecl("hoist_flagship_collect_emotion") @implementation
public func hoist_flagship_collect_emotion(
  _ client: OpaquePointer?, _ event: UnsafePointer<CChar>?, _ length: Int, _ done: hoist_done?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  answer {
    guard event != nil, let bytes = CString.array(event, length) else { return .argument }
    return try FlagshipFace.need(client).collectEmotion(bytes, completion: completion(done, user_data))
  }
}
