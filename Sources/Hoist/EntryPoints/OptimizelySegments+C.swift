public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_vuid") @implementation
public func hoist_optimizely_vuid(_ client: OpaquePointer?) -> OpaquePointer? {
  OptimizelyFace.text(of: client) { $0.vuid.map { Array($0.utf8) } }
}

@_cdecl("hoist_optimizely_send_odp_event") @implementation
public func hoist_optimizely_send_odp_event(
  _ client: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ action: UnsafePointer<CChar>?,
  _ identifiers_json: UnsafePointer<CChar>?, _ data_json: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  sendPlatformEvent(client, type, action, identifiers_json.map { CString.bytes($0) }, data_json.map { CString.bytes($0) }, error)
}

/// `hoist_optimizely_send_odp_event`, with the JSON as bytes.
func sendPlatformEvent(
  _ client: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ action: UnsafePointer<CChar>?, _ identifiers: ByteView?,
  _ data: ByteView?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let face = try OptimizelyFace.need(client)
    let type = try type.map { try CString.need($0, "type") }
    let action = try action.map { try CString.need($0, "action") } ?? ""
    try face.sendPlatformEvent(type: type, action: action, identifiers: identifiers, data: data)
  }
}

@_cdecl("hoist_optimizely_user_fetch_segments") @implementation
public func hoist_optimizely_user_fetch_segments(
  _ user: OpaquePointer?, _ options: UInt32, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  attempt {
    try Handle<OptimizelyUser>.need(user, "user").fetchSegments(
      SegmentFetchOptions(rawValue: options), completion: completion(done, user_data))
  }
}

@_cdecl("hoist_optimizely_user_fetch_segments_wait") @implementation
public func hoist_optimizely_user_fetch_segments_wait(
  _ user: OpaquePointer?, _ options: UInt32, _ timeout_ms: Int64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    try Handle<OptimizelyUser>.need(user, "user").fetchSegmentsAndWait(
      SegmentFetchOptions(rawValue: options), timeoutMilliseconds: timeout_ms)
  }
}

@_cdecl("hoist_optimizely_user_is_qualified_for") @implementation
public func hoist_optimizely_user_is_qualified_for(_ user: OpaquePointer?, _ segment: UnsafePointer<CChar>?) -> Bool {
  guard let user = Handle<OptimizelyUser>.borrow(user), let segment = CString.array(segment) else { return false }
  return user.isQualified(for: segment)
}

@_cdecl("hoist_optimizely_user_segments") @implementation
public func hoist_optimizely_user_segments(_ user: OpaquePointer?) -> OpaquePointer? {
  Handle<OptimizelyUser>.borrow(user).map { TextHandle.give($0.segmentsText, orElse: "null") }
}

@_cdecl("hoist_optimizely_user_set_segments") @implementation
public func hoist_optimizely_user_set_segments(
  _ user: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
) -> hoist_status {
  attempt {
    let segments = try CString.list(names, count, limit: SegmentSink.maximumNames)
    try Handle<OptimizelyUser>.need(user, "user").setSegments(names == nil ? nil : segments)
  }
}
