public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_connection_information") @implementation
public func hoist_launchdarkly_connection_information(
  _ client: OpaquePointer?, _ information: UnsafeMutablePointer<hoist_launchdarkly_connection>?
) -> hoist_status {
  guard let information, ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  guard let current = LaunchDarklyAnyFace.of(client)?.connectionInformation else { return Status.unsupported.rawValue }
  let size = information.pointee.struct_size
  var filled = hoist_launchdarkly_connection()
  filled.struct_size = size
  filled.mode = current.mode.rawValue
  switch current.lastFailureReason {
  case .none: filled.reason = reason(HOIST_LAUNCHDARKLY_FAILURE_NONE)
  case .unauthorized: filled.reason = reason(HOIST_LAUNCHDARKLY_FAILURE_UNAUTHORIZED)
  case .httpError(let status):
    filled.reason = reason(HOIST_LAUNCHDARKLY_FAILURE_HTTP_ERROR)
    filled.code = Int32(clamping: status)
  case .unknownError(let text):
    filled.reason = reason(HOIST_LAUNCHDARKLY_FAILURE_UNKNOWN)
    withUnsafeMutableBytes(of: &filled.text) { FixedText.fill($0, with: text) }
  }
  filled.has_validity = current.lastKnownFlagValidityUnixMilliseconds != nil
  filled.validity_ms = current.lastKnownFlagValidityUnixMilliseconds ?? 0
  filled.has_failure = current.lastFailedConnectionUnixMilliseconds != nil
  filled.failure_ms = current.lastFailedConnectionUnixMilliseconds ?? 0
  return HostTable.write(filled, to: information, size: size) ? Status.ok.rawValue : Status.argument.rawValue
}

@_cdecl("hoist_launchdarkly_data_source_status") @implementation
public func hoist_launchdarkly_data_source_status(
  _ client: OpaquePointer?, _ status: UnsafeMutablePointer<hoist_launchdarkly_data_source>?
) -> hoist_status {
  guard let status, ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  guard let current = LaunchDarklyAnyFace.of(client)?.dataSource else { return Status.unsupported.rawValue }
  let size = status.pointee.struct_size
  var filled = hoist_launchdarkly_data_source()
  filled.struct_size = size
  filled.state = current.state.rawValue
  filled.since_ms = current.sinceUnixMilliseconds
  if let failure = current.lastFailure {
    filled.error_kind = failure.kind.rawValue
    filled.error_status = Int32(clamping: failure.status)
    filled.error_ms = failure.unixMilliseconds
    withUnsafeMutableBytes(of: &filled.error_message) { FixedText.fill($0, with: failure.message) }
  }
  return HostTable.write(filled, to: status, size: size) ? Status.ok.rawValue : Status.argument.rawValue
}

@_cdecl("hoist_launchdarkly_set_run_mode") @implementation
public func hoist_launchdarkly_set_run_mode(
  _ client: OpaquePointer?, _ mode: hoist_launchdarkly_run_mode
) -> hoist_status {
  answer {
    let face = try LaunchDarklyFace.need(client)
    switch Int(mode) {
    case Int(HOIST_LAUNCHDARKLY_FOREGROUND): return face.setInBackground(false)
    case Int(HOIST_LAUNCHDARKLY_BACKGROUND): return face.setInBackground(true)
    default: return .argument
    }
  }
}

private func reason(_ constant: Int) -> hoist_launchdarkly_failure_reason { Int32(truncatingIfNeeded: constant) }
