public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_version") @implementation
public func hoist_flagship_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

@_cdecl("hoist_flagship_sdk_status") @implementation
public func hoist_flagship_sdk_status(_ client: OpaquePointer?) -> hoist_flagship_status {
  (FlagshipFace.of(client ?? FlagshipProcess.shared.client)?.status ?? .notInitialized).rawValue
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

@_cdecl("hoist_flagship_config_set_listener") @implementation
public func hoist_flagship_config_set_listener(
  _ config: OpaquePointer?, _ listener: UnsafePointer<hoist_flagship_listener>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(
    config, listener, error, "listener", \.vendor[FlagshipLifePlugins.listener], for: "flagship"
  ) { CFlagshipListener($0) }
}

@_cdecl("hoist_flagship_start_client") @implementation
public func hoist_flagship_start_client(_ client: OpaquePointer?) -> hoist_status {
  answer { try FlagshipFace.need(client).start() }
}

@_cdecl("hoist_flagship_start") @implementation
public func hoist_flagship_start(
  _ env_id: UnsafePointer<CChar>?, _ api_key: UnsafePointer<CChar>?, _ config: OpaquePointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let environment = try CString.need(env_id, "env_id")
    let key = try CString.need(api_key, "api_key")
    let given = Handle<ConfigBox>.borrow(config)
    guard config == nil || given?.factory is FlagshipFactory else {
      throw Refusal(.argument, "config is none of Flagship's")
    }
    if Thread.isOwn { throw Refusal(.state, "a thread of the library's own cannot close the client of before") }
    let box = given.map { ConfigBox(copying: $0) } ?? ConfigBox(provider: "flagship")
    try FlagshipProcess.shared.start(box, environment: environment, key: key)
  }
}

@_cdecl("hoist_flagship_client") @implementation
public func hoist_flagship_client() -> OpaquePointer? { FlagshipProcess.shared.client }

@_cdecl("hoist_flagship_stop") @implementation
public func hoist_flagship_stop(_ timeout_ms: Int64) -> hoist_status {
  if Thread.isOwn { return Status.state.rawValue }
  return FlagshipProcess.shared.stop(timeoutMilliseconds: timeout_ms).rawValue
}

/// The client of the whole process (FS-01, FS-02). Handles that were given out stay valid, as they may be in use.
private final class FlagshipProcess: @unchecked Sendable {
  static let shared = FlagshipProcess()
  private static let closingMilliseconds: Int64 = 2_000

  private let lock = Lock()
  private var current: OpaquePointer?

  var client: OpaquePointer? { lock.withLock { current } }

  func start(_ box: ConfigBox, environment: String, key: String) throws(ConfigurationFailure) {
    _ = stop(timeoutMilliseconds: Self.closingMilliseconds)
    do throws(ConfigurationFailure) {
      try box.values.set("env_id", environment)
      try box.values.set("api_key", key)
      let opened = try Client(
        factory: FlagshipFactory(), values: box.values, plugins: box.plugins, services: BuiltInServices.shared)
      opened.open()
      let handle = ClientHandle.give(opened)
      let raced = lock.withLock {
        defer { current = handle }
        return current
      }
      // Another thread has started one meanwhile: the last start counts.
      if let raced { close(raced, Self.closingMilliseconds) }
    } catch {
      let sink = box.plugins.logSink ?? BuiltInServices.shared.defaultLogSink
      if FlagshipFactory().logLevels(box.values).contains(.error) { sink.write(.error, "hoist[flagship]: \(error.message)") }
      throw error
    }
  }

  func stop(timeoutMilliseconds: Int64) -> Status {
    let former = lock.withLock {
      defer { current = nil }
      return current
    }
    return former.map { close($0, timeoutMilliseconds) } ?? .ok
  }

  @discardableResult
  private func close(_ handle: OpaquePointer, _ timeoutMilliseconds: Int64) -> Status {
    ClientHandle.borrow(handle)?.close(timeoutMilliseconds: timeoutMilliseconds) ?? .ok
  }
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
