public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly

/// Longest data of one event, in bytes.
private let maximumDataBytes = 1 << 20

@_cdecl("hoist_launchdarkly_track") @implementation
public func hoist_launchdarkly_track(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?, _ metric: UnsafePointer<Double>?
) -> hoist_status {
  hoist_launchdarkly_track_for(client, key, nil, data, metric)
}

@_cdecl("hoist_launchdarkly_track_for") @implementation
public func hoist_launchdarkly_track_for(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ data: UnsafePointer<CChar>?,
  _ metric: UnsafePointer<Double>?
) -> hoist_status {
  // The object without a reference: tracking costs little more than its record.
  guard let object = ClientHandle.hot(client)?.pointee.object else { return Status.argument.rawValue }
  let data = data.map { CString.bytes($0) }
  let status = Unmanaged<Client>.fromOpaque(object)._withUnsafeGuaranteedRef { client in
    guard let key = CString.view(key) else { return client.refuse(nil, .argument, "its key is NULL or not UTF-8") }
    if let metric, !metric.pointee.isFinite {
      return client.refuse(GivenEvent.name(key), .argument, "its metric is no finite number")
    }
    if let data, data.count > maximumDataBytes {
      return client.refuse(GivenEvent.name(key), .limit, "its data has \(data.count) bytes, and may have \(maximumDataBytes)")
    }
    var subject: ContextReference?
    if context != nil {
      subject = ContextHandle.borrow(context)?.reference()
      if subject == nil { return client.refuse(GivenEvent.name(key), .argument, "its context is none") }
    }
    return LaunchDarklyAnyFace.track(key, data: data, metric: metric?.pointee, of: subject, with: client)
  }
  return status.rawValue
}

@_cdecl("hoist_launchdarkly_flush") @implementation
public func hoist_launchdarkly_flush(_ client: OpaquePointer?) -> hoist_status {
  answer { try LaunchDarklyAnyFace.need(client).flush() }
}
