public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_owner_new") @implementation
public func hoist_launchdarkly_owner_new() -> OpaquePointer? { Handle<ObserverOwner>.give(ObserverOwner()) }

@_cdecl("hoist_launchdarkly_owner_free") @implementation
public func hoist_launchdarkly_owner_free(_ owner: OpaquePointer?) {
  Handle<ObserverOwner>.borrow(owner)?.end()
  Handle<ObserverOwner>.take(owner)
}

@_cdecl("hoist_launchdarkly_observe_flag") @implementation
public func hoist_launchdarkly_observe_flag(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ key: UnsafePointer<CChar>?,
  _ observer: UnsafePointer<hoist_launchdarkly_observer>?
) -> hoist_status { observe(client, owner, observer) { CString.array(key).map { .flags([$0]) } } }

@_cdecl("hoist_launchdarkly_observe_flags") @implementation
public func hoist_launchdarkly_observe_flags(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ observer: UnsafePointer<hoist_launchdarkly_observer>?
) -> hoist_status {
  observe(client, owner, observer) {
    guard keys != nil, count > 0 else { return nil }
    return (try? CString.list(keys, count, limit: LaunchDarklyFace.maximumKeys)).map { .flags($0) }
  }
}

@_cdecl("hoist_launchdarkly_observe_all") @implementation
public func hoist_launchdarkly_observe_all(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?
) -> hoist_status { observe(client, owner, observer) { .all } }

@_cdecl("hoist_launchdarkly_observe_unchanged") @implementation
public func hoist_launchdarkly_observe_unchanged(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?
) -> hoist_status { observe(client, owner, observer) { .unchanged } }

@_cdecl("hoist_launchdarkly_observe_connection_mode") @implementation
public func hoist_launchdarkly_observe_connection_mode(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ observer: UnsafePointer<hoist_launchdarkly_observer>?
) -> hoist_status { observe(client, owner, observer) { .connectionMode } }

@_cdecl("hoist_launchdarkly_stop_observing") @implementation
public func hoist_launchdarkly_stop_observing(_ client: OpaquePointer?, _ owner: OpaquePointer?) -> hoist_status {
  attempt {
    let face = try LaunchDarklyFace.need(client)
    face.stopObserving(try Handle<ObserverOwner>.need(owner, "owner"))
  }
}

private func observe(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ table: UnsafePointer<hoist_launchdarkly_observer>?,
  _ what: () -> ObservedChanges?
) -> hoist_status {
  // The adapter first: whatever happens next, `release` runs when it goes.
  let adapter = CLaunchDarklyObserver(reading: table)
  return answer {
    let face = try LaunchDarklyFace.need(client)
    guard let adapter, let what = what() else { return .argument }
    return face.observe(what, try Handle<ObserverOwner>.need(owner, "owner"), adapter)
  }
}
