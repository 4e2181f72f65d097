public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_sdk_status") @implementation
public func hoist_flagship_sdk_status(_ client: OpaquePointer?) -> hoist_flagship_status {
  let asked = client ?? FlagshipProcess.shared.client
  return (flagship(asked)?.status ?? .notInitialized).rawValue
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
  var isSupported = true
  let status = PluginSlot.set(
    config, listener, size: listener?.pointee.struct_size, zero: hoist_flagship_listener(), error, kind: "listener"
  ) {
    CFlagshipListener($0)
  } store: { box, adapter in
    isSupported = box.factory is FlagshipFactory
    if isSupported { box.plugins.vendor[FlagshipLifePlugins.listener] = adapter }
  }
  return isSupported ? status : ErrorSlot(error).fail(.unsupported, "the configuration is none of Flagship's")
}

@_cdecl("hoist_flagship_start_client") @implementation
public func hoist_flagship_start_client(_ client: OpaquePointer?) -> hoist_status {
  guard ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  return (flagship(client)?.start() ?? .unsupported).rawValue
}

@_cdecl("hoist_flagship_start") @implementation
public func hoist_flagship_start(
  _ env_id: UnsafePointer<CChar>?, _ api_key: UnsafePointer<CChar>?, _ config: OpaquePointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let environment = CString.text(env_id) else { return slot.fail(.argument, "env_id is NULL or not UTF-8") }
  guard let key = CString.text(api_key) else { return slot.fail(.argument, "api_key is NULL or not UTF-8") }
  let given = Handle<ConfigBox>.borrow(config)
  guard config == nil || given?.factory is FlagshipFactory else {
    return slot.fail(.argument, "config is none of Flagship's")
  }
  if Thread.isOwn { return slot.fail(.state, "a thread of the library's own cannot close the client of before") }
  let box = given.map { ConfigBox(copying: $0) } ?? ConfigBox(provider: "flagship")
  do throws(ConfigurationFailure) {
    try FlagshipProcess.shared.start(box, environment: environment, key: key)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error)
  }
}

@_cdecl("hoist_flagship_client") @implementation
public func hoist_flagship_client() -> OpaquePointer? { FlagshipProcess.shared.client }

@_cdecl("hoist_flagship_stop") @implementation
public func hoist_flagship_stop(_ timeout_ms: Int64) -> hoist_status {
  if Thread.isOwn { return Status.state.rawValue }
  return FlagshipProcess.shared.stop(timeoutMilliseconds: timeout_ms).rawValue
}

/// The client of the whole process (FS-01, FS-02). Handles that were given out stay good: who has one may be using it.
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
  guard let object = ClientHandle.borrow(client), event != nil, let bytes = CString.array(event, length) else {
    return Status.argument.rawValue
  }
  guard let face = FlagshipFace(object) else { return Status.unsupported.rawValue }
  let completion = done.map { Completion($0, user_data) }
  return face.collectEmotion(bytes, completion: completion?.call).rawValue
}
