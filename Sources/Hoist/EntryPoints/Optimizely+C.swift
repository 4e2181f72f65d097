public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_version") @implementation
public func hoist_optimizely_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

@_cdecl("hoist_optimizely_datafile") @implementation
public func hoist_optimizely_datafile(_ client: OpaquePointer?) -> OpaquePointer? { OptimizelyFace.text(of: client, \.datafile) }

@_cdecl("hoist_optimizely_revision") @implementation
public func hoist_optimizely_revision(_ client: OpaquePointer?) -> OpaquePointer? { OptimizelyFace.text(of: client, \.revision) }

@_cdecl("hoist_optimizely_datafile_origin") @implementation
public func hoist_optimizely_datafile_origin(_ client: OpaquePointer?) -> UnsafePointer<CChar>? {
  guard ClientHandle.borrow(client) != nil else { return nil }
  return switch OptimizelyFace.of(client)?.datafileOrigin {
  case .given: Constants.pointer("given")
  case .saved: Constants.pointer("saved")
  case .network: Constants.pointer("network")
  case nil: Constants.empty
  }
}

@_cdecl("hoist_optimizely_config_to_json") @implementation
public func hoist_optimizely_config_to_json(_ client: OpaquePointer?) -> OpaquePointer? {
  OptimizelyFace.text(of: client, orElse: "null", \.configJSON)
}

@_cdecl("hoist_optimizely_start_with_datafile") @implementation
public func hoist_optimizely_start_with_datafile(
  _ client: OpaquePointer?, _ datafile: UnsafePointer<CChar>?, _ length: Int, _ flags: UInt32,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    guard length >= 0, datafile != nil || length == 0 else { throw Refusal(.argument, "datafile is NULL") }
    try start(client, datafile.map { Array(UnsafeRawBufferPointer(start: $0, count: length)) }, flags)
  }
}

@_cdecl("hoist_optimizely_start_with_file") @implementation
public func hoist_optimizely_start_with_file(
  _ client: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ flags: UInt32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let log = try ClientHandle.need(client).log
    let datafile = try FileContent.read(path: try CString.needPath(path), limitBytes: 64 << 20) { log.warning("datafile: \($0)") }
    try start(client, datafile, flags)
  }
}

private func start(_ client: OpaquePointer?, _ datafile: [UInt8]?, _ flags: UInt32) throws {
  let flags = StartFlags(rawValue: flags)
  guard flags.isSubset(of: [.updateOnNewDatafile, .noBackgroundFetch]) else {
    throw Refusal(.argument, "flags has unknown bits")
  }
  try waiting(client, StoreWait.milliseconds) { face, done in face.start(datafile: datafile, flags, completion: done) }
}

@_cdecl("hoist_optimizely_start") @implementation
public func hoist_optimizely_start(
  _ client: OpaquePointer?, _ timeout_ms: Int64, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  promising(client, done, user_data) { face, tell in
    face.start(timeoutMilliseconds: timeout_ms) { tell($0?.status ?? .ok) }
  }
}

@_cdecl("hoist_optimizely_start_wait") @implementation
public func hoist_optimizely_start_wait(
  _ client: OpaquePointer?, _ timeout_ms: Int64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  // The start keeps to the limit itself, and needs a moment to say so.
  let limit = timeout_ms < 0 ? -1 : min(timeout_ms, Int64.max / 2) + StoreWait.momentMilliseconds
  return attempt(error) {
    try waiting(client, limit) { face, done in face.start(timeoutMilliseconds: timeout_ms, completion: done) }
  }
}

@_cdecl("hoist_optimizely_download_datafile") @implementation
public func hoist_optimizely_download_datafile(
  _ client: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  promising(client, done, user_data) { face, tell in face.download { tell($0?.status ?? .ok) } }
}

@_cdecl("hoist_optimizely_has_saved_datafile") @implementation
public func hoist_optimizely_has_saved_datafile(_ client: OpaquePointer?) -> Bool {
  OptimizelyFace.of(client).flatMap { saved($0) } != nil
}

@_cdecl("hoist_optimizely_saved_datafile") @implementation
public func hoist_optimizely_saved_datafile(_ client: OpaquePointer?) -> OpaquePointer? {
  OptimizelyFace.text(of: client) { saved($0) }
}

@_cdecl("hoist_optimizely_save_datafile") @implementation
public func hoist_optimizely_save_datafile(
  _ client: OpaquePointer?, _ datafile: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let face = try OptimizelyFace.need(client)
    guard let datafile, length > 0 else { throw Refusal(.argument, "datafile is NULL or empty") }
    if let failure = face.save(datafile: Array(UnsafeRawBufferPointer(start: datafile, count: length))) { throw failure }
  }
}

@_cdecl("hoist_optimizely_remove_saved_datafile") @implementation
public func hoist_optimizely_remove_saved_datafile(_ client: OpaquePointer?) -> hoist_status {
  answer { try OptimizelyFace.need(client).removeSavedDatafile() }
}

@_cdecl("hoist_optimizely_set_active") @implementation
public func hoist_optimizely_set_active(_ client: OpaquePointer?, _ active: Bool) -> hoist_status {
  answer { try OptimizelyFace.need(client).setActive(active) }
}

/// How long a call waits for the store at most: a little longer than the store waits itself.
private enum StoreWait {
  static let milliseconds: Int64 = 12_000
  static let momentMilliseconds: Int64 = 80
}

/// nil when nothing is saved, and on threads that must not wait.
private func saved(_ face: OptimizelyFace) -> [UInt8]? {
  if Thread.isOwn { return nil }
  let answer = Completion<[UInt8]?>()
  guard face.savedDatafile(completion: { answer.give($0) }) == .ok else { return nil }
  return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: StoreWait.milliseconds)) ?? nil
}

/// Runs an asynchronous call and waits for its end.
private func waiting(
  _ client: OpaquePointer?, _ timeoutMilliseconds: Int64,
  _ begin: (OptimizelyFace, @escaping OptimizelyFace.Completion) -> Status
) throws {
  let face = try OptimizelyFace.need(client)
  if Thread.isOwn { throw Refusal(.state, "a thread of the library's own cannot wait") }
  let answer = Completion<FetchFailure?>()
  let begun = begin(face) { answer.give($0) }
  guard begun == .ok else { throw Refusal(begun, "the client is closed") }
  guard let end = answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)) else {
    throw Refusal(.timeout, "no datafile is served in time")
  }
  if let end { throw end }
}

/// Begins an asynchronous call of the host's.
private func promising(
  _ client: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?,
  _ begin: (OptimizelyFace, @escaping @Sendable (Status) -> Void) -> Status
) -> hoist_status {
  answer {
    let face = try OptimizelyFace.need(client)
    return try ClientHandle.need(client).promise(completion(done, user_data)) { begin(face, $0) }
  }
}
