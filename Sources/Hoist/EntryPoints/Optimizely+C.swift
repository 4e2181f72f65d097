public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_version") @implementation
public func hoist_optimizely_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

@_cdecl("hoist_optimizely_datafile") @implementation
public func hoist_optimizely_datafile(_ client: OpaquePointer?) -> OpaquePointer? { text(optimizely(client)?.datafile) }

@_cdecl("hoist_optimizely_revision") @implementation
public func hoist_optimizely_revision(_ client: OpaquePointer?) -> OpaquePointer? { text(optimizely(client)?.revision) }

@_cdecl("hoist_optimizely_datafile_origin") @implementation
public func hoist_optimizely_datafile_origin(_ client: OpaquePointer?) -> UnsafePointer<CChar> {
  switch optimizely(client)?.datafileOrigin {
  case .given: Constants.pointer("given")
  case .saved: Constants.pointer("saved")
  case .network: Constants.pointer("network")
  case nil: Constants.empty
  }
}

@_cdecl("hoist_optimizely_config_json") @implementation
public func hoist_optimizely_config_json(_ client: OpaquePointer?) -> OpaquePointer? { text(optimizely(client)?.configJSON) }

@_cdecl("hoist_optimizely_start_with_datafile") @implementation
public func hoist_optimizely_start_with_datafile(
  _ client: OpaquePointer?, _ datafile: UnsafePointer<CChar>?, _ length: Int, _ flags: UInt32,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard length >= 0, datafile != nil || length == 0 else { return slot.fail(.argument, "datafile is NULL") }
  let bytes = datafile.map { Array(UnsafeRawBufferPointer(start: $0, count: length)) }
  return start(client, bytes, flags, slot)
}

@_cdecl("hoist_optimizely_start_with_file") @implementation
public func hoist_optimizely_start_with_file(
  _ client: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ flags: UInt32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let path = CString.text(path), !path.isEmpty else { return slot.fail(.argument, "the path is NULL, empty or not UTF-8") }
  do throws(FileContent.Failure) {
    return start(client, try FileContent.read(path: path, limitBytes: 64 << 20), flags, slot)
  } catch {
    return slot.fail(.io, error.message)
  }
}

private func start(_ client: OpaquePointer?, _ datafile: [UInt8]?, _ flags: UInt32, _ slot: ErrorSlot) -> hoist_status {
  let flags = StartFlags(rawValue: flags)
  guard flags.isSubset(of: [.updateOnNewDatafile, .noBackgroundFetch]) else { return slot.fail(.argument, "flags has unknown bits") }
  return waiting(client, StoreWait.milliseconds, slot) { face, done in face.start(datafile: datafile, flags, completion: done) }
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
  // The start keeps to the limit itself; what is saved is read before and after.
  let limit = timeout_ms < 0 ? -1 : min(timeout_ms, Int64.max / 2) + StoreWait.milliseconds
  return waiting(client, limit, ErrorSlot(error)) { face, done in face.start(timeoutMilliseconds: timeout_ms, completion: done) }
}

@_cdecl("hoist_optimizely_download_datafile") @implementation
public func hoist_optimizely_download_datafile(
  _ client: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  promising(client, done, user_data) { face, tell in face.download { tell($0?.status ?? .ok) } }
}

@_cdecl("hoist_optimizely_has_saved_datafile") @implementation
public func hoist_optimizely_has_saved_datafile(_ client: OpaquePointer?) -> Bool { saved(client) != nil }

@_cdecl("hoist_optimizely_saved_datafile") @implementation
public func hoist_optimizely_saved_datafile(_ client: OpaquePointer?) -> OpaquePointer? { text(saved(client)) }

@_cdecl("hoist_optimizely_save_datafile") @implementation
public func hoist_optimizely_save_datafile(
  _ client: OpaquePointer?, _ datafile: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard ClientHandle.borrow(client) != nil else { return slot.fail(.argument, "client is NULL") }
  guard let datafile, length > 0 else { return slot.fail(.argument, "datafile is NULL or empty") }
  guard let face = optimizely(client) else { return slot.fail(.unsupported, "the client is none of Optimizely's") }
  guard let failure = face.save(datafile: Array(UnsafeRawBufferPointer(start: datafile, count: length))) else {
    return Status.ok.rawValue
  }
  return slot.fail(failure.status, failure.message)
}

@_cdecl("hoist_optimizely_remove_saved_datafile") @implementation
public func hoist_optimizely_remove_saved_datafile(_ client: OpaquePointer?) -> hoist_status {
  guard ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  return (optimizely(client)?.removeSavedDatafile() ?? .unsupported).rawValue
}

@_cdecl("hoist_optimizely_set_active") @implementation
public func hoist_optimizely_set_active(_ client: OpaquePointer?, _ active: Bool) -> hoist_status {
  guard ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  return (optimizely(client)?.setActive(active) ?? .unsupported).rawValue
}

/// How long a call waits for the store at most: a little longer than the store waits itself.
private enum StoreWait {
  static let milliseconds: Int64 = 12_000
}

/// nil when nothing is saved, and where nobody may wait.
private func saved(_ client: OpaquePointer?) -> [UInt8]? {
  guard let face = optimizely(client), !Thread.isOwn else { return nil }
  let answer = Answer<[UInt8]?>()
  guard face.savedDatafile(completion: { answer.give($0) }) == .ok else { return nil }
  return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: StoreWait.milliseconds)) ?? nil
}

/// Runs an asynchronous call and waits for its end.
private func waiting(
  _ client: OpaquePointer?, _ timeoutMilliseconds: Int64, _ slot: ErrorSlot,
  _ begin: (OptimizelyFace, @escaping OptimizelyFace.Completion) -> Status
) -> hoist_status {
  guard ClientHandle.borrow(client) != nil else { return slot.fail(.argument, "client is NULL") }
  guard let face = optimizely(client) else { return slot.fail(.unsupported, "the client is none of Optimizely's") }
  if Thread.isOwn { return slot.fail(.state, "a thread of the library's own cannot wait") }
  let answer = Answer<DatafileFailure?>()
  let begun = begin(face) { answer.give($0) }
  guard begun == .ok else { return slot.fail(begun, "the client is closed") }
  switch answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)) {
  case .none: return slot.fail(.timeout, "no datafile is served in time")
  case .some(.none): return Status.ok.rawValue
  case .some(.some(let failure)): return slot.fail(failure.status, failure.message)
  }
}

/// Begins an asynchronous call of the host's.
private func promising(
  _ client: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?,
  _ begin: (OptimizelyFace, @escaping @Sendable (Status) -> Void) -> Status
) -> hoist_status {
  guard let object = ClientHandle.borrow(client) else { return Status.argument.rawValue }
  guard let face = OptimizelyFace(object) else { return Status.unsupported.rawValue }
  let completion = done.map { Completion($0, user_data) }
  return object.promise(completion?.call) { begin(face, $0) }.rawValue
}

/// nil for NULL and for clients of other services.
func optimizely(_ client: OpaquePointer?) -> OptimizelyFace? { ClientHandle.borrow(client).flatMap { OptimizelyFace($0) } }

private func text(_ bytes: [UInt8]?) -> OpaquePointer? { bytes.map { TextHandle.give($0) } }
