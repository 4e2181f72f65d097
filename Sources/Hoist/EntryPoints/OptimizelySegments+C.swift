public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_vuid") @implementation
public func hoist_optimizely_vuid(_ client: OpaquePointer?) -> OpaquePointer? {
  optimizely(client)?.vuid.map { TextHandle.give($0) }
}

@_cdecl("hoist_optimizely_send_odp_event") @implementation
public func hoist_optimizely_send_odp_event(
  _ client: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ action: UnsafePointer<CChar>?,
  _ identifiers_json: UnsafePointer<CChar>?, _ data_json: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  sendPlatformEvent(
    client, type, action, identifiers_json.map { CString.bytes($0) }, data_json.map { CString.bytes($0) }, ErrorSlot(error))
}

/// `hoist_optimizely_send_odp_event`, with the JSON as bytes.
func sendPlatformEvent(
  _ client: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ action: UnsafePointer<CChar>?, _ identifiers: ByteView?,
  _ data: ByteView?, _ slot: ErrorSlot
) -> hoist_status {
  guard let object = ClientHandle.borrow(client) else { return slot.fail(.argument, "client is NULL") }
  guard let face = OptimizelyFace(object) else { return slot.fail(.unsupported, "the client is not optimizely's") }
  for text in [type, action] where text != nil && CString.text(text) == nil {
    return slot.fail(.argument, "a text is not UTF-8")
  }
  do throws(PlatformFailure) {
    try face.sendPlatformEvent(
      type: CString.text(type), action: CString.text(action) ?? "", identifiers: identifiers, data: data)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error.status, error.message)
  }
}

@_cdecl("hoist_optimizely_user_fetch_segments") @implementation
public func hoist_optimizely_user_fetch_segments(
  _ user: OpaquePointer?, _ options: UInt32, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let user = Handle<OptimizelyUser>.borrow(user) else { return Status.argument.rawValue }
  let completion = done.map { Completion($0, user_data) }
  do throws(PlatformFailure) {
    try user.fetchSegments(SegmentFetchOptions(rawValue: options), completion: completion?.call)
    return Status.ok.rawValue
  } catch {
    return error.status.rawValue
  }
}

@_cdecl("hoist_optimizely_user_fetch_segments_wait") @implementation
public func hoist_optimizely_user_fetch_segments_wait(
  _ user: OpaquePointer?, _ options: UInt32, _ timeout_ms: Int64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let user = Handle<OptimizelyUser>.borrow(user) else { return slot.fail(.argument, "user is NULL") }
  do throws(PlatformFailure) {
    try user.fetchSegmentsAndWait(SegmentFetchOptions(rawValue: options), timeoutMilliseconds: timeout_ms)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error.status, error.message)
  }
}

@_cdecl("hoist_optimizely_user_is_qualified_for") @implementation
public func hoist_optimizely_user_is_qualified_for(_ user: OpaquePointer?, _ segment: UnsafePointer<CChar>?) -> Bool {
  guard let user = Handle<OptimizelyUser>.borrow(user), let segment = CString.array(segment) else { return false }
  return user.isQualified(for: segment)
}

@_cdecl("hoist_optimizely_user_segments") @implementation
public func hoist_optimizely_user_segments(_ user: OpaquePointer?) -> OpaquePointer? {
  Handle<OptimizelyUser>.borrow(user)?.segmentsText.map { TextHandle.give($0) }
}

@_cdecl("hoist_optimizely_user_set_segments") @implementation
public func hoist_optimizely_user_set_segments(
  _ user: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
) -> hoist_status {
  guard let user = Handle<OptimizelyUser>.borrow(user), count >= 0, names != nil || count == 0 else {
    return Status.argument.rawValue
  }
  guard count <= SegmentSink.maximumNames else { return Status.limit.rawValue }
  guard let names else {
    user.setSegments(nil)
    return Status.ok.rawValue
  }
  var segments: [[UInt8]] = []
  for index in 0..<count {
    guard let name = CString.array(names[index]) else { return Status.argument.rawValue }
    segments.append(name)
  }
  user.setSegments(segments)
  return Status.ok.rawValue
}
