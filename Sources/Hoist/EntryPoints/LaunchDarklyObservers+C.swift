public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_observe_flag") @implementation
public func hoist_launchdarkly_observe_flag(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?,
  _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.changed) {
    guard let key = CString.array(key) else { throw Refusal(.argument, "key is NULL or not UTF-8") }
    return .flags([key])
  }
}

@_cdecl("hoist_launchdarkly_observe_flags") @implementation
public func hoist_launchdarkly_observe_flags(
  _ client: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  observe(client, observer, token, \.changed) {
    guard keys != nil, (1...LaunchDarklyFace.maximumKeys).contains(count) else {
      throw Refusal(.argument, "there are 1 to \(LaunchDarklyFace.maximumKeys) keys")
    }
    return .flags(try CString.list(keys, count))
  }
}

@_cdecl("hoist_launchdarkly_observe_all") @implementation
public func hoist_launchdarkly_observe_all(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status { observe(client, observer, token, \.changed) { .all } }

@_cdecl("hoist_launchdarkly_observe_unchanged") @implementation
public func hoist_launchdarkly_observe_unchanged(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status { observe(client, observer, token, \.unchanged) { .unchanged } }

@_cdecl("hoist_launchdarkly_observe_connection_mode") @implementation
public func hoist_launchdarkly_observe_connection_mode(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status { observe(client, observer, token, \.connection_mode) { .connectionMode } }

/// - Parameter member: the function that will be called.
private func observe<Function>(
  _ client: OpaquePointer?, _ table: UnsafePointer<hoist_launchdarkly_observer>?, _ token: UnsafeMutablePointer<hoist_token>?,
  _ member: KeyPath<hoist_launchdarkly_observer, Function?>, _ what: () throws -> ObservedChanges
) -> hoist_status {
  HostRegistration.add(CLaunchDarklyObserver(reading: table), token) { adapter in
    let (face, what) = (try LaunchDarklyFace.need(client), try what())
    return adapter.table[keyPath: member] == nil ? nil : face.observe(what, adapter)
  }
}
