public import CHoist
internal import HoistCore

@_cdecl("hoist_version") @implementation
public func hoist_version() -> UnsafePointer<CChar> { Constants.pointer("0.1.0") }

@_cdecl("hoist_version_number") @implementation
public func hoist_version_number() -> UInt32 {
  HoistVersion.major * 1_000_000 + HoistVersion.minor * 1000 + HoistVersion.patch
}

@_cdecl("hoist_status_name") @implementation
public func hoist_status_name(_ status: hoist_status) -> UnsafePointer<CChar> {
  Constants.pointer(Status(rawValue: status).constantName ?? VendorStatus.name(status) ?? "HOIST_ERR_UNKNOWN")
}

@_cdecl("hoist_error_status") @implementation
public func hoist_error_status(_ error: OpaquePointer?) -> hoist_status {
  Handle<ErrorBox>.borrow(error)?.status.rawValue ?? 0
}

@_cdecl("hoist_error_message") @implementation
public func hoist_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar> {
  Handle<ErrorBox>.borrow(error)?.message.pointer ?? Constants.empty
}

@_cdecl("hoist_error_free") @implementation
public func hoist_error_free(_ error: OpaquePointer?) { Handle<ErrorBox>.take(error) }

@_cdecl("hoist_text_data") @implementation
public func hoist_text_data(_ text: OpaquePointer?) -> UnsafePointer<CChar> {
  Handle<CText>.borrow(text)?.pointer ?? Constants.empty
}

@_cdecl("hoist_text_length") @implementation
public func hoist_text_length(_ text: OpaquePointer?) -> Int { Handle<CText>.borrow(text)?.count ?? 0 }

@_cdecl("hoist_text_free") @implementation
public func hoist_text_free(_ text: OpaquePointer?) { Handle<CText>.take(text) }

