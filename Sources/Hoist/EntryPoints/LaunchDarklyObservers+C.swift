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
) -> hoist_status {
  observe(client, owner, observer) { key.flatMap { CString.text($0) }.map { .flags([Array($0.utf8)]) } }
}

@_cdecl("hoist_launchdarkly_observe_flags") @implementation
public func hoist_launchdarkly_observe_flags(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ observer: UnsafePointer<hoist_launchdarkly_observer>?
) -> hoist_status {
  observe(client, owner, observer) {
    guard let keys, count > 0, count <= LaunchDarklyFace.maximumKeys else { return nil }
    var texts: [[UInt8]] = []
    for key in UnsafeBufferPointer(start: keys, count: count) {
      guard let key, let text = CString.text(key) else { return nil }
      texts.append(Array(text.utf8))
    }
    return .flags(texts)
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
  withLaunchDarkly(client) { face in
    guard let owner = Handle<ObserverOwner>.borrow(owner) else { return .argument }
    face.stopObserving(owner)
    return .ok
  }
}

private func observe(
  _ client: OpaquePointer?, _ owner: OpaquePointer?, _ table: UnsafePointer<hoist_launchdarkly_observer>?,
  _ what: () -> ObservedChanges?
) -> hoist_status {
  // The adapter first: whatever happens next, `release` runs when it goes.
  let adapter = table.flatMap { CLaunchDarklyObserver($0) }
  return withLaunchDarkly(client) { face in
    guard let adapter, let owner = Handle<ObserverOwner>.borrow(owner), let what = what() else { return .argument }
    return face.observe(what, owner, adapter)
  }
}
