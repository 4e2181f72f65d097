public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_observe_flag") @implementation
public func hoist_launchdarkly_observe_flag(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?,
  _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.changed) {
    let face = try LaunchDarklyFace.need(client)
    guard let key = CString.array(key) else { throw Refusal(.argument, "key is NULL or not UTF-8") }
    return { face.observe(.flags([key]), $0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_flags") @implementation
public func hoist_launchdarkly_observe_flags(
  _ client: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.changed) {
    let face = try LaunchDarklyFace.need(client)
    guard keys != nil, (1...LaunchDarklyFace.maximumKeys).contains(count) else {
      throw Refusal(.argument, "there are 1 to \(LaunchDarklyFace.maximumKeys) keys")
    }
    let list = try CString.list(keys, count)
    return { face.observe(.flags(list), $0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_all") @implementation
public func hoist_launchdarkly_observe_all(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.changed) {
    let face = try LaunchDarklyFace.need(client)
    return { face.observe(.all, $0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_unchanged") @implementation
public func hoist_launchdarkly_observe_unchanged(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.unchanged) {
    let face = try LaunchDarklyFace.need(client)
    return { face.observe(.unchanged, $0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_connection_mode") @implementation
public func hoist_launchdarkly_observe_connection_mode(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.connection_mode) {
    let face = try LaunchDarklyAnyFace.need(client)
    return { face.observeConnectionMode($0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_flag_changes") @implementation
public func hoist_launchdarkly_observe_flag_changes(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.rules_changed) {
    let face = try LaunchDarklyServerFace.need(client)
    return { face.observeRules($0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_flag_value") @implementation
public func hoist_launchdarkly_observe_flag_value(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.changed) {
    let face = try LaunchDarklyServerFace.need(client)
    guard let key = CString.array(key) else { throw Refusal(.argument, "key is NULL or not UTF-8") }
    let context = try ContextHandle.reference(context)
    return { face.observeValue(key, context, $0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_big_segments_status") @implementation
public func hoist_launchdarkly_observe_big_segments_status(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.big_segments_status) { try store(.bigSegments, of: client) }
}

@_cdecl("hoist_launchdarkly_observe_store_status") @implementation
public func hoist_launchdarkly_observe_store_status(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.store_status) { try store(.rules, of: client) }
}

private func store(_ store: ObservedStore, of client: OpaquePointer?) throws -> (CLaunchDarklyObserver) -> UInt64 {
  let face = try LaunchDarklyAnyFace.need(client)
  guard face.isServer else { throw Refusal(.state, "stores are for mode server") }
  return { face.observe(store, $0) }
}

/// - Parameters:
///   - member: the function that will be called.
///   - prepare: checks what is to be observed, and says how; that answers nil for what cannot be.
private func observe<Function>(
  _ client: OpaquePointer?, _ table: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?,
  _ member: KeyPath<hoist_launchdarkly_observer, Function?>, _ prepare: () throws -> (CLaunchDarklyObserver) -> UInt64?
) -> hoist_status {
  HostRegistration.add(CLaunchDarklyObserver(reading: table), token) { adapter in
    let add = try prepare()
    return adapter.table[keyPath: member] == nil ? nil : add(adapter)
  }
}