/// Texts that live in the program image.
enum Constants {
  static func pointer(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  static var empty: UnsafePointer<CChar> { pointer("") }
}

extension Status {
  /// nil for a number that the core does not know.
  var constantName: StaticString? {
    switch self {
    case .ok: "HOIST_OK"
    case .argument: "HOIST_ERR_ARGUMENT"
    case .state: "HOIST_ERR_STATE"
    case .timeout: "HOIST_ERR_TIMEOUT"
    case .configuration: "HOIST_ERR_CONFIG"
    case .parse: "HOIST_ERR_PARSE"
    case .limit: "HOIST_ERR_LIMIT"
    case .io: "HOIST_ERR_IO"
    case .network: "HOIST_ERR_NETWORK"
    case .notFound: "HOIST_ERR_NOT_FOUND"
    case .unsupported: "HOIST_ERR_UNSUPPORTED"
    case .superseded: "HOIST_ERR_SUPERSEDED"
    case .cancelled: "HOIST_ERR_CANCELLED"
    case .plugin: "HOIST_ERR_PLUGIN"
    default: nil
    }
  }
}

/// Statuses of the vendors' numbered blocks.
enum VendorStatus {
  static func name(_ status: hoist_status) -> StaticString? {
    switch Int(status) {
    case HOIST_ERR_UNLEASH_URL: "HOIST_ERR_UNLEASH_URL"
    case HOIST_ERR_UNLEASH_NETWORK: "HOIST_ERR_UNLEASH_NETWORK"
    case HOIST_ERR_UNLEASH_NO_RESPONSE: "HOIST_ERR_UNLEASH_NO_RESPONSE"
    case HOIST_ERR_UNLEASH_UNHANDLED_STATUS: "HOIST_ERR_UNLEASH_UNHANDLED_STATUS"
    case HOIST_ERR_UNLEASH_DECODING: "HOIST_ERR_UNLEASH_DECODING"
    case HOIST_ERR_OPTIMIZELY_SDK_NOT_READY: "HOIST_ERR_OPTIMIZELY_SDK_NOT_READY"
    case HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID: "HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID"
    case HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID: "HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID"
    case HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED: "HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED"
    case HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED: "HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED"
    case HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED: "HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED"
    case HOIST_ERR_OPTIMIZELY_FEATURE_KEY_INVALID: "HOIST_ERR_OPTIMIZELY_FEATURE_KEY_INVALID"
    case HOIST_ERR_OPTIMIZELY_EXPERIMENT_KEY_INVALID: "HOIST_ERR_OPTIMIZELY_EXPERIMENT_KEY_INVALID"
    case HOIST_ERR_OPTIMIZELY_VARIATION_UNKNOWN: "HOIST_ERR_OPTIMIZELY_VARIATION_UNKNOWN"
    case HOIST_ERR_OPTIMIZELY_VARIABLE_KEY_INVALID: "HOIST_ERR_OPTIMIZELY_VARIABLE_KEY_INVALID"
    case HOIST_ERR_OPTIMIZELY_VARIABLE_VALUE_INVALID: "HOIST_ERR_OPTIMIZELY_VARIABLE_VALUE_INVALID"
    case HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID: "HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID"
    case HOIST_ERR_OPTIMIZELY_USER_ID_INVALID: "HOIST_ERR_OPTIMIZELY_USER_ID_INVALID"
    case HOIST_ERR_OPTIMIZELY_EVENT_TAGS_INVALID: "HOIST_ERR_OPTIMIZELY_EVENT_TAGS_INVALID"
    case HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER: "HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER"
    case HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED: "HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED"
    case HOIST_ERR_OPTIMIZELY_ODP_EVENT_FAILED: "HOIST_ERR_OPTIMIZELY_ODP_EVENT_FAILED"
    case HOIST_ERR_OPTIMIZELY_ODP_NOT_INTEGRATED: "HOIST_ERR_OPTIMIZELY_ODP_NOT_INTEGRATED"
    case HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED: "HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED"
    case HOIST_ERR_OPTIMIZELY_ODP_INVALID_DATA: "HOIST_ERR_OPTIMIZELY_ODP_INVALID_DATA"
    case HOIST_ERR_OPTIMIZELY_ODP_INVALID_ACTION: "HOIST_ERR_OPTIMIZELY_ODP_INVALID_ACTION"
    case HOIST_ERR_LAUNCHDARKLY_UNAUTHORIZED: "HOIST_ERR_LAUNCHDARKLY_UNAUTHORIZED"
    case HOIST_ERR_LAUNCHDARKLY_STREAM_SHUT_DOWN: "HOIST_ERR_LAUNCHDARKLY_STREAM_SHUT_DOWN"
    case HOIST_ERR_LAUNCHDARKLY_SHED: "HOIST_ERR_LAUNCHDARKLY_SHED"
    case HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED: "HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED"
    case HOIST_ERR_LAUNCHDARKLY_KIND_INVALID: "HOIST_ERR_LAUNCHDARKLY_KIND_INVALID"
    case HOIST_ERR_LAUNCHDARKLY_KEY_EMPTY: "HOIST_ERR_LAUNCHDARKLY_KEY_EMPTY"
    case HOIST_ERR_LAUNCHDARKLY_MULTI_EMPTY: "HOIST_ERR_LAUNCHDARKLY_MULTI_EMPTY"
    case HOIST_ERR_LAUNCHDARKLY_KINDS_DUPLICATE: "HOIST_ERR_LAUNCHDARKLY_KINDS_DUPLICATE"
    case HOIST_ERR_LAUNCHDARKLY_MULTI_BUILDER_REQUIRED: "HOIST_ERR_LAUNCHDARKLY_MULTI_BUILDER_REQUIRED"
    case HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED: "HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED"
    case HOIST_ERR_FLAGSHIP_NOT_INITIALIZED: "HOIST_ERR_FLAGSHIP_NOT_INITIALIZED"
    case HOIST_ERR_FLAGSHIP_PANIC: "HOIST_ERR_FLAGSHIP_PANIC"
    case HOIST_ERR_FLAGSHIP_NO_CONSENT: "HOIST_ERR_FLAGSHIP_NO_CONSENT"
    case HOIST_ERR_FLAGSHIP_FETCH_FAILED: "HOIST_ERR_FLAGSHIP_FETCH_FAILED"
    case HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED: "HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED"
    case HOIST_ERR_FLAGSHIP_HIT_INVALID: "HOIST_ERR_FLAGSHIP_HIT_INVALID"
    case HOIST_ERR_FLAGSHIP_FLAG_TYPE: "HOIST_ERR_FLAGSHIP_FLAG_TYPE"
    default: nil
    }
  }
}
